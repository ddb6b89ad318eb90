package warc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/warc"
)

// raw sends the given responses, each on its own connection; at "|" it waits for the client to close.
func raw(t *testing.T, answer string) string {
	t.Helper()
	return "http://" + loopback.ForTest(t, func(c net.Conn) { rawTo(c, answer) })
}

func rawTo(c net.Conn, answer string) {
	c.Read(make([]byte, 4096))
	text, stays := strings.CutSuffix(answer, "|")
	io.WriteString(c, text)
	if stays {
		io.Copy(io.Discard, c)
	}
}

// captureSlow captures an answer whose end the client awaits in vain. It does so in a bubble, whose clock advances only while all wait, so that
// not the head of the response is late.
func captureSlow(t *testing.T, name, answer string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		capture(t, name, nil, func(c *fetch.Client) {
			c.Dialer = func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go func() {
					defer server.Close()
					rawTo(server, answer)
				}()
				return client, nil
			}
		}, "http://h.example/")
	})
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer, reason, kind string
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "disconnect", "truncated"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf|", "time", "timeout"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhalf", "unspecified", "protocol"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + strings.Repeat("x", 99999), "length", "limit"},
		{"HTTP/1.0 200 OK\r\n\r\n" + strings.Repeat("x", 99999), "length", "limit"},
		{"HTTP/1.0 200 OK\r\n\r\nhalf|", "time", "timeout"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "disconnect", "truncated"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nno\r\n", "unspecified", "protocol"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n", "", ""},
		{"HTTP/1.0 200 OK\r\n\r\nwhole", "", ""},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole", "", ""},
		{"HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nwhole", "", ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole, and more", "", ""},
	} {
		name := filepath.Join(t.TempDir(), "a.warc.gz")
		if tt.kind == "timeout" {
			captureSlow(t, name, tt.answer)
		} else {
			capture(t, name, nil, func(c *fetch.Client) { c.Limits.Document = 1000 }, raw(t, tt.answer)+"/")
		}
		all := records(t, name)
		if all[1].Type() != "response" || all[1].Fields.Get("WARC-Truncated") != tt.reason || strings.Contains(all[1].block, "100 Continue") {
			t.Errorf("%.60q: got %q, %s; want %q", tt.answer, all[1].Fields.Get("WARC-Truncated"), types(all), tt.reason)
		}
		if tt.kind == "" {
			if got, err := replayed(t, all[1].Target(), nil, name); len(all) != 3 || err == nil && got != "whole" || fetch.KindOf(err) == fetch.ErrProtocol {
				t.Errorf("%.60q: got %s, %q, %v; want len(all) 3 and the document", tt.answer, types(all), got, err)
			}
			continue
		}
		if o := warc.ParseOutcome(all[len(all)-1].block); o.Kind != tt.kind {
			t.Errorf("%.60q: %s: got %+v, want Kind %v", tt.answer, types(all), o, tt.kind)
		}
		if _, err := replayed(t, all[1].Target(), nil, name); fetch.KindOf(err) == "" {
			t.Errorf("%.60q: read back: got %v, want an error with a kind", tt.answer, err)
		}
	}
}

// A failure has a record with its Kind, and yields the same error when read back.
func TestFailures(t *testing.T) {
	closed := loopback.Reserve(t)
	files := ftpSite(t)
	for uri, kind := range map[string]fetch.Kind{
		"http://" + closed + "/":   fetch.ErrConnect,
		"gopher://" + closed + "/": fetch.ErrConnect,
		"http://no.such.invalid/":  fetch.ErrDNS,
		files + "/pub/nonesuch":    fetch.ErrNotFound,
	} {
		name := filepath.Join(t.TempDir(), "a.warc")
		capture(t, name, nil, nil, uri)
		all := records(t, name)
		last := all[len(all)-1]
		if len(all) != 2 || last.Type() != "metadata" || warc.ParseOutcome(last.block).Kind != string(kind) {
			t.Errorf("%s: %s: got %s, want len(all) 2, last.Type() \"metadata\" and Kind %q", uri, types(all), last.block, string(kind))
		}
		if _, err := replayed(t, uri, nil, name); fetch.KindOf(err) != kind {
			t.Errorf("%s: read back: got %v, want %v", uri, err, kind)
		}
	}
}

