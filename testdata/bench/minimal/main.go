// Command minimal is what deref is measured against: the least that a Go program does to fetch many documents over http or gopher with the
// promises that deref makes. It is no tool: it knows neither redirects nor transfer codings.
//
//	minimal LIST DIR
//
// A document must be complete; it gets its name only then, and never replaces a file. A name cannot leave the directory. A peer that sends
// nothing times out. The length of a head and of a document is bounded. The address of a server is checked before connecting. One URI that
// fails does not stop the others.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"example.org/deref/uri"
)

const (
	parallel = 8
	idle     = 30 * time.Second
	most     = 64 << 10 // of a head with its document
)

func main() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		fatal(err)
	}
	dir, err := os.Open(os.Args[2])
	if err != nil {
		fatal(err)
	}
	work, failed := make(chan uri.URI, 100), make(chan bool, 1)
	var workers sync.WaitGroup
	for n := range parallel {
		w := &worker{dir: int(dir.Fd()), temp: ".minimal-" + strconv.Itoa(n), buf: make([]byte, most)}
		workers.Go(func() {
			for u := range work {
				if err := w.fetch(u); err != nil {
					fmt.Fprintln(os.Stderr, "minimal:", u, err)
					select {
					case failed <- true:
					default:
					}
				}
			}
		})
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		u, err := uri.Parse(lines.Text())
		if err != nil {
			fatal(err)
		}
		work <- u
	}
	close(work)
	workers.Wait()
	runtime.KeepAlive(dir)
	if len(failed) > 0 {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "minimal:", err)
	os.Exit(1)
}

// A worker fetches one document after the other over its connection.
type worker struct {
	dir      int
	temp     string
	conn     net.Conn
	server   string // that conn is connected to; empty if it cannot be used again
	deadline time.Time
	buf, out []byte
}

func (w *worker) fetch(u uri.URI) error {
	body, err := w.document(u)
	if err != nil {
		return err
	}
	name := path.Base("/" + string(u.Path()))
	if name == "/" || name == "." || name == ".." || strings.ContainsAny(name, "\x00") {
		return fmt.Errorf("no file name")
	}
	fd, err := unix.Openat(w.dir, w.temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return err
	}
	n, err := unix.Write(fd, body)
	if cerr := unix.Close(fd); err == nil && n == len(body) {
		err = cerr
	}
	if err == nil {
		err = unix.Renameat2(w.dir, w.temp, w.dir, name, unix.RENAME_NOREPLACE)
	}
	if err != nil {
		unix.Unlinkat(w.dir, w.temp, 0)
	}
	return err
}

// document returns the body of a response. A kept connection that the server has closed is replaced once.
func (w *worker) document(u uri.URI) (body []byte, err error) {
	server := net.JoinHostPort(u.Hostname(), u.Port())
	kept := w.server == server && w.conn != nil
	for {
		if !kept {
			if err := w.connect(server); err != nil {
				return nil, err
			}
		}
		if u.Scheme() == "gopher" {
			body, err = w.gopher(u)
		} else {
			body, err = w.http(u, server)
		}
		if err == nil || !kept {
			return body, err
		}
		kept = false
	}
}

func (w *worker) connect(server string) (err error) {
	if w.conn != nil {
		w.conn.Close()
	}
	d := net.Dialer{Timeout: idle, Control: func(_, addr string, _ syscall.RawConn) error {
		if ap, err := netip.ParseAddrPort(addr); err != nil || ap.Addr().IsMulticast() {
			return fmt.Errorf("address not allowed: %s", addr)
		}
		return nil
	}}
	w.deadline = time.Time{}
	w.conn, err = d.Dial("tcp", server)
	w.server = server
	return err
}

// read appends what arrives to the n bytes in the buffer.
func (w *worker) read(n int) (int, error) {
	if n == len(w.buf) {
		return n, fmt.Errorf("too long")
	}
	if now := time.Now(); w.deadline.Sub(now) < idle/2 {
		w.deadline = now.Add(idle)
		w.conn.SetDeadline(w.deadline)
	}
	m, err := w.conn.Read(w.buf[n:])
	return n + m, err
}

func (w *worker) gopher(u uri.URI) ([]byte, error) {
	w.out = append(append(w.out[:0], u.Path()[2:]...), '\r', '\n')
	if _, err := w.conn.Write(w.out); err != nil {
		return nil, err
	}
	w.server = ""
	for n := 0; ; {
		var err error
		if n, err = w.read(n); err == io.EOF {
			return w.buf[:n], nil
		} else if err != nil {
			return nil, err
		}
	}
}

func (w *worker) http(u uri.URI, server string) ([]byte, error) {
	w.out = fmt.Appendf(w.out[:0], "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: minimal\r\nAccept: */*\r\n\r\n", u.Path(), server)
	if _, err := w.conn.Write(w.out); err != nil {
		return nil, err
	}
	n, end := 0, -1
	for end < 0 {
		var err error
		if n, err = w.read(n); err != nil {
			return nil, err
		}
		end = bytes.Index(w.buf[:n], []byte("\r\n\r\n"))
	}
	head, size := w.buf[:end], -1
	status, fields, _ := bytes.Cut(head, []byte("\r\n"))
	for line := range bytes.SplitSeq(fields, []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case bytes.EqualFold(name, []byte("Content-Length")):
			size, _ = strconv.Atoi(string(value))
		case bytes.EqualFold(name, []byte("Connection")) && bytes.EqualFold(value, []byte("close")):
			w.server = ""
		}
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200")) || size < 0 {
		return nil, fmt.Errorf("got %q", status)
	}
	for end += 4; n < end+size; {
		var err error
		if n, err = w.read(n); err != nil {
			return nil, err
		}
	}
	return w.buf[end : end+size], nil
}
