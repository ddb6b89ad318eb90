package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// A Conn is a net.Conn on the Client's dialer and guard. Its waiting is bounded, its octets are reported to the request's trace,
// and its errors have a Kind: a break before any answer is ErrConnection, after it ErrTruncated, silence is ErrTimeout. Over TLS a close
// without close_notify is a break, since anybody on the way can forge it.
//
// A protocol of lines says its commands by Send, SendAs and SendBody, which check and announce them.
//
// A Conn is in one of two modes, which also decide what the end of the connection means. After BeginReply, one deadline and one limit
// hold for everything that is read until the next Begin call. The deadline moves only with the bytes that arrive, by a second for each
// replyRate of them. A close before the first byte of the reply is ErrConnection, a later one ErrTruncated. After BeginBody (and at first)
// every Read has a deadline of its own, and the peer's close is io.EOF. See BeginReply, BeginPart, BeginUntilClose and BeginBody.
//
// Reads and writes may run concurrently with each other, as with any net.Conn.
type Conn struct {
	client *Client
	id     int          // what the trace calls it
	net    net.Conn     // what is spoken through: raw, or TLS over it
	raw    *socket.Conn // the connection itself
	host   string       // the host that was wanted, for TLS names and data connections
	near   *Conn        // the connection that this one was dialled beside, or nil
	addr   net.Addr     // what RemoteAddr says
	tls    *tlsState    // nil in clear

	at      atomic.Pointer[Env] // the request that it works for; it changes when a pooled connection is leased again
	rec     atomic.Int32        // Recording
	inReply atomic.Bool         // what arrives belongs to a reply, not to a document
	over    atomic.Bool         // its end was reported
	out     tap
	in      tap
	reader  lineBuffer
	said    []byte // the last octets of SendAs, whose room the next ones take
	moved   int64  // by WritePiece
	splice  socket.Splice

	mu      sync.Mutex // guards the deadlines, net and tls where they are set, and what follows
	dead    error      // why it was aborted
	turn    time.Time  // end of the turn if nothing more arrives, zero in a stream
	left    int        // octets that the turn may still bring
	asked   time.Time  // deadline that a library on top asked for
	armed   time.Time  // read deadline in force
	writes  time.Time  // write deadline in force
	got     int64      // bytes since BeginReply, or since it was lent
	mode    readMode
	due     bool      // after BeginReply, until the first byte of the reply
	started time.Time // when the Read in hand began
	waited  time.Duration
	brought int64 // octets that came while waited grew

	rtt     time.Duration // that connecting took, 0 unknown
	asks    time.Time     // when what is not answered yet was sent
	slowest time.Duration // answer until now
	kept    bool          // nothing was sent since it was leased again
	proveBy time.Time     // when a connection that is leased again counts as dead if nothing has arrived, zero once something has
}

func (c *Conn) env() *Env { return c.at.Load() }

// bind makes c work for e; nil makes it idle.
func (c *Conn) bind(e *Env) {
	if old := c.at.Load(); old != nil {
		rec := RecordMode(c.rec.Load())
		c.tell(-1) // nobody has taken it
		c.out.flush(old, c.id, rec, false)
		c.in.flush(old, c.id, rec, c.inReply.Load())
	}
	c.at.Store(e)
	if e == nil {
		return
	}
	e.lend(c)
	c.BeginBody()
	c.mu.Lock()
	c.got, c.due = 0, false // an earlier request's replies do not count
	c.mu.Unlock()
}

// Record changes how the octets from here on are reported. Each call with RecordHead begins a message in both directions.
func (c *Conn) Record(r RecordMode) {
	c.rec.Store(int32(r))
	c.out.anew()
	c.in.anew()
}

// until is the end of a wait that begins now, zero for none: the deadline in force where little of it is gone. A timer that is set anew
// for every line of a dialogue costs more than the line.
func (c *Conn) until(inForce time.Time) time.Time {
	idle := c.client.timeouts.Idle
	if idle <= 0 {
		return time.Time{}
	}
	t := time.Now().Add(idle)
	if early := t.Sub(inForce); 0 <= early && early <= idle/16 {
		return inForce
	}
	return t
}

// arm sets the read deadline, unless the connection was aborted, whose deadline in the past must stay.
func (c *Conn) arm(t time.Time) {
	if !c.proveBy.IsZero() && (t.IsZero() || c.proveBy.Before(t)) {
		t = c.proveBy
	}
	if !c.asked.IsZero() && (t.IsZero() || c.asked.Before(t)) {
		t = c.asked
	}
	if c.dead != nil || t.Equal(c.armed) {
		return
	}
	c.armed = t
	c.net.SetReadDeadline(t)
}

