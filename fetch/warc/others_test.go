package warc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch/warc"
)

// TestFilesOfSuites checks the archives in checkouts of github.com/webrecorder/warcio, github.com/webrecorder/warcio.js and
// github.com/iipc/jwarc. The faults are in the files: warcio's own tests name those of example-digest.warc and
// example-bad-non-chunked.warc.gz.
func TestFilesOfSuites(t *testing.T) {
	top := os.Getenv("WARC_SUITES")
	if top == "" {
		t.Skip("WARC_SUITES names no directory with checkouts of warcio, warcio.js and jwarc")
	}
	const py, js, java = "warcio/test/data/", "warcio.js/test/data/", "jwarc/test-resources/org/netpreserve/jwarc/"
	for _, tt := range []struct {
		name            string
		records, faults int
	}{
		{py + "example.warc", 6, 0},
		{py + "example.warc.gz", 6, 0},
		{py + "example.arc", 2, 0},
		{py + "example.arc.gz", 2, 0},
		{py + "example-resource.warc.gz", 3, 0},
		{py + "example-iana.org-chunked.warc", 3, 0},
		{py + "example-space-in-target-uri.warc.gz", 2, 0},
		{py + "example-wget-bad-target-uri.warc.gz", 6, 0},
		{py + "post-test.warc.gz", 6, 0},
		{py + "bad.arc", 4, 0},
		{py + "example-space-in-url.arc", 2, 1},        // its length is too large
		{py + "example-wrong-chunks.warc.gz", 2, 2},    // a damaged member
		{py + "example-bad-non-chunked.warc.gz", 6, 6}, // one member for all records, and a wrong digest of a revisit
		{py + "example-bad.warc.gz.bad", 6, 5},         // one member
		{py + "example-digest.warc", 4, 4},             // a wrong payload digest, and one ID four times
		{py + "example-trunc.warc", 4, 3},              // a wrong length
		{js + "example.warc", 7, 0},
		{js + "example.warc.gz", 6, 0},
		{js + "example-resource.warc.gz", 1, 0},
		{js + "example-iana.org-chunked.warc", 3, 0},
		{js + "example-wget-bad-target-uri.warc.gz", 6, 0},
		{js + "post-test.warc.gz", 6, 0},
		{js + "post-test-more.warc", 6, 0},
		{js + "redirect.warc", 2, 0},
		{js + "example-bad-length.warc", 6, 5},              // as example-trunc.warc
		{js + "example-url-agnostic-revisit.warc.gz", 2, 1}, // no empty lines after a block
		{java + "cc.warc.gz", 1, 0},
		{java + "gzip_extra_sl.warc.gz", 1, 0},
	} {
		f, err := os.Open(filepath.Join(top, tt.name))
		if err != nil {
			t.Error(err)
			continue
		}
		var faults []warc.Fault
		got, err := warc.Check(f, func(x warc.Fault) { faults = append(faults, x) })
		if f.Close(); err != nil || got.Records != tt.records || got.Faults != tt.faults {
			t.Errorf("%s: got %d records, %v, %d faults: %v; want %d, %d", tt.name, got.Records, err, got.Faults, faults, tt.records, tt.faults)
		}
	}
}

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

// heritrix imitates Heritrix 3, written by hand: blanks within media types, WARC/1.0 revisits with only a head, DNS records, FTP as a
// resource with its control dialogue.
const heritrix = `WARC/1.0
WARC-Type: warcinfo
WARC-Date: 2024-05-01T00:00:00Z
WARC-Filename: H.warc
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>
Content-Type: application/warc-fields
Content-Length: 19

software: Heritrix

WARC/1.0
WARC-Type: response
WARC-Target-URI: dns:example.org
WARC-Date: 2024-05-01T00:00:00Z
WARC-IP-Address: 192.0.2.53
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>
Content-Type: text/dns
Content-Length: 15

20240501000000

WARC/1.0
WARC-Type: response
WARC-Target-URI: http://example.org/a
WARC-Date: 2024-05-01T00:00:01Z
WARC-Payload-Digest: sha1:6KXZTPCZVLL6HBRO4PKHCJDDIADKQ24E
WARC-IP-Address: 192.0.2.1
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000003>
Content-Type: application/http; msgtype=response
Content-Length: 52

HTTP/1.1 200 OK
Content-Type: text/html

<p>archived

WARC/1.0
WARC-Type: revisit
WARC-Target-URI: http://example.org/b
WARC-Date: 2024-05-02T00:00:01Z
WARC-Payload-Digest: sha1:6KXZTPCZVLL6HBRO4PKHCJDDIADKQ24E
WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest
WARC-Truncated: length
WARC-Refers-To-Target-URI: http://example.org/a
WARC-Refers-To-Date: 2024-05-01T00:00:01Z
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000004>
Content-Type: application/http; msgtype=response
Content-Length: 40

HTTP/1.1 200 OK
Content-Type: text/x-b



WARC/1.0
WARC-Type: resource
WARC-Target-URI: ftp://example.org/f.txt
WARC-Date: 2024-05-02T00:00:02Z
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000005>
Content-Type: text/plain
Content-Length: 5

by ftp

`

// crlf sets the line ends of the heads, and the length of each record.
func crlf(text string) []byte {
	var b bytes.Buffer
	for _, rec := range strings.SplitAfter(text, "\n\nWARC/1.0\n") {
		rec, next := strings.CutSuffix(rec, "\n\nWARC/1.0\n")
		head, block, _ := strings.Cut(rec, "\n\n")
		block = strings.TrimRight(block, "\n")
		if strings.HasPrefix(block, "HTTP/") {
			h, body, _ := strings.Cut(block, "\n\n")
			block = strings.ReplaceAll(h, "\n", "\r\n") + "\r\n\r\n" + body
		}
		head, _, _ = strings.Cut(head, "Content-Length")
		b.WriteString(strings.ReplaceAll(head, "\n", "\r\n") + "Content-Length: " + strconv.Itoa(len(block)) + "\r\n\r\n" + block + "\r\n\r\n")
		if next {
			b.WriteString("WARC/1.0\r\n")
		}
	}
	return b.Bytes()
}

func TestOthersArchives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "H.warc")
	write(t, name, crlf(heritrix))
	c := readerOf(t, name, "testdata/wget-http.warc.gz", "testdata/wget-ftp.warc.gz", "testdata/warcio.warc.gz")
	defer c.Close()
	for uri, want := range map[string]string{
		"http://example.org/a":                   "<p>archived",
		"http://example.org/b":                   "<p>archived",
		"HTTP://EXAMPLE.ORG:80/%61":              "<p>archived", // the same URI
		"ftp://example.org/f.txt":                "by ftp",
		"http://127.0.0.1:30080/history/ftp.txt": "ftp\n---\n",
		"ftp://127.0.0.1:30021/history/ftp.txt":  "ftp\n---\n",
		"http://example.org/page":                "a page by warcio",
	} {
		if got, err := read(c, uri); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, %v; want starting with %q", uri, got, err, want)
		}
	}
}
