package mail

import (
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// guard stands between the library and the connection. It reads along, and keeps the bounds that the library has not: nesting, octets
// outside the literal that was asked for, and deadlines. It lets the library's reader wait for the server only while a command is
// unanswered, so that an idle session reads nothing.
type guard struct {
	net.Conn           // *fetch.Conn
	out      io.Writer // of Conn, for what has passed said
	said     outgoing
	idle     time.Duration
	turn     func()
	stream   func()
	most     int // octets outside large literals that may come before grant
	nesting  int

	mu      sync.Mutex
	awake   sync.Cond
	ready   []byte // for the library; at first a greeting: the true one was heard before it
	held    []byte // the beginning of a tagged reply
	pending int    // commands without their tagged reply
	callers int    // who wait for what the library makes of what has come
	ctx     context.Context
	late    *time.Timer // while the library waits although nothing is unanswered, and somebody waits for the library
	shut    bool
	err     error  // what ended the connection
	bye     string // the server's last words
	swap    [2]string
	caps    string // the code "[CAPABILITY ...]" of the greeting
	logs    string // the tag of a login without its reply

	left   int   // of most
	large  int   // literals that may be larger than left
	inside int64 // octets of the literal that are still to come
	big    bool  // it is one of the large ones
	line   scanner
	order  order // since grant
}

func newGuard(c *fetch.Conn, env *fetch.Env, greeting string) *guard {
	l := env.Limits()
	g := &guard{Conn: c, out: c.Unchecked(), idle: env.Timeouts().Idle, turn: c.BeginReply, stream: c.BeginBody, most: l.Reply, nesting: l.Nesting, ready: []byte(greeting)}
	g.awake.L = &g.mu
	if i, j := strings.IndexByte(greeting, '['), strings.IndexByte(greeting, ']'); i >= 0 && i < j {
		g.caps = greeting[i : j+1]
	}
	g.left = g.most
	return g
}

// Read waits until there is something to wait for. Of a tagged reply it gives the whole line or nothing.
//
// QUIRK: for the library a command is done once it has read "T1 OK", although the line may never end.
func (g *guard) Read(p []byte) (int, error) {
	for {
		if n := g.give(p); n > 0 {
			return n, nil
		}
		if err := g.wait(); err != nil {
			return 0, err
		}
		n, err := g.Conn.Read(p)
		if err = g.took(p[:n], err); err != nil && len(g.ready) == 0 {
			return 0, err
		}
	}
}

// give hands over what may be seen.
func (g *guard) give(p []byte) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := copy(p, g.ready)
	g.ready = g.ready[n:]
	return n
}

// wait ends when a command is unanswered, or nothing will ever come.
func (g *guard) wait() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.pending == 0 && !g.shut && g.err == nil {
		if g.callers > 0 && g.ctx.Err() != nil {
			g.err = g.ctx.Err()
			break
		}
		g.hurry()
		g.awake.Wait()
	}
	g.late = nil
	if g.err == nil && g.shut {
		return net.ErrClosed
	}
	return g.err
}

// hurry gives a wait for nothing its end: the library and we can differ about where a reply ends, and then it waits for what no
// deadline of the connection bounds. Where one does, it comes first.
func (g *guard) hurry() {
	if g.callers == 0 || g.late != nil || g.idle <= 0 {
		return
	}
	var t *time.Timer
	t = time.AfterFunc(2*g.idle, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.late == t && g.callers > 0 && g.err == nil {
			g.err = fetch.Errorf(fetch.ErrProtocol, "the reply has no end where it should")
			g.awake.Broadcast()
		}
	})
	g.late = t
}

// call does what waits for the library; it ends with the context of the request, too.
func (g *guard) call(f func() error) error {
	g.mu.Lock()
	g.callers++
	stop := context.AfterFunc(g.ctx, g.wake)
	g.awake.Broadcast()
	g.mu.Unlock()
	defer func() {
		stop()
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.callers--; g.callers == 0 {
			g.late = nil
		}
	}()
	return f()
}

func (g *guard) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.awake.Broadcast()
}

// serve says for which request the next calls are.
func (g *guard) serve(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ctx = ctx
}

// took looks at what has come.
func (g *guard) took(p []byte, err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if seen := g.see(p); seen != nil {
		p, err = nil, seen
	}
	if err != nil && g.err == nil {
		g.err = err
	}
	g.ready = append(append(g.ready[:0], g.held...), p...)
	g.held = g.held[:0]
	if n := len(g.ready) - g.line.octets; g.line.tagged() && n >= 0 {
		g.held = append(g.held, g.ready[n:]...)
		g.ready = g.ready[:n]
	}
	g.keepCapabilities()
	return err
}

