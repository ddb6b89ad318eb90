//go:build unix

package warc_test

import (
	"encoding/binary"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// Memory does not grow with the number of documents, apart from some bytes for the digest of each, up to a limit.
func TestMemoryOfManyDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("records 30,000 documents")
	}
	page := web(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 100)) })
	c := fetch.New(handlers()...)
	defer c.Close()
	var recorded eventRecorder
	c.Recorder = &recorded
	if _, err := read(c, page+"/"+strings.Repeat("long", 50)); err != nil {
		t.Fatal(err)
	}
	body := recorded.events[len(recorded.events)-1].Data
	w, err := warc.Create(filepath.Join(t.TempDir(), "a.warc"), &warc.Options{Index: true, Wait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	r := warc.NewRecorder(w)
	var n uint64
	heap := func(documents uint64) int64 {
		for ; n < documents; n++ {
			binary.BigEndian.PutUint64(body[len(body)-8:], n)
			a := r.Begin(recorded.plan)
			for _, e := range recorded.events {
				a.Trace(e)
			}
			a.Opened(recorded.doc)
			a.End(nil)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	few := heap(2000)
	many := heap(30000)
	if got, want := many-few, int64(5<<20); got > want {
		t.Errorf("28,000 documents more: got %d bytes more, want at most %d", got, want)
	}
	finish(t, w)
}
