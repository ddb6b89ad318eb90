package testservers

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/fetchtest/loopback"
)

// Show writes what the servers and their clients send to w, from now on, in the notation of package dialogue, without passwords. schemes decode
// binary protocols. A number after C, S and * tells concurrent connections apart; datagrams have 0.
func Show(list []Running, schemes fetch.Registry, w io.Writer) {
	d := &display{w: w, secrets: newPatterns()}
	for _, r := range list {
		s, _ := schemes.Lookup(r.Scheme)
		r.watch(&shown{display: d, scheme: r.Scheme, decode: s.Decode})
	}
}

// A display is where all conversations are written.
type display struct {
	secrets *patterns

	mu   sync.Mutex
	w    io.Writer
	used []bool // numbers of connections, from 1
	peer string // the sender or receiver of the last datagram
}

// number returns the lowest free number of a connection. Caller holds mu.
func (d *display) number() int {
	for i, used := range d.used {
		if !used {
			d.used[i] = true
			return i + 1
		}
	}
	d.used = append(d.used, true)
	return len(d.used)
}

// event writes an event or a remark. Caller holds mu.
func (d *display) event(conn int, m dialogue.Mark, format string, args ...any) {
	s := dialogue.Script{Lines: []dialogue.Line{{Dir: '*', Conn: conn, Mark: m, Arg: fmt.Sprintf(format, args...)}}}
	io.WriteString(d.w, s.String())
}

// words writes a frame in words. Caller holds mu.
func (d *display) words(dir byte, conn int, words string) {
	number := ""
	if conn != 1 {
		number = strconv.Itoa(conn)
	}
	fmt.Fprintf(d.w, "%c%s: %s\n", dir, number, words)
}

// A shown is the Watcher of one server.
type shown struct {
	*display
	scheme string
	decode decoder // nil if the protocol is not binary
}

// A decoder is a fetch.Scheme's Decode.
type decoder = func(fetch.Frame) (words string, length int)

// Connection implements loopback.Watcher.
func (s *shown) Connection(c net.Conn, dialed bool) loopback.Watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &talk{shown: s, number: s.number(), masker: masker{patterns: s.secrets, protocol: s.scheme}}
	t.sides = map[byte]*side{'C': {most: maxClientRows}, 'S': {most: maxServerRows}}
	if dialed {
		s.event(t.number, dialogue.Connected, "from %s", c.LocalAddr())
	} else {
		s.event(t.number, dialogue.Connected, "to %s", c.LocalAddr())
	}
	s.event(t.number, dialogue.Remark, "%s, client %s", s.scheme, c.RemoteAddr())
	return t
}

// Datagram implements loopback.Watcher.
func (s *shown) Datagram(client net.Addr, dir byte, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if peer := s.scheme + ", client " + client.String(); peer != s.peer {
		s.event(0, dialogue.Remark, "%s", peer)
		s.peer = peer
	}
	var list []string
	if s.decode != nil {
		list = new(fetch.Framer).Decode(func(f fetch.Frame) (string, int) {
			f.Datagram = true
			words, _ := s.decode(f)
			return words, len(f.Data)
		}, dir, p)
	}
	if len(list) == 0 { // it may contain a community in another place
		s.event(0, dialogue.Remark, "%c: a datagram of %d bytes that is not %s", dir, len(p), s.scheme)
	}
	for _, words := range list {
		s.words(dir, 0, words)
	}
}
