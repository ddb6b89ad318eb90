package mirror_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
)

// TestCountsOfAResumedRun: with the copies of earlier Runs, the Summary of a Run that continues an interrupted one counts each document once. An
// interrupted one is durable, so it is not bound to this start of the system.
func TestCountsOfAResumedRun(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	for i := range 29 {
		pages["/"] += fmt.Sprintf(`<a href="%d.txt">x</a>`, i)
		pages[fmt.Sprintf("/%d.txt", i)] = fmt.Sprint("text ", i)
	}
	root, dir, before := newWeb(t, pages).root+"/", t.TempDir(), int64(0)
	for run := range 4 { // all are interrupted but the last
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		o := &mirror.Options{Batch: batch.Options{Parallel: 1}, NoIndex: true, Done: func(mirror.Event) {
			if n++; n == 4 && run < 3 {
				cancel()
			}
		}}
		sum, err := mirror.Run(ctx, client(t), uri.MustParse(root), dir, o)
		cancel()
		if sum.Failed > 0 || (err == nil) != (run == 3) || sum.Resumed != (run > 0) {
			t.Fatalf("run %d: got %v, %+v", run, err, sum)
		}
		wanted, _ := os.ReadFile(filepath.Join(dir, ".deref", "pass", "wanted.json"))
		if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil && bytes.Contains(wanted, bytes.TrimSpace(boot)) {
			t.Errorf("run %d: got %s, want no start of the system", run, wanted)
		}
		if sum.Earlier+sum.Unchanged != before || run > 0 && sum.Earlier == 0 {
			t.Errorf("run %d: got %+v, want %d documents that were saved before", run, sum, before)
		}
		before += sum.Saved
	}
	if before != 30 {
		t.Errorf("got %d documents saved in total, want 30", before)
	}
	if sum := run(t, root, dir, nil); sum.Resumed || sum.Earlier != 0 || sum.Unchanged != 30 {
		t.Errorf("the next pass: got %+v, want 30 unchanged", sum)
	}
}

// TestEveryEntryIsReported: an entry of a listing that cannot be mirrored is reported with the reason.
func TestEveryEntryIsReported(t *testing.T) {
	t.Parallel()
	h := newHole(t)
	host, port, _ := net.SplitHostPort(h.addr)
	h.set(1, 1, "iwelcome\t\t"+host+"\t"+port+"\r\n7find\t/find\t"+host+"\t"+port+"\r\n8chat\t\t"+host+"\t23\r\nnot a line\r\n.\r\n")
	var got []string
	o := &mirror.Options{NoIndex: true, Done: func(e mirror.Event) {
		if e.Did == mirror.LeftOut {
			got = append(got, e.URI.String()+" "+e.Why)
		}
	}}
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(h.root()), t.TempDir(), o)
	if err != nil || sum.Failed > 0 {
		t.Fatalf("got %v, %+v", err, sum)
	}
	want := []string{"gopher://" + h.addr + "/7/find a search", "telnet://" + host + "/ a session", h.root() + ` not a document: "not a line"`}
	if !slices.Equal(got, want) || sum.LeftOut != 3 {
		t.Errorf("got %q, %d; want %q", got, sum.LeftOut, want)
	}
}

// TestSuspect: web pages in place of other documents are reported, whether links still refer to them or only a probe finds them.
func TestSuspect(t *testing.T) {
	const index = `<a href=a.txt>a</a> <a href=b>b</a> <a href=c.html>c</a>`
	portal, linked := false, true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.URL.Path == "/" && linked:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, index)
		case portal || r.URL.Path == "/c.html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>log in</html>")
		default:
			w.Header().Set("Content-Type", "application/x-thing")
			fmt.Fprint(w, "thing")
		}
	}))
	defer s.Close()
	for _, tt := range []struct {
		name           string
		portal, linked bool
		want           []string
	}{
		{"as always", false, true, nil},
		{"portal", true, true, []string{"/a.txt saved", "/b saved"}},
		{"portal, no links", true, false, []string{"/a.txt kept", "/b kept"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			portal, linked = false, true
			dir := t.TempDir()
			run(t, s.URL+"/", dir, nil)
			portal, linked = tt.portal, tt.linked
			var got []string
			sum := run(t, s.URL+"/", dir, &mirror.Options{Delete: true, Done: func(e mirror.Event) {
				if e.Suspect != "" {
					got = append(got, fmt.Sprintf("%s %s", e.URI.Path(), e.Did))
				}
			}})
			slices.Sort(got)
			if !slices.Equal(got, tt.want) || sum.Suspect != int64(len(tt.want)) {
				t.Errorf("got %q, %d suspect; want %q", got, sum.Suspect, tt.want)
			}
		})
	}
}

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
	c := connected(t, func(w http.ResponseWriter, r *http.Request) {
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
	})
	want, count, least := 1+dirs*101, 0, uint64(math.MaxUint64)
	o := &mirror.Options{IgnoreRobots: true, KeepLinks: true, NoIndex: true, Done: func(e mirror.Event) {
		if count++; count > want-10 {
			least = min(least, held())
		}
	}}
	sum, _ := mirror.Run(t.Context(), c, uri.MustParse("http://h.example/"), t.TempDir(), o)
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
