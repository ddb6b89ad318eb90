//go:build unix

package warc_test

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
)

// BenchmarkRetrieval measures what an archive adds to saving a list of documents into a directory, eight at a time, as -Z does: the same
// list in turn without and with an archive, with the server in another process. "ratio" is this process's user and system time with the
// archive divided by that without. All documents differ, so that none is a revisit. The minimum for any archive is "digests", two for each
// document, and "copy", a second write of the same bytes: both as shares of the retrieval without an archive.
func BenchmarkRetrieval(b *testing.B) {
	server := otherProcess(b)
	for _, list := range []struct {
		name          string
		size, howMany int
	}{
		{"2KiB", 2 << 10, 400},
		{"64KiB", 64 << 10, 100},
		{"64MiB", 64 << 20, 1},
	} {
		for _, form := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
			b.Run(list.name+"/"+form, func(b *testing.B) {
				var plain, archived, digests, copies time.Duration
				next := 0
				for b.Loop() {
					plain += retrieve(b, server, list.size, list.howMany, &next, "")
					archived += retrieve(b, server, list.size, list.howMany, &next, form)
					d, c := floor(b, list.size, list.howMany)
					digests, copies = digests+d, copies+c
				}
				docs := float64(b.N * list.howMany)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(plain.Nanoseconds())/docs, "plain-ns/doc")
				b.ReportMetric(float64(archived.Nanoseconds())/docs, "archived-ns/doc")
				b.ReportMetric(float64(archived)/float64(plain), "ratio")
				b.ReportMetric(float64(digests)/float64(plain), "digests")
				b.ReportMetric(float64(copies)/float64(plain), "copy")
			})
		}
	}
}

// floor returns the processor time needed to digest documents as an archive does, and to write them into one file.
func floor(b *testing.B, size, howMany int) (digests, copies time.Duration) {
	p := make([]byte, min(size, 64<<10))
	before := processorTime()
	for range howMany {
		for _, h := range []hash.Hash{sha1.New(), sha256.New()} {
			for n := 0; n < size; n += len(p) {
				h.Write(p)
			}
			h.Sum(nil)
		}
	}
	digests = processorTime() - before
	f, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	before = processorTime()
	w := bufio.NewWriterSize(f, 64<<10)
	for n := 0; n < size*howMany; n += len(p) {
		w.Write(p)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return digests, processorTime() - before
}

// retrieve saves documents and returns the processor time.
func retrieve(b *testing.B, server string, size, howMany int, next *int, form string) time.Duration {
	dir := b.TempDir()
	defer os.RemoveAll(dir)
	to, err := save.OpenDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	var list strings.Builder
	for range howMany {
		fmt.Fprintf(&list, "%s/%d/%d.txt\n", server, size, *next)
		*next++
	}
	before := processorTime()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	var w *warc.Writer
	if form != "" {
		if w, err = warc.Create(filepath.Join(dir, form), &warc.Options{Wait: 100 * time.Millisecond}); err != nil {
			b.Fatal(err)
		}
		c.Recorder = warc.NewRecorder(w)
	}
	items := batch.List(strings.NewReader(list.String()), nil)
	sum, err := batch.Run(b.Context(), items, batch.Files(c, nil, &save.Options{Dir: to}), nil)
	if err != nil || sum.Done != int64(howMany) {
		b.Fatalf("%+v, %v", sum, err)
	}
	if w != nil {
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return processorTime() - before
}

func processorTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// isServer in the environment makes the test binary a server of texts until its standard input ends.
const isServer = "WARC_IS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(isServer) != "" {
		serve()
		return
	}
	fetchtest.Overlap()
	m.Run()
}

// otherProcess starts the server and returns its URI.
func otherProcess(b *testing.B) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), isServer+"=yes")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(line)
}

// serve responds to /SIZE/N.txt with SIZE bytes: N and this package's source from an offset that depends on N.
func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	text := sources()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var size, n int
		fmt.Sscanf(r.URL.Path, "/%d/%d.txt", &size, &n)
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.Header().Set("Content-Type", "text/plain;charset=utf-8")
		from := n * 2039 % len(text)
		head, _ := fmt.Fprintf(w, "%011d\n", n)
		for size -= head; size > 0; from = 0 {
			piece := text[from:min(len(text), from+size)]
			io.WriteString(w, piece)
			size -= len(piece)
		}
	}))
	fmt.Println(l.Addr())
	io.Copy(io.Discard, os.Stdin)
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
