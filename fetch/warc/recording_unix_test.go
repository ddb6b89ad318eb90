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
	"example.org/deref/uri"
)

// An eventRecorder is a Recorder that keeps the events of a retrieval.
type eventRecorder struct {
	plan   *fetch.Plan
	events []fetch.Event
	doc    *fetch.Document
}

func (r *eventRecorder) Begin(p *fetch.Plan) fetch.Recording { *r = eventRecorder{plan: p}; return r }
func (r *eventRecorder) Opened(d *fetch.Document)            { r.doc = d }
func (r *eventRecorder) Octets([]byte)                       {}
func (r *eventRecorder) End(error)                           {}
func (r *eventRecorder) Trace(e fetch.Event) {
	e.Data = append([]byte(nil), e.Data...)
	r.events = append(r.events, e)
}

// BenchmarkRecording measures the archive's part of retrieving 2 KiB of text: it records the same events again and again, without a
// network. All documents differ.
func BenchmarkRecording(b *testing.B) {
	text := []byte(sources()[:2<<10])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Tue, 20 Dec 1994 12:00:00 GMT")
		w.Header().Set("ETag", `"2ef6ca40-800"`)
		w.Write(text)
	}))
	defer s.Close()
	c := fetch.New(handlers()...)
	defer c.Close()
	var recorded eventRecorder
	c.Recorder = &recorded
	for range 2 { // the second over a reused connection
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
			body := recorded.events[len(recorded.events)-1].Data
			var n uint64
			b.ReportAllocs()
			before := processorTime()
			for b.Loop() {
				n++
				binary.BigEndian.PutUint64(body, n)
				a := r.Begin(recorded.plan)
				for _, e := range recorded.events {
					a.Trace(e)
				}
				a.Opened(recorded.doc)
				a.End(nil)
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}
