package warc_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch/warc"
)

// longDocuments serves text or noise, with its length or chunked, and returns URIs of such documents.
func longDocuments(t *testing.T) (uris []string) {
	text := []byte(strings.Repeat(sources(), 8))
	noise := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		body := append([]byte(r.URL.String()+"\n"), text[:n]...)
		if r.URL.Path == "/noise" {
			body = noise[:n]
		}
		if r.URL.Path != "/chunked" {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.Header().Set("Set-Cookie", "name=secret")
		w.WriteHeader(103) // an interim response, which the record leaves out
		w.Write(body)
	})
	sizes := []int{warc.InMemory - 300, warc.InMemory, warc.InMemory + 1, warc.InMemory + warc.GzipPieceSize + 5, 3 << 20}
	if testing.Short() {
		sizes = sizes[3:4]
	}
	for _, path := range []string{"/sized", "/chunked"} {
		for _, n := range sizes {
			uris = append(uris, fmt.Sprintf("%s%s?n=%d", page, path, n))
		}
	}
	return append(uris, page+"/noise?n=1000000")
}

// Long documents that arrive at the same time are archived and replayed completely, whatever their length, their coding and their kind:
// compressed by one core, by several, or not at all.
func TestLongDocumentsAtOnce(t *testing.T) {
	long(t, "compresses long documents")
	uris := longDocuments(t)
	for _, o := range []*warc.Options{{}, {HideCookies: true}} {
		name := filepath.Join(t.TempDir(), "a.warc.gz")
		want := archiveAtOnce(t, name, o, uris)
		checked(t, name)
		c := readerOf(t, name)
		defer c.Close()
		for i, u := range uris {
			if got, err := read(c, u); got != want[i] || err != nil {
				t.Errorf("%s: got %d bytes, %v; want %d bytes", u, len(got), err, len(want[i]))
			}
		}
		for _, r := range records(t, name) {
			if r.Type() != warc.Response {
				continue
			}
			if got, want := strings.Contains(r.block[:300], "name=secret"), !o.HideCookies; got != want {
				t.Errorf("hidden cookies %t: got a cookie %t", o.HideCookies, got)
			}
		}
	}
}

// archiveAtOnce archives documents at the same time, and returns them.
func archiveAtOnce(t *testing.T, name string, o *warc.Options, uris []string) []string {
	t.Helper()
	w, c := recorderOf(t, name, o)
	defer c.Close()
	got := make([]string, len(uris))
	var wg sync.WaitGroup
	for i, u := range uris {
		wg.Go(func() {
			var err error
			if got[i], err = read(c, u); err != nil {
				t.Errorf("%s: got %v", u, err)
			}
		})
	}
	wg.Wait()
	finish(t, w)
	return got
}
