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
	"slices"
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
)

// BenchmarkRetrieval measures what an archive adds to saving a list of documents into a directory, eight at a time, as -Z does. Its
// measure is the least that any program does that digests what it archives: the same retrieval with a Recorder that computes two digests of
// all bytes and keeps nothing. Each round runs both, one after the other, with the server in another process. "wall" and "cpu" are the
// medians of the rounds' ratios, and "least-wall" is the ratio of the shortest times, which another program disturbs less; "plain-wall" is the ratio to a retrieval without any Recorder, which lets the system move the bytes.
// All documents differ, so that none is a revisit.
//
// With wget installed, "wget-wall" and "wget-cpu" are its ratios in the same rounds: with --warc-file, compressed unless it is .warc,
// and without.
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
				next := 0
				var archived, plain, wget ratios
				for b.Loop() {
					docs := documents{server, list.size, list.howMany, &next}
					least := docs.retrieve(b, minimum)
					with := docs.retrieve(b, archiving(form))
					archived.add(with, least)
					plain.add(with, docs.retrieve(b, nil))
					if with, without, ok := docs.byWget(b, form); ok {
						wget.add(with, without)
					}
				}
				b.ReportMetric(0, "ns/op")
				archived.report(b, "")
				plain.report(b, "plain-")
				wget.report(b, "wget-")
			})
		}
	}
}

// A cost is what a retrieval took.
type cost struct{ wall, processor time.Duration }

// ratios compares pairs of costs.
type ratios struct{ a, b []cost }

func (r *ratios) add(a, b cost) { r.a, r.b = append(r.a, a), append(r.b, b) }

// report reports the medians of the ratios.
func (r *ratios) report(b *testing.B, name string) {
	if len(r.a) == 0 {
		return
	}
	var walls, processors []float64
	leastA, leastB := r.a[0].wall, r.b[0].wall
	for i := range r.a {
		walls = append(walls, float64(r.a[i].wall)/float64(r.b[i].wall))
		processors = append(processors, float64(r.a[i].processor)/float64(r.b[i].processor))
		leastA, leastB = min(leastA, r.a[i].wall), min(leastB, r.b[i].wall)
	}
	slices.Sort(walls)
	slices.Sort(processors)
	b.ReportMetric(walls[len(walls)/2], name+"wall")
	b.ReportMetric(processors[len(processors)/2], name+"cpu")
	b.ReportMetric(float64(leastA)/float64(leastB), name+"least-wall")
}

// documents are the next documents of the server.
type documents struct {
	server        string
	size, howMany int
	next          *int
}

func (d documents) list() string {
	var list strings.Builder
	for range d.howMany {
		fmt.Fprintf(&list, "%s/%d/%d.txt\n", d.server, d.size, *d.next)
		*d.next++
	}
	return list.String()
}

// retrieve saves documents. record returns the Recorder and what completes its archive.
func (d documents) retrieve(b *testing.B, record func(b *testing.B, dir string) (fetch.Recorder, io.Closer)) cost {
	dir := b.TempDir()
	defer os.RemoveAll(dir)
	to, err := save.OpenDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	list := d.list()
	begin, before := time.Now(), processorTime()
	c := fetch.New(handlers()...)
	defer c.Close()
	var archive io.Closer
	if record != nil {
		c.Recorder, archive = record(b, dir)
	}
	sum, err := batch.Run(b.Context(), batch.List(strings.NewReader(list), nil), batch.Files(c, nil, &save.Options{Dir: to}), nil)
	if err != nil || sum.Done != int64(d.howMany) {
		b.Fatalf("%+v, %v", sum, err)
	}
	if archive != nil {
		if err := archive.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return cost{time.Since(begin), processorTime() - before}
}

// archiving returns a function that starts an archive.
func archiving(form string) func(b *testing.B, dir string) (fetch.Recorder, io.Closer) {
	return func(b *testing.B, dir string) (fetch.Recorder, io.Closer) {
		w, err := warc.Create(filepath.Join(dir, form), &warc.Options{Wait: 100 * time.Millisecond})
		if err != nil {
			b.Fatal(err)
		}
		return warc.NewRecorder(w), w
	}
}

// minimum returns a Recorder that digests everything, and keeps nothing.
func minimum(*testing.B, string) (fetch.Recorder, io.Closer) { return digester{}, nil }

type digester struct{}

func (digester) Begin(*fetch.Plan) fetch.Recording {
	return &digests{[]hash.Hash{sha1.New(), sha256.New()}}
}

type digests struct{ all []hash.Hash }

func (d *digests) Trace(fetch.Event)      {}
func (d *digests) Opened(*fetch.Document) {}
func (d *digests) Octets(p []byte) {
	for _, h := range d.all {
		h.Write(p)
	}
}

func (d *digests) End(error) {
	for _, h := range d.all {
		h.Sum(nil)
	}
}

// byWget saves documents with wget, with and without an archive. ok is false if it is not installed.
func (d documents) byWget(b *testing.B, form string) (with, without cost, ok bool) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		return with, without, false
	}
	run := func(args ...string) cost {
		dir := b.TempDir()
		defer os.RemoveAll(dir)
		cmd := exec.Command(wget, append(args, "-q", "--no-proxy", "-i", "-")...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(d.list())
		begin := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		return cost{time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	}
	archive := []string{"--warc-file=a"}
	if form == "a.warc" {
		archive = append(archive, "--no-warc-compression")
	}
	return run(archive...), run(), true
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
