package fetch

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// A Conn is a net.Conn on the Client's dialer and guard. Its waiting is bounded, its bytes are reported to the request's trace, and its
// errors have a Kind: a break before any answer is ErrConnection, after it ErrTruncated, silence is ErrTimeout. Over TLS a close without
// close_notify is a break, since anybody on the way can forge it.
//
// A handler for a line protocol sends its commands by Send, SendAs and SendBody, which check and announce them.
//
// A Conn is in one of two modes, which also decide what the end of the connection means. After BeginReply, one deadline and one limit hold
// for everything that is read until the next Begin call. The deadline moves only with the bytes that arrive, by a second for each
// replyRate of them. A close before the first byte of the reply is ErrConnection, a later one ErrTruncated. After BeginBody (and at first)
// every Read has a deadline of its own, and the peer's close is io.EOF. See BeginReply, BeginPart, BeginUntilClose and BeginBody.
//
// Reads and writes may run concurrently with each other, as with any net.Conn.
type Conn struct {
	limits   Limits
	timeouts Timeouts
	buffers  *socket.Buffers

	id   int          // its number in traces
	net  net.Conn     // the connection to read and write: raw, or TLS over it
	raw  *socket.Conn // the connection itself
	host string       // the requested host, for TLS names and data connections
	near *Conn        // the control connection of a data connection, or nil
	addr net.Addr     // returned by RemoteAddr
	tls  *tlsState    // nil without TLS

	request atomic.Pointer[connRequest] // the request that it works for; it changes when a pooled connection is leased again
	record  atomic.Int32                // a RecordMode
	inReply atomic.Bool                 // received bytes belong to a reply, not to a document
	ended   atomic.Bool                 // its end is in the trace
	out     tap
	in      tap
	reader  lineBuffer
	sent    []byte // the last bytes of SendAs; the next call reuses their memory
	moved   int64  // by WritePiece
	splice  socket.Splice

	mu sync.Mutex // guards the following fields, and net and tls when they are set

	dead     error // why it was aborted
	talk     talk
	mode     readMode
	due      bool  // after BeginReply, until the first byte of the reply
	received int64 // bytes since BeginReply, or since it was lent

	replyEnd      time.Time // when the reply must be complete if nothing more arrives; zero in a body
	replyLeft     int       // bytes that the reply may still have; negative without a limit
	libDeadline   time.Time // set by a library that works on the net.Conn
	readDeadline  time.Time // in force
	writeDeadline time.Time // in force

	readBegan time.Time // when the present Read began
	pace      Pace      // of the body

	rtt     time.Duration // how long connecting took; 0 if unknown
	sentAt  time.Time     // when the oldest unanswered bytes were sent
	slowest time.Duration // the longest wait for an answer so far
	reused  bool          // nothing was sent since it was leased again
	proveBy time.Time     // when a reused connection counts as dead if nothing has arrived; zero once something has
}

// A connRequest is the request that a Conn works for. The Conn hands it bytes and events; the request never reads from the Conn.
type connRequest interface {
	lend(c *Conn)   // c works for the request now
	forget(c *Conn) // c no longer does
	distrust()      // a reused connection was silent, so others of its age are not tried
	isTraced() bool

	// tap turns bytes into events, and flushTap those that were held back; see trace.go.
	tap(t *tap, conn int, rec RecordMode, p []byte, inReply bool)
	flushTap(t *tap, conn int, rec RecordMode, inReply bool)
	note(conn int, m Mark, format string, args ...any)

	checkSteps(steps []Step) error
	announce(steps []Step)

	reads(c *Conn)    // c is being read
	lastStep() string // the verb of the step that was announced last
}

// working returns the request that c works for. It returns nil if c is idle.
func (c *Conn) working() connRequest {
	if r := c.request.Load(); r != nil {
		return *r
	}
	return nil
}

// bind makes c work for a request. A nil r makes it idle.
func (c *Conn) bind(r *connRequest) {
	if old := c.working(); old != nil {
		rec := c.recordMode()
		c.tell(-1) // no session has taken it over
		old.flushTap(&c.out, c.id, rec, false)
		old.flushTap(&c.in, c.id, rec, c.inReply.Load())
	}
	if c.request.Store(r); r == nil {
		return
	}
	(*r).lend(c)
	c.BeginBody()
	c.mu.Lock()
	c.received, c.due = 0, false // an earlier request's replies do not count
	c.talk.asked, c.talk.phase, c.talk.data = c.talk.asked[:0], "", false
	c.mu.Unlock()
}

