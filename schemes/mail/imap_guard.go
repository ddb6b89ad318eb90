package mail

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// A guard is the net.Conn of the library. It reads along and enforces the bounds that the library lacks: nesting, bytes outside the
// requested literal, and deadlines. It lets the library's reader wait for the server only while a command is unanswered, so that an idle
// session reads nothing.
type guard struct {
	net.Conn                        // *fetch.Conn
	out                   io.Writer // of Conn, for commands that outgoing has checked
	outgoing              outgoing
	idle                  time.Duration
	beginReply, beginBody func()
	maxUnrequested        int // bytes outside large literals that may arrive after allow
	nesting               int

	mu       sync.Mutex
	changed  sync.Cond
	ready    []byte // bytes for the library, initially a greeting, because handshake has read the real one
	held     []byte // the beginning of a tagged response
	pending  int    // commands without their tagged response
	callers  int    // goroutines that wait for the library
	ctx      context.Context
	env      *fetch.Env  // of that request; nil in tests without one
	stall    *time.Timer // runs while callers wait although no command is unanswered
	closed   bool
	err      error     // what ended the connection
	bye      string    // the text of BYE
	swap     [2]string // the text that replace searches, and its replacement
	caps     string    // the code "[CAPABILITY ...]" of the greeting
	loginTag string    // the tag of a login without its response

	left    int   // of maxUnrequested
	large   int   // literals that may be larger than left
	literal int64 // bytes of the current literal that are still to come
	isLarge bool  // the current literal is one of the large ones
	line    scanner
	last    byte             // outside literals
	order   searchOrderCheck // since allow
}

func newGuard(c *fetch.Conn, env *fetch.Env, greeting string) *guard {
	l := env.Limits()
	g := &guard{
		Conn: c, out: c.Unchecked(), idle: env.Timeouts().Idle, beginReply: c.BeginReply, beginBody: c.BeginBody,
		maxUnrequested: l.Reply, left: l.Reply, nesting: l.Nesting, ready: []byte(greeting),
	}
	g.changed.L = &g.mu
	if i, j := strings.IndexByte(greeting, '['), strings.IndexByte(greeting, ']'); i >= 0 && i < j {
		g.caps = greeting[i : j+1]
	}
	return g
}

// Read waits until a command is unanswered. It passes on the line of a tagged response only as a whole.
//
// QUIRK: the library ends a command once it has read "T1 OK", although the line may never end.
func (g *guard) Read(p []byte) (int, error) {
	for {
		if n := g.deliver(p); n > 0 {
			return n, nil
		}
		if err := g.wait(); err != nil {
			return 0, err
		}
		n, err := g.Conn.Read(p)
		if err = g.received(p[:n], err); err != nil && len(g.ready) == 0 {
			return 0, err
		}
	}
}

// deliver copies bytes that the library may see.
func (g *guard) deliver(p []byte) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := copy(p, g.ready)
	g.ready = g.ready[n:]
	return n
}

// wait returns when a command is unanswered, or when nothing will arrive any more.
func (g *guard) wait() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.pending == 0 && !g.closed && g.err == nil {
		if g.callers > 0 && g.ctx.Err() != nil {
			g.err = g.ctx.Err()
			break
		}
		g.watchStall()
		g.changed.Wait()
	}
	g.stall = nil
	if g.err == nil && g.closed {
		return net.ErrClosed
	}
	return g.err
}

// watchStall ends a wait without an unanswered command: the library and the guard can differ about where a response ends, and no deadline
// of the connection bounds that wait. A deadline that does comes first.
func (g *guard) watchStall() {
	if g.callers == 0 || g.stall != nil || g.idle <= 0 {
		return
	}
	var t *time.Timer
	t = time.AfterFunc(2*g.idle, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.stall == t && g.callers > 0 && g.err == nil {
			g.err = fetch.Errorf(fetch.ErrProtocol, "the response does not end where it should")
			g.changed.Broadcast()
		}
	})
	g.stall = t
}

// call runs f, which waits for the library. The wait ends with the context of the request, too.
func (g *guard) call(f func() error) error {
	g.mu.Lock()
	g.callers++
	stop := context.AfterFunc(g.ctx, g.wake)
	g.changed.Broadcast()
	g.mu.Unlock()
	defer func() {
		stop()
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.callers--; g.callers == 0 {
			g.stall = nil
		}
	}()
	return f()
}

func (g *guard) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changed.Broadcast()
}

// serve sets the context of the request that the next calls belong to.
func (g *guard) serve(ctx context.Context, env *fetch.Env) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ctx, g.env = ctx, env
}

// received inspects bytes from the server, and makes them ready for the library.
func (g *guard) received(p []byte, err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if seen := g.inspect(p); seen != nil {
		p, err = nil, seen
	}
	if err != nil && g.err == nil {
		g.err = err
	}
	g.ready = append(append(g.ready[:0], g.held...), p...)
	g.held = g.held[:0]
	if n := len(g.ready) - g.line.size; g.line.tagged() && n >= 0 {
		g.held = append(g.held, g.ready[n:]...)
		g.ready = g.ready[:n]
	}
	g.addCapabilities()
	return err
}

// Write counts the commands, and sends only commands that outgoing accepts.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	n := len(p)
	if g.swap[0] != "" {
		p = bytes.Replace(p, []byte(g.swap[0]), []byte(g.swap[1]), 1)
	}
	p = reorderItems(p)
	if err := g.outgoing.next(p); err != nil {
		g.mu.Unlock()
		g.fail(err)
		return 0, err
	}
	if tag, ok := tagOf(p); ok {
		if rest := p[len(tag):]; bytes.HasPrefix(rest, []byte(" LOGIN ")) || bytes.HasPrefix(rest, []byte(" AUTHENTICATE ")) {
			g.loginTag = tag
		}
		if g.pending == 0 {
			g.beginReply()
		}
		g.pending++
		g.changed.Broadcast()
	}
	g.mu.Unlock()
	if _, err := g.out.Write(p); err != nil {
		g.fail(err)
		return 0, err
	}
	return n, nil
}

// Close also wakes the library's reader.
func (g *guard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.changed.Broadcast()
	g.mu.Unlock()
	return g.Conn.Close()
}

// SetReadDeadline and SetWriteDeadline do nothing: the library's fixed deadlines are shorter than Timeouts may be.
func (g *guard) SetReadDeadline(time.Time) error  { return nil }
func (g *guard) SetWriteDeadline(time.Time) error { return nil }

func (g *guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
}

// state returns the text of BYE, and what ended the connection.
func (g *guard) state() (bye string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bye, g.err
}

// allow resets the number of unrequested bytes, and permits a number of large literals. The bytes before were requested.
func (g *guard) allow(large int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.large, g.order = g.maxUnrequested, large, searchOrderCheck{}
	if g.literal == 0 || !g.isLarge {
		g.beginReply()
	}
}

// replace replaces words in the next commands, for arguments that the library cannot send.
func (g *guard) replace(old, new string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.swap = [2]string{old, new}
}
