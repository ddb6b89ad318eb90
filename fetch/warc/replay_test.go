package warc_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func compressed(yes string) *fetch.Options {
	return &fetch.Options{Set: map[string][]string{"http.compressed": {yes}}}
}

// A replay returns what the request would return on the network: a coding that the captured request accepted is always decoded, and
// another one only if that is requested now.
func TestReplayUndoesCodings(t *testing.T) {
	const text = "the document in clear"
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		switch {
		case r.URL.Path == "/unknown":
			w.Header().Set("Content-Encoding", "exi")
			io.WriteString(w, text)
		case r.URL.Path == "/always" || strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"):
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, gzipped(text))
		default:
			io.WriteString(w, text)
		}
	})
	for _, c := range []struct {
		path        string
		asked, asks *fetch.Options
		want        string
	}{
		{"/asked", compressed("1"), nil, text},
		{"/asked", compressed("1"), compressed("1"), text},
		{"/asked", compressed("1"), compressed("0"), gzipped(text)},
		{"/asked", nil, compressed("1"), text},
		{"/asked", nil, nil, text},
		{"/always", nil, nil, gzipped(text)},
		{"/always", nil, compressed("1"), text},
		{"/always", compressed("1"), nil, text},
		{"/unknown", nil, nil, text},
		{"/unknown", nil, compressed("1"), ""},
		{"/asked", compressed("1"), &fetch.Options{Range: fetch.Range{From: 4, To: 12}}, text[4:12]},
		{"/asked", compressed("1"), &fetch.Options{Range: fetch.Range{From: -5}}, text[len(text)-5:]},
		{"/asked", compressed("1"), &fetch.Options{Op: fetch.Metadata}, ""},
	} {
		name := filepath.Join(t.TempDir(), "a.warc.gz")
		if _, err := recorded(t, name, page+c.path, c.asked); err != nil {
			t.Fatal(err)
		}
		got, err := replayed(t, page+c.path, c.asks, name)
		if c.path == "/unknown" && c.asks != nil {
			if fetch.KindOf(err) != fetch.ErrDecode {
				t.Errorf("%s: got %q, %v, want %s", c.path, got, err, fetch.ErrDecode)
			}
			continue
		}
		if got != c.want || err != nil {
			t.Errorf("%s captured with %v, read with %v: got %q, %v, want %q", c.path, c.asked, c.asks, got, err, c.want)
		}
	}
	const wget = "http://127.0.0.1:41080/gz/a" // written by wget 1.21 --compression=auto
	for _, o := range []*fetch.Options{nil, compressed("1")} {
		if got, err := replayed(t, wget, o, "testdata/wget-gzip.warc.gz"); !strings.HasPrefix(got, "<html><a href=") || err != nil {
			t.Errorf("wget's with %v: got %q, %v; want the page", o, got, err)
		}
	}
}

// An ftp URI whose response from an HTTP proxy has a content coding.
func TestReplayUndoesCodingsOfAProxy(t *testing.T) {
	const u = "ftp://ftp.example/f.txt"
	body := gzipped("by a proxy")
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(body),
		body)
	name := filepath.Join(t.TempDir(), "a.warc")
	record := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-22T00:00:00Z\r\n"+
		"WARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", u, len(answer), answer)
	write(t, name, []byte(record))
	if got, err := replayed(t, u, nil, name); got != "by a proxy" || err != nil {
		t.Errorf("got %q, %v; want \"by a proxy\"", got, err)
	}
	c := readerOf(t, name)
	defer c.Close()
	if _, err := c.Get(t.Context(), uri.MustParse(u), &fetch.Options{Range: fetch.Range{From: 99}}); fetch.KindOf(err) != fetch.ErrRange {
		t.Errorf("a range: got %v, want %s", err, fetch.ErrRange)
	}
	if n := openFiles(filepath.Dir(name)); n > 0 {
		t.Errorf("a range: got %d open files, want none", n)
	}
}

// An HTTP/0.9 response is the document alone, and complete when the server closes.
func TestSimpleResponse(t *testing.T) {
	const page = "<title>old</title>\n<p>a page of 1991\n"
	u := raw(t, page) + "/"
	for _, o := range []*fetch.Options{nil, {Set: map[string][]string{"http.version": {"0.9"}}}} {
		name := filepath.Join(t.TempDir(), "a.warc")
		if got, err := recorded(t, name, u, o); got != page || err != nil {
			t.Fatalf("got %q, %v; want %v", got, err, page)
		}
		if got, err := replayed(t, u, nil, name); got != page || err != nil {
			t.Errorf("with %v: got %q, %v, want %q", o, got, err, page)
		}
		checked(t, name)
		if bytes.Contains(contentOf(t, name), []byte("WARC-Truncated")) {
			t.Errorf("with %v: got a truncated record, want a complete one", o)
		}
	}
	name := filepath.Join(t.TempDir(), "twice.warc") // the second is a revisit
	capture(t, name, nil, nil, u, u)
	if got, err := replayed(t, u, nil, name); got != page || err != nil {
		t.Errorf("twice: got %q, %v; want %v", got, err, page)
	}
}

// A record with a wrong digest is an error before its first byte, whichever digest is wrong, and an earlier intact capture answers.
func TestReplayVerifies(t *testing.T) {
	version := "one "
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, version+"What is spoken") })
	dir := t.TempDir()
	name := filepath.Join(dir, "a.warc")
	capture(t, name, nil, nil, page+"/")
	whole := contentOf(t, name)
	for _, c := range []struct{ old, new string }{
		{"What is spoken", "What is SPOKEN"},
		{"WARC-Payload-Digest: sha1:", "WARC-Payload-Digest: sha1:A"},
		{"WARC-Block-Digest: sha256:", "WARC-Block-Digest: sha256:0"},
	} {
		b := bytes.ReplaceAll(whole, []byte(c.old), []byte(c.new))
		write(t, name, b)
		got, err := replayed(t, page+"/", nil, name)
		if got != "" || fetch.KindOf(err) != fetch.ErrProtocol || !strings.Contains(err.Error(), "Digest") {
			t.Errorf("%s: got %q, %v; want a protocol error about a digest", c.new, got, err)
		}
	}
	version = "two "
	capture(t, filepath.Join(dir, "b.warc"), nil, nil, page+"/")
	write(t, name, whole)
	later := contentOf(t, filepath.Join(dir, "b.warc"))
	for _, c := range []struct{ text, want string }{{string(later), "two What is spoken"},
		{strings.Replace(string(later), "What is", "What IS", 1), "one What is spoken"}} {
		write(t, filepath.Join(dir, "b.warc"), []byte(c.text))
		if got, err := replayed(t, page+"/", nil, name, filepath.Join(dir, "b.warc")); got != c.want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}
