package main

import (
	"io"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// A server that sends without end, from any point of the conversation on, makes the Client use less than 64 MiB (promise 6).
func TestPromise6EverySchemeIsBounded(t *testing.T) { // not parallel: it counts the memory of the process
	if testing.Short() {
		t.Skip("it takes most of a minute")
	}
	const most = 64 << 20
	endless := []string{"x", "220-go on\r\n", "\x00", "((", "\x30\x84\x7f\xff\xff\xff", "Name: value\r\n", "drwx------ 2 0 0 9 Jan 1 1970 x\r\n"}
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, _ []byte) {
		total := wholeOf(t, newClient, u)
		attempt := func(words string, at int64) {
			c := newClient()
			defer c.Close()
			c.Timeouts = brief()
			c.Timeouts.Total = 4 * time.Second // long enough to grow, next to the other attempts
			c.Limits.Document = 8 << 20
			meddle(c, at, repeats(words))
			d, err := c.Get(t.Context(), u, nil)
			if err == nil {
				io.Copy(io.Discard, d.Body)
			}
			if d != nil {
				d.Body.Close()
			}
		}
		// The attempts of a scheme run at the same time, and together use no more.
		peak := peakOf(func() {
			var wg sync.WaitGroup
			for _, words := range endless {
				for _, at := range points(total, 4) {
					wg.Go(func() { attempt(words, at) })
				}
			}
			wg.Wait()
		})
		if peak > most {
			t.Errorf("got %d MiB, want at most %d", peak>>20, most>>20)
		}
	})
}

// peakOf returns by how much the heap grows, at most, while f runs. What other tests hold lets it grow by a tenth only before it is collected, not by
// as much again.
func peakOf(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, m.HeapAlloc
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak - before
		case <-tick.C:
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
}

// endless is a directory with one long file. It counts the bytes that are read. Each read returns lines.
type endless struct {
	dir  fstest.MapFS // not embedded: its ReadFile would read nothing
	read atomic.Int64
}

const endlessSize = 256 << 20

func (e *endless) Open(name string) (fs.File, error) {
	f, err := e.dir.Open(name)
	if err != nil || name != "big.txt" {
		return f, err
	}
	return &endlessFile{f, e, 0}, nil
}

// endlessFile is the long file.
type endlessFile struct {
	fs.File
	e  *endless
	at int64
}

type endlessInfo struct{ fs.FileInfo }

func (endlessInfo) Size() int64 { return endlessSize }

func (f *endlessFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return endlessInfo{info}, err
}

func (f *endlessFile) Read(p []byte) (int, error) {
	if f.at >= endlessSize {
		return 0, io.EOF
	}
	const line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n"
	n := copy(p, line[f.at%int64(len(line)):])
	for n < len(p) {
		n += copy(p[n:], line)
	}
	f.at += int64(n)
	f.e.read.Add(int64(n))
	return n, nil
}

func (f *endlessFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		f.at = offset
	case io.SeekCurrent:
		f.at += offset
	case io.SeekEnd:
		f.at = endlessSize + offset
	}
	return f.at, nil
}

// The servers of `deref serve` read a document no faster than their client does: a client that requests a long document and does not
// read it uses no memory on the server.
func TestPromise6ServersHoldNoDocuments(t *testing.T) {
	const most = 64 << 20 // the system's buffers, and the text that a search reads
	for _, l := range testservers.Servers() {
		paths := map[string]string{"http": "/big.txt", "ftp": "/big.txt", "gopher": "/9/big.txt", "gemini": "/big.txt", "spartan": "/big.txt",
			"nex": "/big.txt", "finger": "/big.txt", "whois": "/big.txt",
			"cso": "/alias=big.txt%20return%20text", "dict": "/d:big", "ldap": "/cn=big.txt,o=site?data???x-value", "prospero": "/CONTENTS/big.txt",
			"snmp": "//1", "telnet": "/", "rlogin": "/", "wais": "/site?line", "imap": "/INBOX", "news": "/*"}
		path, ok := paths[l.Scheme]
		if !ok {
			continue
		}
		t.Run(l.Scheme, func(t *testing.T) {
			t.Parallel()
			site := &endless{dir: fstest.MapFS{"big.txt": {Mode: 0o644, ModTime: time.Unix(1e9, 0)}}}
			s, err := l.Start(site, "")
			if err != nil {
				t.Skip(err) // this server has no documents
			}
			c := fetch.New(schemes.All(nil)...)
			testservers.Join(c, []testservers.Running{{Server: l, Service: s}})
			c.Timeouts.Total = 20 * time.Second
			d, err := c.Get(t.Context(), uri.MustParse(strings.TrimSuffix(s.URL, "/")+path), nil)
			if err == nil {
				io.CopyN(io.Discard, d.Body, 1000)
				d.Body.Close()
			}
			c.Close()
			s.Stop() // waits until the server has stopped reading
			if n := site.read.Load(); n > most {
				t.Errorf("the server read %d bytes, want at most %d: the client read 1000 (%v)", n, most, err)
			}
		})
	}
}
