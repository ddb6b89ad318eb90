package prospero

import (
	"bytes"
	"context"
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/prospero/internal/wire"
)

// Numbers of the ARDP library (Prospero 5, lib/ardp).
const (
	firstDelay  = 4 * time.Second // before the first retry; each later one waits twice as long
	mostRetries = 3
	mostUnheard = 15   // how many halves of the first delay, 30 s, to wait for a server that has sent nothing
	window      = 16   // packets that the server sends before it needs an acknowledgment
	mostAhead   = 256  // the largest window: packets with higher numbers are ignored
	packetData  = 1250 // bytes of a request in one packet
)

// An exchange is one request and its reply over ARDP. Its Read returns the reply's bytes in order.
type exchange struct {
	net  *fetch.Packets
	ctx  context.Context
	idle time.Duration
	cid  uint16
	odd  func(where, text string) // reports a deviation of the header; may be nil

	out   [][]byte // the request's packets
	acked int      // how many of them the server has

	last    uint16            // the server's last packet that was read in order
	total   uint16            // of its packets, 0 while unknown
	ahead   map[uint16][]byte // the data of packets that were received before an earlier one
	data    []byte            // of packet last, not read yet
	space   []byte
	err     error
	left    int       // bytes that the reply may still have
	inBody  bool      // the reply has no limit, and idle is the longest silence, not the longest reply
	end     time.Time // zero means never
	retry   time.Time
	pause   time.Duration
	retries int
	wait    time.Duration // the wait that the server last requested
	heard   bool          // the server has sent something
	unheard time.Time     // when to give up on a server that has sent nothing
}

// begin sends the message.
func (x *exchange) begin(message []byte, window uint16) error {
	x.out = packets(message, x.cid, window, packetData)
	x.ahead, x.space = map[uint16][]byte{}, make([]byte, 64<<10)
	x.pause = firstDelay
	if x.idle > 0 {
		x.end = time.Now().Add(x.idle)
	}
	x.unheard = time.Now().Add(firstDelay * mostUnheard / 2)
	return x.resend()
}

// packets splits a message. Only the first packet contains the window.
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

// resend sends the packets that the server has not acknowledged. If it has all of them, resend acknowledges the server's.
func (x *exchange) resend() error {
	x.schedule()
	if x.acked >= len(x.out) {
		return x.acknowledge(x.last)
	}
	for _, p := range x.out[x.acked:] {
		if err := x.net.Send(p, 0); err != nil {
			return err
		}
	}
	return nil
}

// schedule sets the time of the next retry, and doubles the pause.
func (x *exchange) schedule() {
	x.retry = time.Now().Add(x.pause)
	x.pause *= 2
}

func (x *exchange) acknowledge(through uint16) error {
	return x.net.Send(wire.Header{CID: x.cid, Received: through, Length: 9}.Encode(nil), 0)
}

// cancel makes the server stop sending.
func (x *exchange) cancel() {
	x.net.Send(wire.Header{CID: x.cid, Option: wire.Refused}.Encode(nil), 0)
}

func (x *exchange) Read(p []byte) (int, error) {
	for len(x.data) == 0 {
		if x.err == nil {
			x.err = x.advance()
		}
		if x.err != nil && len(x.data) == 0 {
			return 0, x.err
		}
	}
	n := copy(p, x.data)
	x.data = x.data[n:]
	if x.left -= n; x.left < 0 && !x.inBody {
		x.cancel()
		x.err, x.data = fetch.Errorf(fetch.ErrLimit, "the reply is too long"), nil
		return 0, x.err
	}
	return n, nil
}

// startBody treats the rest of the reply as a document: only its silences are limited.
func (x *exchange) startBody() {
	x.inBody = true
	x.progress()
}

func (x *exchange) progress() {
	x.retries, x.pause = 0, firstDelay
	x.schedule()
	if x.inBody && x.idle > 0 {
		x.end = time.Now().Add(x.idle)
	}
}

// advance reads the next packet in order.
func (x *exchange) advance() error {
	for {
		next := x.last + 1
		if data, ok := x.ahead[next]; ok {
			delete(x.ahead, next)
			x.last, x.data = next, data
			x.progress()
			if len(data) > 0 {
				return nil
			}
			continue
		}
		if x.total != 0 && x.last >= x.total {
			return io.EOF
		}
		if err := x.receive(); err != nil {
			return err
		}
	}
}