// beforeRead gives a Read of a stream its deadline. It is renewed only when a noticeable part of it is gone.
func (c *Conn) beforeRead() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return c.dead
	}
	if c.left == 0 {
		return Errorf(ErrLimit, "the reply is longer than %d octets", c.client.limits.Reply)
	}
	c.started = time.Now() // also in a turn, which may become a stream while this Read waits: HTTP/2 reads in a goroutine of its own
	t := c.until(c.armed)
	if !c.turn.IsZero() && c.turn.Before(t) {
		t = c.turn
	}
	c.arm(t)
	return nil
}

// afterRead counts. Only the time spent in waiting for the peer counts against it: a slow sink is not its fault, and neither is a process
// that was stopped while it waited.
func (c *Conn) afterRead(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got += int64(n)
	c.due = c.due && n == 0
	if n > 0 && !c.asks.IsZero() {
		c.slowest = max(c.slowest, time.Since(c.asks))
		c.asks, c.proveBy = time.Time{}, time.Time{}
	}
	if !c.turn.IsZero() {
		c.turn = c.turn.Add(time.Duration(n) * time.Second / replyRate)
	}
	if c.left > 0 {
		c.left = max(0, c.left-n)
		return nil
	}
	waited := time.Since(c.started)
	if idle := c.client.timeouts.Idle; idle > 0 {
		waited = min(waited, idle)
	}
	c.waited += waited
	c.brought += int64(n)
	if c.brought >= slowOctets {
		c.waited, c.brought = 0, 0
	} else if c.waited > slowTime {
		return Errorf(ErrTimeout, "fewer than %d octets came in %s", slowOctets, slowTime)
	}
	return nil
}

// Read reads what ReadLine has buffered first.
func (c *Conn) Read(p []byte) (int, error) {
	if n := c.reader.take(p); n > 0 {
		c.tell(c.reader.r)
		return n, nil
	}
	return c.read(p, true)
}

// read reads from the connection. Unless taken, what comes goes into the line buffer, and into the trace when somebody takes it from there.
func (c *Conn) read(p []byte, taken bool) (int, error) {
	if err := c.beforeRead(); err != nil {
		return 0, err
	}
	n, err := c.pull(p)
	if n == 0 && c.hasArrived(err) {
		n, err = c.pull(p)
	}
	if taken {
		c.report(&c.in, p[:n])
	}
	return n, c.endOfReply(c.finishRead(n, err))
}

// finishRead accounts for a read, gives its error a kind, and puts the end of the connection into the trace.
func (c *Conn) finishRead(n int, err error) error {
	if slow := c.afterRead(n); slow != nil && err == nil {
		err = slow
	}
	if err = c.readError(err); err != nil {
		c.tell(-1) // what arrived before the end
		c.reportEnd(err)
	}
	return err
}

// hasArrived reports whether a Read whose deadline has passed is to be repeated, since the kernel holds bytes for it: what has arrived counts
// before the deadline. If the process was stopped (Ctrl-Z), the time that it slept is not the peer's, whose window was full meanwhile.
func (c *Conn) hasArrived(err error) bool {
	if err == nil || !isTimeout(err) {
		return false
	}
	if !socket.New(c.raw.Conn).Pending() { // not c.raw, at which the pool may look while a reader of the idle connection is here
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return false
	}
	now := time.Now()
	if late := now.Sub(c.armed); late > stopped {
		if !c.turn.IsZero() {
			c.turn = c.turn.Add(late)
		}
		if !c.asked.IsZero() {
			c.asked = c.asked.Add(late)
		}
	}
	c.armed = now.Add(stopped)
	c.net.SetReadDeadline(c.armed)
	return true
}

// reportEnd puts the end of the connection into the trace, if it is the peer's doing.
func (c *Conn) reportEnd(err error) {
	e := c.env()
	if e == nil || e.trace == nil || !c.over.CompareAndSwap(false, true) {
		return
	}
	c.in.flush(e, c.id, RecordMode(c.rec.Load()), c.inReply.Load())
	switch k := KindOf(err); {
	case err == io.EOF:
		e.note(c.id, MarkEnd, "the peer closed the connection")
	case k == ErrConnection, k == ErrTruncated, k == ErrTLS:
		e.note(c.id, MarkBroken, "%v", err)
	}
}

