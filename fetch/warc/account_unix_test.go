//go:build unix

package warc_test

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// A tape is a Recorder that keeps what it is told of a retrieval.
type tape struct {
	plan   *fetch.Plan
	events []fetch.Event
	doc    *fetch.Document
}

func (r *tape) Begin(p *fetch.Plan) fetch.Recording { *r = tape{plan: p}; return r }
func (r *tape) Opened(d *fetch.Document)            { r.doc = d }
func (r *tape) Octets([]byte)                       {}
func (r *tape) End(error)                           {}
func (r *tape) Trace(e fetch.Event) {
	e.Data = append([]byte(nil), e.Data...)
	r.events = append(r.events, e)
}

// BenchmarkAccount is the archive's part of a retrieval of 2 KiB of text alone: what is told of it is told again and again, without a network.
// Each document is another one.
func BenchmarkAccount(b *testing.B) {
	text := []byte(sources()[:2<<10])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Tue, 20 Dec 1994 12:00:00 GMT")
		w.Header().Set("ETag", `"2ef6ca40-800"`)
		w.Write(text)
	}))
	defer s.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	var told tape
	c.Recorder = &told
	for range 2 { // the second over a kept connection
		d, err := c.Get(b.Context(), uri.MustParse(s.URL+"/"), nil)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, d.Body)
		d.Body.Close()
	}
	for _, form := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
		b.Run(form, func(b *testing.B) {
			w, err := warc.Create(filepath.Join(b.TempDir(), form), &warc.Options{Wait: 100 * time.Millisecond})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			r := warc.NewRecorder(w)
			body := told.events[len(told.events)-1].Data
			var n uint64
			b.ReportAllocs()
			before := processorTime()
			for b.Loop() {
				n++
				binary.BigEndian.PutUint64(body, n)
				a := r.Begin(told.plan)
				for _, e := range told.events {
					a.Trace(e)
				}
				a.Opened(told.doc)
				a.End(nil)
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}
