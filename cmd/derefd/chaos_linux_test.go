package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
	"example.org/deref/fetch/warc"
)

const chaosHosts = 40

// A burrow is gopher servers whose menus form a tree. It knows workers by the addresses of their connections.
type burrow struct {
	pages  int // of each host
	hosts  []string
	visits hubtest.Visits
}

func newBurrow(t *testing.T, pages int) *burrow {
	t.Helper()
	b := &burrow{pages: pages}
	for range chaosHosts {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		host := l.Addr().String()
		b.hosts = append(b.hosts, host)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go b.serve(host, c)
			}
		}()
	}
	return b
}

// isMenu, isMissing and uri define page n of a host.
func (b *burrow) isMenu(n int) bool    { return 3*n+1 < b.pages }
func (b *burrow) isMissing(n int) bool { return !b.isMenu(n) && n%50 == 0 }
func (b *burrow) uri(host string, n int) string {
	kind := "0"
	if b.isMenu(n) {
		kind = "1"
	}
	return fmt.Sprintf("gopher://%s/%s/%d", host, kind, n)
}

func (b *burrow) serve(host string, c net.Conn) {
	defer c.Close()
	worker, _, _ := net.SplitHostPort(c.RemoteAddr().String())
	defer b.visits.Begin(host, worker)()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	n, err := strconv.Atoi(strings.Trim(line, "/\r\n"))
	if err != nil {
		return
	}
	loopback.Pause(40 * time.Millisecond)
	name, port, _ := net.SplitHostPort(host)
	switch {
	case b.isMissing(n):
		fmt.Fprintf(c, "3no such page\t\terror.host\t1\r\n.\r\n")
	case b.isMenu(n):
		for link := 3*n + 1; link <= 3*n+3 && link < b.pages; link++ {
			kind := "0"
			if b.isMenu(link) {
				kind = "1"
			}
			fmt.Fprintf(c, "%spage %d\t/%d\t%s\t%s\r\n", kind, link, link, name, port)
		}
		fmt.Fprintf(c, ".\r\n")
	case n%10 == 0:
		fmt.Fprintf(c, "a document that several hosts have %d\r\n.\r\n", n)
	default:
		fmt.Fprintf(c, "document %d of %s\r\n.\r\n", n, host)
	}
}

// Every URI has one result, and one line in the index of the archives, although everything fails at random:
// DEREF_HUB_URIS=200000 go test ./cmd/derefd -run TestChaos -v -count 1 -timeout 0
func TestChaos(t *testing.T) {
	uris, err := strconv.Atoi(os.Getenv("DEREF_HUB_URIS"))
	if err != nil {
		t.Skip("DEREF_HUB_URIS is the number of URIs")
	}
	b := newBurrow(t, uris/chaosHosts)
	job := jobOf(t, "task = \"archive\"\ndepth = 30\npartitions = 64\nper-host = 2\narchive-size = 10000000\n")
	addr, dir := loopback.Reserve(t), t.TempDir()
	derefdProcess := func(from string, args ...string) *hubtest.Process {
		return hubtest.Start(t, []string{"DEREFD_TEST=1", "DEREFD_TEST_FROM=" + from}, args...)
	}
	startHub := func() *hubtest.Process { return derefdProcess("", "hub", "--listen", addr, "--data", dir) }
	c := &hubtest.Chaos{Hub: startHub(), StartHub: startHub}
	var near string
	c.Relay, near = hubtest.Network(t, addr)
	from := func(worker string) string { return "127.1.0." + strings.TrimPrefix(worker, "w") }
	c.StartWorker = func(name string) *hubtest.Process {
		return derefdProcess(from(name), "work", job, "--hub", "nats://"+near, "--name", name, "--log")
	}
	if c.Conn, err = hub.Dial("nats://"+addr, nats.Timeout(time.Minute)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Conn.Close)
	f, err := readJob(job)
	if err != nil {
		t.Fatal(err)
	}
	o := f.options()
	o.Lease = 6 * time.Second
	if c.Job, err = hub.Create(t.Context(), c.Conn, f.name, o); err != nil {
		t.Fatal(err)
	}
	var seeds []string
	for _, host := range b.hosts {
		seeds = append(seeds, b.uri(host, 0))
	}
	if n, err := addAll(c.Job, batch.List(strings.NewReader(strings.Join(seeds, "\n")), nil)); n != chaosHosts || err != nil {
		t.Fatalf("got %d, %v, want %d URIs", n, err, chaosHosts)
	}
	if err := c.Job.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Run(t)
	t.Logf("%d late writes rejected; %v", c.Late, c.Counts)
	excused := map[string]bool{}
	for name := range c.Frozen {
		excused[from(name)] = true
	}
	clashes := b.visits.Check(t, excused)
	b.checkResults(t, c.Job)
	out, _ := derefd(t, 0, "index", job, "--hub", "nats://"+addr)
	t.Log(strings.TrimSpace(out))
	lines := b.checkIndex(t, filepath.Join(f.Data, f.name+".cdxj"))
	records := recordsIn(t, f.archives())
	var path string
	var indexed, archives, abandoned int
	if _, err := fmt.Sscanf(out, "%s %d lines of %d archives; %d abandoned", &path, &indexed, &archives, &abandoned); err != nil || indexed != lines || indexed+abandoned != records {
		t.Errorf("got %q, %v, want %d lines, and the rest of %d records", out, err, lines, records)
	}
	s, err := c.Job.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d URIs: %d requests, %d moments with a frozen worker and another one at a host, %.0f bytes of log per URI", lines, b.visits.Total(), clashes,
		float64(s.Stored)/float64(lines))
}