// keepCapabilities puts the capabilities that are known into the reply to a login that has none.
//
// QUIRK: go-imap would send CAPABILITY then, in a goroutine of its own, before or after the next command: neither planned nor announced.
// Nothing here depends on what a server offers only after the login.
func (g *guard) keepCapabilities() {
	if g.logs == "" {
		return
	}
	head := []byte(g.logs + " OK")
	at := 0
	if !bytes.HasPrefix(g.ready, head) {
		if at = bytes.Index(g.ready, append([]byte("\n"), head...)) + 1; at == 0 {
			return
		}
	}
	at += len(head)
	g.logs = ""
	if rest := g.ready[at:]; !bytes.HasPrefix(rest, []byte(" [CAPABILITY ")) {
		g.ready = slices.Insert(g.ready, at, []byte(" "+g.caps)...)
	}
}

// Write notes which commands are sent, and sends nothing that is not one of ours.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	n := len(p)
	if g.swap[0] != "" {
		p = bytes.Replace(p, []byte(g.swap[0]), []byte(g.swap[1]), 1)
	}
	p = inPlannedOrder(p)
	if err := g.said.next(p); err != nil {
		g.mu.Unlock()
		g.fail(err)
		return 0, err
	}
	if tag, ok := tagOf(p); ok {
		if rest := p[len(tag):]; bytes.HasPrefix(rest, []byte(" LOGIN ")) || bytes.HasPrefix(rest, []byte(" AUTHENTICATE ")) {
			g.logs = tag
		}
		if g.pending == 0 {
			g.turn()
		}
		g.pending++
		g.awake.Broadcast()
	}
	g.mu.Unlock()
	if _, err := g.out.Write(p); err != nil {
		g.fail(err)
		return 0, err
	}
	return n, nil
}

// inPlannedOrder puts the items of a listing's FETCH into the order of headline: the library has none.
func inPlannedOrder(p []byte) []byte {
	tag, _ := tagOf(p)
	if tag == "" || !bytes.HasPrefix(p[len(tag):], []byte(" UID FETCH ")) {
		return p
	}
	return bytes.Replace(p, []byte("RFC822.SIZE INTERNALDATE"), []byte("INTERNALDATE RFC822.SIZE"), 1)
}

// Close also wakes the library's reader.
func (g *guard) Close() error {
	g.mu.Lock()
	g.shut = true
	g.awake.Broadcast()
	g.mu.Unlock()
	return g.Conn.Close()
}

// SetReadDeadline and SetWriteDeadline do nothing: the library's fixed ones would cut what Timeouts allow.
func (g *guard) SetReadDeadline(time.Time) error  { return nil }
func (g *guard) SetWriteDeadline(time.Time) error { return nil }

func (g *guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
}

// state is what has become of the connection.
func (g *guard) state() (bye string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bye, g.err
}

// grant allows as many octets as at first, and so many large literals: what came until now was of use.
func (g *guard) grant(large int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.large, g.order = g.most, large, order{}
	if g.inside == 0 || !g.big {
		g.turn()
	}
}

// replace makes the next commands say something that the library has no words for.
func (g *guard) replace(words, by string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.swap = [2]string{words, by}
}

// see reads along.
func (g *guard) see(p []byte) error {
	for len(p) > 0 {
		if g.inside > 0 {
			n := min(int64(len(p)), g.inside)
			p = p[n:]
			if g.inside -= n; g.inside == 0 && g.big {
				g.big = false
				g.turn()
			}
			continue
		}
		if p[0] == ']' && g.line.inFlags() {
			p[0] = '_' // QUIRK: keywords with "]", which Gmail has (Python issue 21815), are not atoms for the library (RFC 9051 §9)
		}
		c := p[0]
		p = p[1:]
		if g.left--; g.left < 0 {
			return fetch.Errorf(fetch.ErrLimit, "the server sends more than %d octets that were not asked for", g.most)
		}
		size, err := g.line.next(c, g.nesting)
		if err == nil && g.line.isSearch() {
			err = g.order.next(c)
		}
		if err != nil {
			return err
		}
		if size > 0 {
			if err := g.literal(size); err != nil {
				return err
			}
		} else if c == '\n' && size < 0 {
			g.ended()
		}
	}
	return nil
}

// literal begins one. Small ones count as the rest of the line does.
func (g *guard) literal(size int64) error {
	g.inside = size
	if size <= int64(g.left) && (g.large == 0 || size < 4<<10) {
		g.left -= int(size)
		return nil
	}
	if g.large == 0 {
		return fetch.Errorf(fetch.ErrLimit, "the server announces %d octets that were not asked for", size)
	}
	g.large--
	g.big = true
	g.stream()
	return nil
}

// ended looks at a whole line.
func (g *guard) ended() {
	head := string(g.line.head)
	if _, ok := tagOf(g.line.head); ok && g.pending > 0 {
		g.pending--
	}
	if rest, ok := cutPrefixFold(head, "* BYE"); ok {
		g.bye = strings.TrimSpace(rest)
	}
	g.line = scanner{head: g.line.head[:0]}
}
