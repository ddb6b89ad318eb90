package ldap

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"

	"example.org/deref/fetch"
)

// A guard stands between the connection and the library, whose reader takes whatever length and depth a server announces. It lets
// through one whole message at a time, and only while a request is open: the library's goroutine must not wait on the connection,
// against its deadline, while the caller is still busy with what came before.
type guard struct {
	*fetch.Conn
	most, deep int // octets of a message, and its nesting; negative for no limit

	in      *bufio.Reader // of Conn
	message []byte        // what is left of the message that is being let through
	heard   bool          // some message has come
	idle    int           // octets since the last entry that bring nothing

	mu     sync.Mutex
	opened sync.Cond
	id     uint64 // of the open request, 0 for none
	reads  bool   // the library's goroutine is reading from Conn
	final  byte   // the operation that ended the last request, 0 while it is open
	closed bool
	err    error // why nothing more comes
}

func newGuard(c *fetch.Conn, l fetch.Limits) *guard {
	g := &guard{Conn: c, most: l.Reply, deep: l.Nesting, in: bufio.NewReader(c)}
	g.opened.L = &g.mu
	return g
}

// Write opens a request. What the library writes at once is one message, and none that changes anything.
func (g *guard) Write(p []byte) (int, error) {
	m, err := parseMessage(p)
	if err != nil {
		return 0, err
	}
	switch _, _, rest, _ := element(p); {
	case len(rest) > 0:
		return 0, fetch.Errorf(fetch.ErrProtocol, "the LDAP library would send more than one message")
	case !slices.Contains([]byte{opBind, opUnbind, opSearch, opAbandon, opRequest}, m.op):
		return 0, fetch.Errorf(fetch.ErrProtocol, "the LDAP library would send an operation that is not planned: %#x", m.op)
	}
	g.mu.Lock()
	g.id, g.final = m.id, 0
	g.mu.Unlock()
	g.opened.Broadcast()
	n, err := g.Conn.Write(p)
	return n, g.fail(err)
}

func (g *guard) Read(p []byte) (int, error) {
	if n := g.deliver(p); n > 0 {
		return n, nil
	}
	if err := g.wait(); err != nil {
		return 0, err
	}
	if err := g.next(); err != nil {
		return 0, g.fail(err)
	}
	return g.deliver(p), nil
}

// deliver passes on what is left of the message in hand.
func (g *guard) deliver(p []byte) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := copy(p, g.message)
	g.message = g.message[n:]
	return n
}

// wait returns when an answer is due.
func (g *guard) wait() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		switch {
		case g.err != nil:
			return g.err
		case g.closed:
			return net.ErrClosed
		case g.id != 0 && g.final == 0:
			g.reads = true
			return nil
		}
		g.opened.Wait()
	}
}

// fail keeps the first error: the library makes texts of them.
func (g *guard) fail(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && g.err == nil && !g.closed {
		g.err = err
	}
	return err
}

// failure is why nothing more comes, nil if nothing is known.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// answered is the operation that has ended the last request, 0 if it is open.
func (g *guard) answered() byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.final
}

// anew begins another request on the same connection.
func (g *guard) anew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard = g.final == opBindDone // in answer to this request, by whoever opened the connection for it
}

// atRest reports whether nothing is open, and nothing came that was not asked for.
func (g *guard) atRest() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.final == opSearchDone && !g.reads && g.err == nil && !g.closed && len(g.message) == 0 && g.in.Buffered() == 0
}

// Close ends the reader too, wherever it waits.
func (g *guard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.opened.Broadcast()
	return g.Conn.Close()
}

// next reads a message and judges it before the library does.
func (g *guard) next() error {
	b, err := g.read()
	if err != nil {
		return err
	}
	m, err := parseMessage(b)
	if err != nil {
		return err
	}
	left := newBudget(g.most)
	if err := left.take(b, g.deep); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reads = false
	switch {
	case m.id == 0 && m.op == opExtended: // RFC 4511 section 4.4.1: notice of disconnection
		return fetch.Errorf(fetch.ErrUnavailable, "the server says that it disconnects")
	case m.id != g.id:
		return fetch.Errorf(fetch.ErrProtocol, "an answer to message %d, where %d was asked", m.id, g.id)
	case m.op == opBindDone, m.op == opSearchDone, m.op == opExtended:
		g.final = m.op
	case m.op == opEntry, m.op == opReference:
		g.idle = 0
	default: // RFC 4511 section 4.13: intermediate responses, of which the caller sees nothing
		if g.idle += len(b); g.most >= 0 && g.idle > g.most {
			return fetch.Errorf(fetch.ErrLimit, "the server sends more than %d octets that were not asked for", g.most)
		}
	}
	g.message, g.heard = b, true
	return nil
}

// read reads LDAPMessage: a sequence of definite length (RFC 4511 sections 4.1.1 and 5.1).
func (g *guard) read() ([]byte, error) {
	if g.heard {
		g.BeginPart()
	} else {
		g.BeginReply()
	}
	defer g.BeginBody()
	var b bytes.Buffer
	if err := g.take(&b, 2); err != nil {
		return nil, err
	}
	switch head := b.Bytes(); {
	case head[0] != tagSequence:
		return nil, fetch.Errorf(fetch.ErrProtocol, "the server does not speak LDAP")
	case head[1] < 0x80:
		err := g.take(&b, int64(head[1]))
		return b.Bytes(), err
	case head[1] == 0x80 || head[1] > 0x84:
		return nil, fetch.Errorf(fetch.ErrProtocol, "a message without a length, or with one of %d octets", head[1]&0x7f)
	}
	n := int(b.Bytes()[1] & 0x7f)
	if err := g.take(&b, int64(n)); err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(append(make([]byte, 4-n, 8), b.Bytes()[2:]...)))
	if g.most >= 0 && length > int64(g.most) {
		return nil, fetch.Errorf(fetch.ErrLimit, "a message of %d octets, where %d are allowed", length, g.most)
	}
	err := g.take(&b, length)
	return b.Bytes(), err
}

// take reads n octets; memory grows as they come, not as they are announced.
func (g *guard) take(b *bytes.Buffer, n int64) error {
	_, err := io.CopyN(b, g.in, n)
	return err
}
