package mirror_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.org/deref/fetch/mirror"
)

// TestMemory: only the tables of offsets grow with the number of documents, by less than 200 bytes for each. The manifest also keeps up to
// 2 MiB of records that it has read. (By hand, with 100,000 files over ftp: 39 MiB in total.)
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	few, many := heldAtEnd(t, 10), heldAtEnd(t, 60)
	t.Logf("%d KiB at the end of 1,011 documents, %d KiB at that of 6,061", few>>10, many>>10)
	if grown, most := int64(many)-int64(few), int64(2<<20+200*5050); grown > most {
		t.Errorf("got %d KiB more in use at the end of 6,061 documents than at that of 1,011, want at most %d", grown>>10, most>>10)
	}
}

// heldAtEnd mirrors directories of 100 documents, and returns the least memory that is in use while the last of them are saved: before, running
// requests use much more.
func heldAtEnd(t *testing.T, dirs int) uint64 {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, kind := 0, "text/plain"
		switch {
		case r.URL.Path == "/":
			n, kind = dirs, "text/html"
		case strings.HasSuffix(r.URL.Path, "/"):
			n, kind = 100, "text/html"
		}
		w.Header().Set("Content-Type", kind)
		for i := range n {
			fmt.Fprintf(w, `<a href="%d%s">x</a>`, i, strings.Repeat("/", 1-min(1, strings.Count(r.URL.Path, "/")-1)))
		}
		io.WriteString(w, r.URL.Path)
	}))
	defer s.Close()
	want, count, least := 1+dirs*101, 0, uint64(math.MaxUint64)
	sum := run(t, s.URL+"/", t.TempDir(), &mirror.Options{IgnoreRobots: true, Done: func(e mirror.Event) {
		if count++; count > want-10 {
			least = min(least, held())
		}
	}})
	if sum.Saved != int64(want) || count != want {
		t.Fatalf("got %+v, %d events; want %d", sum, count, want)
	}
	return least
}

// held returns the size of the heap.
func held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
