package prospero

import (
	"context"
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/internal/wire"
)

// Numbers of the ARDP library (Prospero 5, lib/ardp).
const (
	firstDelay  = 4 * time.Second // before the first retry; each later one waits twice as long
	mostRetries = 3
	mostUnheard = 15   // halves of the first delay, which are 30 s, until a server that has sent nothing is given up
	window      = 16   // packets that the server sends before it wants an acknowledgement
	mostAhead   = 256  // the largest window: what is numbered beyond it is not kept
	packetData  = 1250 // octets of a request in one packet
)

// A conversation is one request and its reply over ARDP. It reads as the reply's octets in order.
type conversation struct {
	net   *fetch.Packets
	ctx   context.Context
	idle  time.Duration
	delay time.Duration // the first; tests shorten it
	cid   uint16

	out   [][]byte // the request's packets
	acked int      // of them the server has

	last     uint16 // the server's packets up to here have been taken in order
	total    uint16 // of its packets, 0 while unknown
	ahead    map[uint16]packet
	data     []byte // of the packet in turn, not read yet
	space    []byte
	err      error
	left     int       // octets that the reply may still have
	stream   bool      // no bound to the reply, and idle is then the longest silence, not the longest reply
	end      time.Time // zero: never
	retry    time.Time
	pause    time.Duration
	retries  int
	asked    time.Duration // what the server last asked us to wait
	redirect []byte        // where it wants to be asked instead
	heard    bool          // of the server, whatever it has sent
	unheard  time.Time     // when a server that has sent nothing is given up
}

// A packet is one that came before its turn.
type packet struct {
	data  []byte
	empty bool // it counts, but has no data
}

// begin sends the message.
func (c *conversation) begin(message []byte, window uint16) error {
	c.out = packets(message, c.cid, window, packetData)
	c.ahead, c.space = map[uint16]packet{}, make([]byte, 64<<10)
	c.pause = c.delay
	if c.idle > 0 {
		c.end = time.Now().Add(c.idle)
	}
	c.unheard = time.Now().Add(c.delay * mostUnheard / 2)
	return c.again()
}

// packets cuts a message. Only the first packet says what window is wanted.
func packets(message []byte, cid, window uint16, most int) (list [][]byte) {
	total := uint16((len(message) + most - 1) / most)
	for n := uint16(1); n <= total; n++ {
		h := wire.Header{CID: cid, Number: n, Total: total, Length: 9}
		if n == 1 && window > 0 {
			h.Flags, h.Window = wire.WindowFollows, window
		}
		part := message[:min(most, len(message))]
		message = message[len(part):]
		list = append(list, h.Encode(part))
	}
	return list
}

// again sends what the server is not known to have; when it has all, it is told what we have.
func (c *conversation) again() error {
	c.schedule()
	if c.acked >= len(c.out) {
		return c.acknowledge()
	}
	for _, p := range c.out[c.acked:] {
		if err := c.net.Send(p, 0); err != nil {
			return err
		}
	}
	return nil
}

// schedule sets when to say it again: each time after twice the pause.
func (c *conversation) schedule() {
	c.retry = time.Now().Add(c.pause)
	c.pause *= 2
}

func (c *conversation) acknowledge() error {
	return c.net.Send(wire.Header{CID: c.cid, Received: c.last, Length: 9}.Encode(nil), 0)
}

// cancel tells the server that nobody listens any more.
func (c *conversation) cancel() {
	c.net.Send(wire.Header{CID: c.cid, Option: wire.Refused}.Encode(nil), 0)
}

func (c *conversation) Read(p []byte) (int, error) {
	for len(c.data) == 0 {
		if c.err == nil {
			c.err = c.advance()
		}
		if c.err != nil && len(c.data) == 0 {
			return 0, c.err
		}
	}
	n := copy(p, c.data)
	c.data = c.data[n:]
	if c.left -= n; c.left < 0 && !c.stream {
		c.cancel()
		c.err, c.data = fetch.Errorf(fetch.ErrLimit, "the reply is too long"), nil
		return 0, c.err
	}
	return n, nil
}

// streams makes what follows a document: it may take its time, as long as something comes.
func (c *conversation) streams() {
	c.stream = true
	c.progress()
}

func (c *conversation) progress() {
	c.retries, c.pause = 0, c.delay
	c.schedule()
	if c.stream && c.idle > 0 {
		c.end = time.Now().Add(c.idle)
	}
}

