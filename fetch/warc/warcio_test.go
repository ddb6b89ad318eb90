package warc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/warc"
)

// TestWarcioReadsOurs checks the output of the command warcio for our archives, if it is installed: webrecorder's, from PyPI (which also
// checks the digests) or from npm.
func TestWarcioReadsOurs(t *testing.T) {
	if _, err := exec.LookPath("warcio"); err != nil {
		t.Skip("warcio is not installed")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/chunked":
			fmt.Fprint(w, "one")
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "two")
		case "/gone":
			http.NotFound(w, r)
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		default:
			w.Header().Set("Content-Length", "7000")
			fmt.Fprint(w, strings.Repeat("a page ", 1000))
		}
	}))
	defer server.Close()
	for _, suffix := range []string{".warc", ".warc.gz"} {
		name := filepath.Join(t.TempDir(), "ours"+suffix)
		capture(t, name, nil, nil, server.URL+"/page", server.URL+"/chunked", server.URL+"/gone", server.URL+"/moved", server.URL+"/again",
			"data:,x")
		got := indexed(t, name)
		b := contentOf(t, name)
		var want []string
		r := warc.NewReader(bytes.NewReader(b))
		for rec, err := r.Next(); err == nil; rec, err = r.Next() {
			want = append(want, fmt.Sprint(rec.Offset, " ", rec.Type(), " ", rec.Target()))
		}
		r.Close()
		if !slices.Equal(got, want) || len(want) < 8 {
			t.Errorf("%s: got\n%s\nwant\n%s", suffix, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		help, _ := exec.Command("warcio", "--help").CombinedOutput()
		if !bytes.Contains(help, []byte("check")) {
			continue // npm's
		}
		// warcio computes the digest of a payload with its chunks. The payload is the entity-body (ISO 28500:2017 section 5.9), which by RFC 2616
		// section 7.2 has none.
		out, _ := exec.Command("warcio", "check", "-v", name).CombinedOutput()
		if failed, payload := bytes.Count(out, []byte("failed")), bytes.Count(out, []byte("payload digest failed")); failed != 1 || payload != 1 {
			t.Errorf("%s: warcio check: got %s, want failed 1 and payload 1", suffix, out)
		}
	}
}

// indexed returns the offset, type and target of each record that warcio finds.
func indexed(t *testing.T, name string) (list []string) {
	t.Helper()
	out, err := exec.Command("warcio", "index", name, "-f", "offset,warc-type,warc-target-uri").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var r map[string]any
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		target, _ := r["warc-target-uri"].(string)
		list = append(list, fmt.Sprint(r["offset"], " ", r["warc-type"], " ", target))
	}
	return list
}