// receive waits for one packet, and repeats the request if none is received.
func (x *exchange) receive() error {
	by := x.retry
	if !x.end.IsZero() && x.end.Before(by) {
		by = x.end
	}
	if !x.heard && x.unheard.Before(by) {
		by = x.unheard
	}
	if !time.Now().Before(by) {
		return x.silence()
	}
	n, _, err := x.net.Receive(x.space, by) // from any port: a server with two ports replies from the other one
	if fetch.KindOf(err) == fetch.ErrTimeout && x.ctx.Err() == nil {
		return x.silence()
	}
	if err != nil {
		return err
	}
	x.heard = true
	h, data, err := wire.Decode(x.space[:n])
	if err != nil || h.CID != x.cid && h.CID != x.cid>>8|x.cid<<8 {
		return nil
	}
	if h.CID != x.cid && x.odd != nil { // QUIRK: packets that dirsrv PreAlpha.5.3 repeats have the ID with its bytes swapped
		x.odd("the connection ID of a packet", "its bytes are swapped")
	}
	return x.handle(h, data)
}

func (x *exchange) silence() error {
	late := func(end time.Time) bool { return !end.IsZero() && !time.Now().Before(end) }
	if x.retries == mostRetries && !time.Now().Before(x.retry) || late(x.end) || !x.heard && late(x.unheard) {
		x.cancel()
		if x.wait > 0 {
			return &fetch.Error{Kind: fetch.ErrTimeout, Text: "the server asks to wait " + x.wait.String(), Hint: hint.Idle, After: x.wait}
		}
		return fetch.Errorf(fetch.ErrTimeout, "the server did not reply in time")
	}
	x.retries++
	return x.resend()
}

// handle handles a packet of the server.
func (x *exchange) handle(h wire.Header, data []byte) error {
	switch h.Option {
	case wire.Refused:
		return fetch.Errorf(fetch.ErrRefused, "the server refused the request")
	case wire.Redirected, wire.RedirectNotify:
		return redirected(h.Redirect)
	case wire.ResetReceived:
		x.acked = min(int(h.Received), len(x.out))
	}
	if x.acked = max(x.acked, min(int(h.Received), len(x.out))); h.Number > 0 {
		x.acked = len(x.out) // a server that replies has the request
	}
	if h.Length >= 11 { // also a wait of 0 resets the retries
		x.wait, x.retries = time.Duration(h.Wait)*time.Second, 0
		x.pause = max(firstDelay, x.wait)
		x.schedule()
	}
	if err := x.store(h, data); err != nil {
		return err
	}
	if h.Flags&wire.PleaseAck != 0 {
		return x.acknowledgeAhead()
	}
	return nil
}

// redirected ends an exchange with a server that redirects. It holds the other address: four bytes and a port.
type redirected []byte

func (redirected) Error() string { return "the server redirects to another address" }

// Unwrap returns its kind if it cannot be followed: after entries.
func (redirected) Unwrap() error { return fetch.ErrRedirect }

// store stores a packet until it is read in order.
func (x *exchange) store(h wire.Header, data []byte) error {
	if h.Total != 0 {
		if x.total != 0 && x.total != h.Total || h.Total < x.last {
			return fetch.Errorf(fetch.ErrProtocol, "the server announced %d packets and then %d", x.total, h.Total)
		}
		x.total = h.Total
	}
	if h.Number == 0 || h.Number <= x.last || int(h.Number) > int(x.last)+mostAhead || x.total != 0 && h.Number > x.total {
		return nil
	}
	if _, twice := x.ahead[h.Number]; twice {
		return nil
	}
	if h.Flags&wire.Sequenced != 0 { // it has a number, but no data
		data = nil
	}
	x.ahead[h.Number] = bytes.Clone(data)
	return nil
}

// acknowledgeAhead also acknowledges packets that are complete in order but not read yet.
func (x *exchange) acknowledgeAhead() error {
	through := x.last
	for {
		if _, ok := x.ahead[through+1]; !ok || through+1 == 0 {
			break
		}
		through++
	}
	return x.acknowledge(through)
}
