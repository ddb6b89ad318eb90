//go:build unix

package warc_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// BenchmarkRetrieval is what an archive adds to a retrieval over a kept connection: cpu-ns/op is of the whole process, the server included.
// A document of its own each time, so that none is a revisit.
func BenchmarkRetrieval(b *testing.B) {
	for _, size := range []int{2 << 10, 256 << 10} {
		page := strings.Repeat("What is spoken today is RFC 959. ", size/33)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.RawQuery+page) }))
		defer s.Close()
		for _, form := range []string{"none", "a.warc", "a.warc.gz", "a.warc.zst"} {
			b.Run(byteCount(size)+"/"+form, func(b *testing.B) { benchmark(b, s.URL, form) })
		}
	}
}

func byteCount(n int) string {
	if n < 4<<10 {
		return "2KiB"
	}
	return "256KiB"
}

func benchmark(b *testing.B, server, form string) {
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	if form != "none" {
		w, err := warc.Create(filepath.Join(b.TempDir(), form), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer w.Close()
		c.Witness = warc.NewRecorder(w)
	}
	b.ReportAllocs()
	before := processorTime()
	for b.Loop() {
		d, err := c.Get(b.Context(), uri.MustParse(server+"/?"+strconv.FormatInt(time.Now().UnixNano(), 10)), nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, d.Body); err != nil {
			b.Fatal(err)
		}
		d.Body.Close()
	}
	b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
}

func processorTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