func (c *Conn) recordMode() RecordMode { return RecordMode(c.record.Load()) }

// Record changes how the bytes from here on are reported. Each call with RecordHead begins a message in both directions.
func (c *Conn) Record(r RecordMode) {
	c.record.Store(int32(r))
	c.out.restart()
	c.in.restart()
}

// Read returns the bytes that ReadLine has buffered first.
func (c *Conn) Read(p []byte) (int, error) {
	if n := c.reader.take(p); n > 0 {
		c.tell(c.reader.r)
		return n, nil
	}
	return c.read(p, true)
}

// read reads from the connection. Bytes for the line buffer enter the trace when they are read from that buffer, others at once.
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
	return n, c.withPending(c.endOfReply(c.finishRead(n, err)), false)
}

// finishRead counts the bytes of a read, sets the kind of its error, and records the end of the connection in the trace.
func (c *Conn) finishRead(n int, err error) error {
	if slow := c.afterRead(n); slow != nil && err == nil {
		err = slow
	}
	if err = c.readError(err); err != nil {
		c.tell(-1) // bytes that arrived before the end
		c.reportEnd(err)
	}
	return err
}

// reportEnd puts the end of the connection into the trace if the peer caused it.
func (c *Conn) reportEnd(err error) {
	r := c.working()
	if r == nil || !r.isTraced() || !c.ended.CompareAndSwap(false, true) {
		return
	}
	r.flushTap(&c.in, c.id, c.recordMode(), c.inReply.Load())
	switch k := KindOf(err); {
	case err == io.EOF:
		r.note(c.id, MarkEnd, "the peer closed the connection")
	case k == ErrConnection, k == ErrTruncated, k == ErrTLS:
		r.note(c.id, MarkBroken, "%v", err)
	}
}

func (c *Conn) report(t *tap, p []byte) {
	if r := c.working(); r != nil {
		r.tap(t, c.id, c.recordMode(), p, c.inReply.Load())
	}
}

// readError sets the kind of an error of the socket.
func (c *Conn) readError(err error) error {
	if err == nil {
		return nil
	}
	c.mu.Lock()
	dead, received := c.dead, c.received
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
	return transportError(err, received > 0)
}

// Write is for protocols of frames and for what a user types in a session. Where lines are recorded it fails: use Send.
func (c *Conn) Write(p []byte) (int, error) {
	if r := c.recordMode(); r != RecordOctets && r != RecordFrames {
		return 0, errUnannounced
	}
	return c.write(p)
}

// write sends p in pieces, each with a deadline of its own, so that a peer that does not read times out like one that does not write.
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
	return n, c.withPending(c.readError(err), true)
}

// writePiece is how many bytes must be written within Timeouts.Idle.
const writePiece = 16 << 10

// abort makes every present and future call fail with err.
func (c *Conn) abort(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead == nil {
		c.dead = err
		c.net.SetDeadline(time.Unix(1, 0))
	}
}

// Close closes the connection at once. Over TLS it sends close_notify if that does not have to wait.
func (c *Conn) Close() error {
	if r := c.working(); r != nil {
		r.forget(c)
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

// CloseWrite ends the output. The peer reads io.EOF after it.
func (c *Conn) CloseWrite() error {
	if w, ok := c.net.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// RemoteAddr returns a *net.TCPAddr of the requested host. Through a proxy its address may be unspecified; its port is right.
func (c *Conn) RemoteAddr() net.Addr { return c.addr }

// LocalAddr returns the socket's local address.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// SetDeadline, SetReadDeadline and SetWriteDeadline are for libraries that work on a net.Conn. A deadline shortens the Client's own, and
// never lengthens it.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetWriteDeadline does nothing: every Write has the Client's deadline.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// isStale reports whether an idle connection has ended, or holds bytes that nobody requested.
func (c *Conn) isStale() bool {
	c.mu.Lock()
	dead := c.dead != nil
	c.mu.Unlock()
	return dead || c.reader.buffered() > 0 || c.raw.IsAhead() || c.raw.Pending()
}

var _ net.Conn = (*Conn)(nil)
