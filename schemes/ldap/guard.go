package ldap

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
)

// A guard is between the connection and the library, whose reader accepts any length and depth. It passes on one complete message at a time,
// and only while a request is open. Otherwise the library's goroutine would wait on the connection, against its deadline, while the caller is
// still busy with earlier entries.
type guard struct {
	*fetch.Conn
	most, deep int // bytes of a message, and its nesting; negative for no limit

	in      *bufio.Reader // of Conn
	message []byte        // the unread rest of the current message
	heard   bool          // some message was received
	env     *fetch.Env    // of the request
	idle    int           // bytes without an entry since the last entry

	mu     sync.Mutex
	opened sync.Cond
	id     int64 // of the open request, 0 for none
	reads  bool  // the library's goroutine is reading from Conn
	final  byte  // the operation that ended the last request, 0 while it is open
	closed bool
	err    error // that ended the connection
}

func newGuard(c *fetch.Conn, env *fetch.Env) *guard {
	l := env.Limits()
	g := &guard{Conn: c, env: env, most: l.Reply, deep: l.Nesting, in: bufio.NewReader(c)}
	g.opened.L = &g.mu
	return g
}

// Write sends a message and opens its request. It accepts one message per call, and only operations that change nothing. The request is open
// once it is sent: a reader that began before would wait for a greeting, which LDAP does not have.
func (g *guard) Write(p []byte) (int, error) {
	m, err := parseMessage(p)
	if err != nil {
		return 0, err
	}
	if !slices.Contains([]byte{opBind, opUnbind, opSearch, opAbandon, opRequest}, m.op) {
		return 0, fetch.Errorf(fetch.ErrProtocol, "the LDAP library would send an operation that is not planned: %#x", m.op)
	}
	n, err := g.Conn.Write(p)
	g.fail(err)
	g.mu.Lock()
	if err == nil {
		g.id, g.final = m.id, 0
	}
	g.mu.Unlock()
	g.opened.Broadcast()
	return n, err
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

// deliver copies the rest of the current message.
func (g *guard) deliver(p []byte) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := copy(p, g.message)
	g.message = g.message[n:]
	return n
}

// wait blocks until a request is open.
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

// fail records the first error, because the library converts errors to text.
func (g *guard) fail(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && g.err == nil && !g.closed {
		g.err = err
	}
	return err
}

// failure returns the error that ended the connection, nil if there is none.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// answered returns the operation that ended the last request, 0 if the request is open.
func (g *guard) answered() byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.final
}

// restart begins another request on the same connection.
func (g *guard) restart(env *fetch.Env) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.env = env
	g.heard = g.final == opBindDone // the bind was part of this request
}

// atRest reports whether no request is open and nothing unexpected was received.
func (g *guard) atRest() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.final == opSearchDone && !g.reads && g.err == nil && !g.closed && len(g.message) == 0 && g.in.Buffered() == 0
}

// Close also ends a blocked Read.
func (g *guard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.opened.Broadcast()
	return g.Conn.Close()
}

// next reads a message and checks it before the library parses it.
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
	if err := left.spend(b, g.deep); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reads = false
	switch {
	case m.id == 0 && m.op == opExtended: // RFC 4511 section 4.4.1: notice of disconnection
		return fetch.Errorf(fetch.ErrUnavailable, "the server sent a notice of disconnection")
	case m.id != g.id:
		return fetch.Errorf(fetch.ErrProtocol, "a response to message %d instead of %d", m.id, g.id)
	case m.op == opBindDone, m.op == opSearchDone, m.op == opExtended:
		g.final = m.op
	case m.op == opEntry, m.op == opReference:
		g.idle = 0
	default: // RFC 4511 section 4.13: intermediate responses, which the caller does not see
		g.env.Deviates("RFC 4511 section 4.13", "a response", "an operation (%#x) that was not requested", m.op)
		if g.idle += len(b); g.most >= 0 && g.idle > g.most {
			return fetch.Errorf(fetch.ErrLimit, "the server sent more than %d bytes without an entry", g.most)
		}
	}
	g.message, g.heard = b, true
	return nil
}

// read reads an LDAPMessage: a sequence of definite length (RFC 4511 sections 4.1.1 and 5.1).
func (g *guard) read() ([]byte, error) {
	if g.heard {
		g.BeginPart()
	} else {
		g.BeginReply()
	}
	defer g.BeginBody()
	var b bytes.Buffer
	e, ok := frames.Element{}, true
	for ok && e.Size == 0 { // its length has not arrived
		if err := g.take(&b, 1); err != nil {
			return nil, err
		}
		e, _, ok = frames.Next(b.Bytes())
	}
	switch {
	case !ok || e.Tag != frames.Sequence:
		return nil, fetch.Errorf(fetch.ErrProtocol, "the response is not LDAP")
	case g.most >= 0 && e.Size > g.most:
		return nil, fetch.Errorf(fetch.ErrLimit, "a message of %d bytes is longer than the limit of %d", e.Size, g.most)
	}
	err := g.take(&b, e.Size-b.Len())
	return b.Bytes(), err
}

// take reads n bytes. Memory grows with the bytes received, not with the announced length.
func (g *guard) take(b *bytes.Buffer, n int) error {
	_, err := io.CopyN(b, g.in, int64(n))
	return err
}