// advance takes the next packet in turn.
func (c *conversation) advance() error {
	for {
		next := c.last + 1
		if p, ok := c.ahead[next]; ok {
			delete(c.ahead, next)
			c.last, c.data = next, p.data
			c.progress()
			if len(p.data) > 0 {
				return nil
			}
			continue
		}
		if c.total != 0 && c.last >= c.total {
			return io.EOF
		}
		if err := c.receive(); err != nil {
			return err
		}
	}
}

// receive waits for one packet, and repeats the request when none comes.
func (c *conversation) receive() error {
	by := c.retry
	if !c.end.IsZero() && c.end.Before(by) {
		by = c.end
	}
	if !c.heard && c.unheard.Before(by) {
		by = c.unheard
	}
	if !time.Now().Before(by) {
		return c.silence()
	}
	n, _, err := c.net.Receive(c.space, by) // from any port: a server with two answers from the other one
	if fetch.KindOf(err) == fetch.ErrTimeout && c.ctx.Err() == nil {
		return c.silence()
	}
	if err != nil {
		return err
	}
	c.heard = true
	h, data, err := wire.Decode(c.space[:n])
	if err != nil || h.CID != c.cid && h.CID != c.cid>>8|c.cid<<8 {
		return nil // QUIRK: packets that dirsrv PreAlpha.5.3 sends again carry the id with its octets swapped
	}
	return c.take(h, data)
}

func (c *conversation) silence() error {
	late := func(end time.Time) bool { return !end.IsZero() && !time.Now().Before(end) }
	if c.retries == mostRetries && !time.Now().Before(c.retry) || late(c.end) || !c.heard && late(c.unheard) {
		c.cancel()
		if c.asked > 0 {
			return &fetch.Error{Kind: fetch.ErrTimeout, Text: "the server asks to wait " + c.asked.String(), Hint: "--idle-timeout waits longer", After: c.asked}
		}
		return fetch.Errorf(fetch.ErrTimeout, "the server did not answer in time")
	}
	c.retries++
	return c.again()
}

// take reads a packet of the server.
func (c *conversation) take(h wire.Header, data []byte) error {
	switch h.Option {
	case wire.Refused:
		return fetch.Errorf(fetch.ErrRefused, "the server refuses the request")
	case wire.Redirected, wire.RedirectNotify:
		c.redirect = h.Redirect
		return errRedirected
	case wire.ResetReceived:
		c.acked = min(int(h.Received), len(c.out))
	}
	if c.acked = max(c.acked, min(int(h.Received), len(c.out))); h.Number > 0 {
		c.acked = len(c.out) // a server that answers has the request
	}
	if h.Length >= 11 { // a void wait gives the retries back to us
		c.asked, c.retries = time.Duration(h.Wait)*time.Second, 0
		c.pause = max(c.delay, c.asked)
		c.schedule()
	}
	if err := c.keep(h, data); err != nil {
		return err
	}
	if h.Flags&wire.PleaseAck != 0 {
		return c.acknowledgeAhead()
	}
	return nil
}

// errRedirected ends a conversation that is to be had elsewhere.
var errRedirected = &fetch.Error{Kind: fetch.ErrRedirect, Text: "the server wants to be asked elsewhere"}

// keep keeps a packet of the sequence until its turn.
func (c *conversation) keep(h wire.Header, data []byte) error {
	if h.Total != 0 {
		if c.total != 0 && c.total != h.Total || h.Total < c.last {
			return fetch.Errorf(fetch.ErrProtocol, "the server says that the reply has %d packets, and then %d", c.total, h.Total)
		}
		c.total = h.Total
	}
	if h.Number == 0 || h.Number <= c.last || int(h.Number) > int(c.last)+mostAhead || c.total != 0 && h.Number > c.total {
		return nil
	}
	if _, twice := c.ahead[h.Number]; twice {
		return nil
	}
	p := packet{empty: h.Flags&wire.Sequenced != 0}
	if !p.empty {
		p.data = append([]byte(nil), data...)
	}
	c.ahead[h.Number] = p
	return nil
}

// acknowledgeAhead acknowledges also what has come in order, but has not been read.
func (c *conversation) acknowledgeAhead() error {
	through := c.last
	for {
		if _, ok := c.ahead[through+1]; !ok || through+1 == 0 {
			break
		}
		through++
	}
	return c.net.Send(wire.Header{CID: c.cid, Received: through, Length: 9}.Encode(nil), 0)
}
