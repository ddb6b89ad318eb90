package warc_test

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// longDocuments serves text or noise, with its length, chunked or to the end, and returns URIs of such documents.
func longDocuments(t *testing.T) (uris []string) {
	text := []byte(strings.Repeat(sources(), 1+(1<<20)/len(sources())))
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
	sizes := []int{warc.InMemory - 300, warc.InMemory, warc.InMemory + 1, 1 << 20}
	if testing.Short() {
		sizes = sizes[2:3]
	}
	for _, path := range []string{"/sized", "/chunked"} {
		for _, n := range sizes {
			uris = append(uris, fmt.Sprintf("%s%s?n=%d", page, path, n))
		}
	}
	const head = "HTTP/1.1 200 OK\r\nSet-Cookie: name=secret\r\n"
	long := warc.InMemory + 1
	chunk := fmt.Sprintf("%sTransfer-Encoding:\r\n chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, long, text[1:1+long]) // folded
	return append(uris, page+"/noise?n=1000000", raw(t, head+"\r\n"+string(text[:long]))+"/", raw(t, chunk)+"/")
}

// Long documents that arrive at the same time are archived with their digests and replayed completely, whatever their length, their framing and their
// kind. Nothing is left of the files through which they pass.
func TestLongDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	uris := longDocuments(t)
	for form, o := range map[string]*warc.Options{".warc": {HideCookies: true}, ".warc.gz": {}, ".warc.zst": {}} {
		if testing.Short() && form != ".warc" {
			continue
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "a"+form)
		want := archiveAtOnce(t, name, o, uris)
		if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
			t.Errorf("got %v, %v; want the archive alone", left, err)
		}
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
			sum := base32.StdEncoding.EncodeToString(sum1(want[slices.Index(uris, r.Target())]))
			if got := r.Fields.Get("WARC-Payload-Digest"); got != "sha1:"+sum {
				t.Errorf("%s, %s: got the digest %s, want that of the document", form, r.Target(), got)
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

// sources returns ordinary text.
func sources() string {
	var all strings.Builder
	names, _ := filepath.Glob("*.go")
	for _, name := range names {
		b, _ := os.ReadFile(name)
		all.Write(b)
	}
	return all.String()
}

// Writers that begin at the same moment: with a size all get files of their own, and without one a single writer gets the file. The others report
// that it is in use, never that its writer was killed.
func TestSimultaneousWriters(t *testing.T) {
	const writers = 8
	rounds := 100
	if testing.Short() {
		rounds = 5
	}
	for _, o := range []warc.Options{{}, {Size: 1 << 20}} {
		dir := t.TempDir()
		for round := range rounds {
			name := filepath.Join(dir, fmt.Sprint(round)+".warc")
			var all sync.WaitGroup
			var ws [writers]*warc.Writer
			var errs [writers]error
			begin := make(chan struct{})
			for i := range writers {
				all.Go(func() {
					<-begin
					ws[i], errs[i] = warc.Create(name, &o)
				})
			}
			close(begin)
			all.Wait()
			got := 0
			for i, w := range ws {
				if errs[i] == nil {
					got++
					finish(t, w)
				} else if text := errs[i].Error(); text != name+warc.Unfinished+" is in use by another process" {
					t.Errorf("size %d, round %d: got %q, want that it is in use", o.Size, round, text)
				}
			}
			if names, _ := filepath.Glob(filepath.Join(dir, fmt.Sprint(round)+`[.\-]*warc`)); len(names) != got {
				t.Errorf("size %d, round %d: got the files %v of %d writers", o.Size, round, names, got)
			}
			if want := map[bool]int{false: 1, true: writers}[o.Size > 0]; got != want {
				t.Fatalf("size %d, round %d: got %d writers, want %d", o.Size, round, got, want)
			}
		}
	}
}

// An empty file of a process that was killed before its first record holds nothing that could be lost.
func TestEmptyFileIsTaken(t *testing.T) {
	for what, o := range map[string]warc.Options{"new": {}, "replace": {Replace: true}, "resume": {Resume: true}, "append": {Append: true}} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a.warc")
			write(t, name+warc.Unfinished, nil)
			w, err := warc.Create(name, &o)
			if err != nil {
				t.Fatalf("got %v, want a writer", err)
			}
			if _, err := warc.Create(name, &o); fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("a second writer: got %v, want local", err)
			}
			finish(t, w)
			if _, err := os.Stat(name + warc.Unfinished); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want no %s", err, filepath.Base(name+warc.Unfinished))
			}
		})
	}
}
