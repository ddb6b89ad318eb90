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

// TestMemory: memory does not grow with the number of documents. (By hand, with 100,000 files over ftp: 39 MiB in total.)
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const dirs = 60
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
	early, late := uint64(0), uint64(math.MaxUint64)
	count := 0
	sum := run(t, s.URL+"/", t.TempDir(), &mirror.Options{IgnoreRobots: true, Done: func(e mirror.Event) {
		count++
		switch last := dirs * 100; { // running requests also use memory, so several moments are measured
		case count >= 500 && count <= 600 && count%20 == 0:
			early = max(early, held())
		case count > last-100 && count <= last && count%20 == 0:
			late = min(late, held())
		}
	}})
	if sum.Saved != int64(1+dirs*101) || early == 0 {
		t.Fatalf("got %+v, %d events; want Saved %v and non-zero early", sum, count, int64(1+dirs*101))
	}
	if grown := int64(late) - int64(early); grown > 2<<20 {
		t.Errorf("%d KiB more in use after %d documents than after 500", grown>>10, count)
	}
	t.Logf("%d documents: %d KiB after 500 of them, %d KiB towards the end", sum.Saved, early>>10, late>>10)
}

// held returns the size of the heap.
func held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
