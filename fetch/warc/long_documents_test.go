package warc_test

import (
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
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
	sizes := []int{warc.InMemory - 300, warc.InMemory, warc.InMemory + 1, 3 << 20}
	if testing.Short() {
		sizes = sizes[2:3]
	}
	for _, path := range []string{"/sized", "/chunked"} {
		for _, n := range sizes {
			uris = append(uris, fmt.Sprintf("%s%s?n=%d", page, path, n))
		}
	}
	return append(uris, page+"/noise?n=1000000")
}

// Long documents that arrive at the same time are archived and replayed completely, whatever their length, their coding and their kind.
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

// The digests of long responses are correct. Compressible and
// incompressible payloads are both read back.
func TestDigestsOfLongDocuments(t *testing.T) {
	long(t, "its documents are long")
	dense := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(dense)
	text := make([]byte, len(dense))
	for i := range text {
		text[i] = "What is spoken today is RFC 959.\n"[i%33]
	}
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(text))
	chunk := fmt.Sprintf("Transfer-Encoding:\r\n chunked\r\n\r\n%x\r\n", len(text)) // folded
	for what, answer := range map[string]string{
		"with a length":           "HTTP/1.1 200 OK\r\n" + length + "%s",
		"to the end":              "HTTP/1.1 200 OK\r\n\r\n%s",
		"in chunks":               "HTTP/1.1 200 OK\r\n" + chunk + "%s\r\n0\r\n\r\n",
		"after an interim answer": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n" + length + "%s",
	} {
		for i, body := range [][]byte{text, dense} {
			page := raw(t, fmt.Sprintf(answer, body)) + "/"
			sum := sha1.Sum(body)
			for _, form := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
				name := filepath.Join(t.TempDir(), form)
				capture(t, name, nil, nil, page)
				all := records(t, name)
				if got := all[1].Fields.Get("WARC-Payload-Digest"); got != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) || len(all) != 3 {
					t.Errorf("%s, %d, %s: got %s %v, want 3 records and the digest of the text", what, i, form, types(all), all[1].Fields)
				}
				checked(t, name)
			}
		}
	}
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
		rounds = 20
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