func (c *Conn) report(t *tap, p []byte) {
	if e := c.env(); e != nil && e.trace != nil {
		t.take(e, c.id, RecordMode(c.rec.Load()), p, c.inReply.Load())
	}
}

// readError gives an error of the socket its kind.
func (c *Conn) readError(err error) error {
	if err == nil {
		return nil
	}
	c.mu.Lock()
	dead, got := c.dead, c.got
	silent := !c.proveBy.IsZero() && !time.Now().Before(c.proveBy)
	c.mu.Unlock()
	switch {
	case dead != nil:
		return dead
	case silent && isTimeout(err):
		return c.silent()
	case err == io.EOF && c.tls != nil && c.raw.HasEnded():
		return Errorf(ErrTruncated, "the connection ended without TLS close_notify: %w", io.ErrUnexpectedEOF)
	case isTLSError(err):
		return Errorf(ErrTLS, "%w", err)
	}
	return transportError(err, got > 0)
}

// Write is for protocols of frames and for what a session types. Where lines are recorded it is refused: Send says those.
func (c *Conn) Write(p []byte) (int, error) {
	if r := RecordMode(c.rec.Load()); r != RecordOctets && r != RecordFrames {
		return 0, errUnannounced
	}
	return c.write(p)
}

// write has a deadline of its own for each writePiece: a peer that does not read is as silent as one that does not write.
func (c *Conn) write(p []byte) (n int, err error) {
	for first := true; first || n < len(p) && err == nil; first = false {
		if err := c.beforeWrite(); err != nil {
			return n, err
		}
		if first {
			c.report(&c.out, p) // before the peer can answer: another goroutine may be reading already
		}
		var k int
		k, err = c.net.Write(p[n:min(len(p), n+writePiece)])
		n += k
	}
	return n, c.readError(err)
}

// writePiece is what must go out within Timeouts.Idle.
const writePiece = 16 << 10

func (c *Conn) beforeWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.until(c.writes); c.dead == nil && !t.Equal(c.writes) {
		c.writes = t
		c.net.SetWriteDeadline(t)
	}
	if c.asks.IsZero() {
		c.asks = time.Now()
		c.probe()
	}
	return c.dead
}

// abort makes every present and future call fail with err.
func (c *Conn) abort(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead == nil {
		c.dead = err
		c.net.SetDeadline(time.Unix(1, 0))
	}
}

// Close closes at once. Over TLS close_notify is sent if that takes no waiting.
func (c *Conn) Close() error {
	if e := c.env(); e != nil {
		e.forget(c)
	}
	c.bind(nil)
	defer c.splice.Close()
	c.mu.Lock()
	aborted, encrypted, nc := c.dead != nil, c.tls != nil, c.net
	if !aborted {
		c.dead = net.ErrClosed
	}
	c.mu.Unlock()
	if aborted || !encrypted {
		return c.raw.Close()
	}
	nc.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	return nc.Close()
}

// CloseWrite says that nothing more will be sent.
func (c *Conn) CloseWrite() error {
	if w, ok := c.net.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// RemoteAddr is a *net.TCPAddr of the wanted host; through a proxy its address may be unspecified, its port is right.
func (c *Conn) RemoteAddr() net.Addr { return c.addr }

// LocalAddr is the socket's.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// SetDeadline, SetReadDeadline and SetWriteDeadline are for libraries that work on a net.Conn. A deadline shortens the
// Client's own, and never lengthens it.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.armed = t, time.Unix(1, 0) // whatever was in force is replaced
	own := c.turn
	if idle := c.client.timeouts.Idle; own.IsZero() && idle > 0 {
		own = time.Now().Add(idle)
	}
	c.arm(own)
	return nil
}

// SetWriteDeadline does nothing: every Write has the Client's deadline.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// stale reports whether an idle connection has ended, or holds octets that nobody asked for.
func (c *Conn) stale() bool {
	c.mu.Lock()
	dead := c.dead != nil
	c.mu.Unlock()
	return dead || c.reader.buffered() > 0 || c.raw.IsAhead() || c.raw.Pending()
}

// contextError is what a request's end makes of its connections: context.Canceled, with the caller's own cause if there is one.
func contextError(ctx context.Context) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf(ErrTimeout, "the request took too long: %w", ctx.Err())
	case cause == nil, errors.Is(cause, context.Canceled):
		return context.Canceled
	}
	return fmt.Errorf("%w: %w", context.Canceled, cause)
}

var _ net.Conn = (*Conn)(nil)