// checkResults checks that each page has one result.
func (b *burrow) checkResults(t *testing.T, j *hub.Job) {
	t.Helper()
	list := map[string]int{}
	if err := j.Results(t.Context(), func(r *hub.Result) error {
		list[r.URI]++
		if r.Error != "" && r.Error != fetch.ErrNotFound {
			t.Errorf("%s: got %s: %s", r.URI, r.Error, r.Text)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.checkOnce(t, "results", list)
}

// checkOnce checks that each page has one of what is in a list of URIs, and nothing else is in it.
func (b *burrow) checkOnce(t *testing.T, what string, list map[string]int) {
	t.Helper()
	for _, host := range b.hosts {
		for n := range b.pages {
			u := b.uri(host, n)
			if list[u] != 1 {
				t.Errorf("%s: got %d %s, want 1", u, list[u], what)
			}
			delete(list, u)
		}
	}
	if len(list) > 0 {
		t.Errorf("got %s of %d other URIs, want none", what, len(list))
	}
}

// checkIndex checks that each page has one line, and returns the number of lines.
func (b *burrow) checkIndex(t *testing.T, name string) (lines int) {
	t.Helper()
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	list := map[string]int{}
	all := bufio.NewScanner(in)
	for all.Scan() {
		var is struct{ URL string }
		_, text, _ := strings.Cut(all.Text(), "{")
		if err := json.Unmarshal([]byte("{"+text), &is); err != nil {
			t.Fatalf("%s: %v", all.Text(), err)
		}
		list[strings.TrimPrefix(is.URL, "urn:dialogue:")]++
		lines++
	}
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
	b.checkOnce(t, "lines in the index", list)
	return lines
}

// recordsIn returns how many records of documents and failures are in archives. The last one of a killed worker may be incomplete, and is not counted.
func recordsIn(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := archivesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		in, err := os.Open(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		r := warc.NewReader(in)
		last := 0
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				if err != io.EOF {
					n -= last
				}
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file.Path, err)
			}
			last = 0
			switch rec.Type() {
			case warc.Response, warc.Resource, warc.Revisit:
				last = 1
			case warc.Metadata: // of a document, or of a failure
				if rec.Fields.Get("WARC-Concurrent-To") == "" {
					last = 1
				}
			}
			n += last
		}
		r.Close()
		in.Close()
	}
	return n
}