func TestRevisits(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		w.Header().Set("Content-Type", "text/x-"+strings.Trim(r.URL.Path, "/"))
		io.WriteString(w, "a document\n")
	})
	files := ftpSite(t)
	uris := []string{page + "/one", page + "/one", page + "/two", page + "/chunked", files + "/pub/a.txt", files + "/pub/a.txt"}
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	capture(t, name, nil, nil, uris...)
	all := records(t, name)
	if got := types(all); got != "warcinfo response request revisit request revisit request revisit request resource metadata revisit metadata" {
		t.Fatalf("got %v, want \"warcinfo response request revisit request revisit request revisit request resource metadata revisit metadata\"", got)
	}
	for _, i := range []int{3, 5, 7, 11} {
		f, first := all[i].Fields, all[1]
		if i == 11 {
			first = all[9] // readers would show the head of an HTTP response as a part of the file
		}
		if f.Get("WARC-Refers-To") != first.ID() || f.Get("WARC-Refers-To-Target-URI") != first.Target() ||
			f.Get("WARC-Refers-To-Date") != first.Fields.Get("WARC-Date") ||
			f.Get("WARC-Profile") != "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest" ||
			strings.Contains(all[i].block, "a document") {
			t.Errorf("got %v %q, want a revisit of %s", f, all[i].block, first.ID())
		}
	}
	c := readerOf(t, name)
	defer c.Close()
	for _, u := range uris {
		if got, err := read(c, u); got != "a document\n" || err != nil {
			t.Errorf("%s: got %q, %v; want %q", u, got, err, "a document\n")
		}
	}
}

func TestRotation(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path+strings.Repeat(".", 3000)) })
	dir := t.TempDir()
	name := filepath.Join(dir, "a.warc")
	var uris []string
	for i := range 10 {
		uris = append(uris, fmt.Sprintf("%s/%d", page, i))
	}
	for range 2 { // the second continues after the first
		capture(t, name, &warc.Options{Size: 8000, Index: true}, nil, uris...)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "a-*.warc"))
	if len(files) != 10 || filepath.Base(files[9]) != "a-00009.warc" {
		t.Fatalf("got %v, want len(files) 10 and filepath.Base(files[9]) \"a-00009.warc\"", files)
	}
	for _, f := range files {
		all := records(t, f)
		if got := types(all); got != "warcinfo response request response request" &&
			got != "warcinfo response request response request response request" {
			t.Errorf("%s: got %s, want two or three exchanges", f, got)
		}
		for _, r := range all[1:] {
			if r.Fields.Get("WARC-Warcinfo-ID") != all[0].ID() {
				t.Errorf("%s: got %v, want r.Fields.Get(\"WARC-Warcinfo-ID\") %v", f, r.Fields, all[0].ID())
			}
		}
		index, err := os.ReadFile(strings.TrimSuffix(f, ".warc") + ".cdxj")
		lines := strings.Split(strings.TrimSuffix(string(index), "\n"), "\n")
		if err != nil || len(lines) < 2 || !slices.IsSorted(lines) {
			t.Errorf("%s: got %q, %v; want two or more sorted lines", f, lines, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+warc.Unfinished)); left != nil {
		t.Errorf("got %v, want left nil", left)
	}
}

// With many concurrent captures, the records of each stay together.
func TestConcurrent(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path+strings.Repeat("x", 20000)) })
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w, c := recorderOf(t, name, nil)
	defer c.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				if _, err := read(c, fmt.Sprintf("%s/%d-%d", page, i, j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	finish(t, w)
	all := records(t, name)
	for i := 1; i < len(all); i += 2 {
		if all[i+1].Fields.Get("WARC-Concurrent-To") != all[i].ID() || !strings.Contains(all[i].block,
			strings.TrimPrefix(all[i].Target(), page)) {
			t.Errorf("got %v, want the request of %s", all[i].Fields, all[i].ID())
		}
	}
	if len(all) != 161 {
		t.Errorf("got %v, want len(all) 161", len(all))
	}
}

// An existing index belongs to another archive; so do the file numbers that it uses.
func TestIndexIsNotReplaced(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a page") })
	dir := t.TempDir()
	other := filepath.Join(dir, "a.cdxj")
	write(t, other, []byte("another's"))
	if _, err := warc.Create(filepath.Join(dir, "a.warc.gz"), &warc.Options{Index: true}); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("beside another's index: got %v, want ErrLocal", err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("got %v, want len(names) 1", names)
	}
	capture(t, filepath.Join(dir, "a.warc.gz"), nil, nil, page+"/") // without an index
	capture(t, filepath.Join(dir, "a.warc.gz"), &warc.Options{Index: true, Replace: true}, nil, page+"/")
	if b, _ := os.ReadFile(other); !bytes.Contains(b, []byte(page)) {
		t.Errorf("got %q, want an index with %s", b, page)
	}
	write(t, filepath.Join(dir, "a-00000.cdxj"), []byte("another's"))
	capture(t, filepath.Join(dir, "a.warc.gz"), &warc.Options{Index: true, Size: 1}, nil, page+"/")
	if b, _ := os.ReadFile(filepath.Join(dir, "a-00000.cdxj")); string(b) != "another's" {
		t.Errorf("got %q, want \"another's\"", b)
	}
}

// skipIfEmulated skips a test if only go test -exec can run its program.
func skipIfEmulated(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("this machine cannot run the test's own program: %v", err)
	}
}
