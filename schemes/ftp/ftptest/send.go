package ftptest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// send does one transfer: it opens the data connection, sends 150, the data and
// the final reply.
func (x *session) send(verb string, body io.Reader, announce string) {
	if x.o.RequireTLS && !x.prot {
		x.data.reset(x)
		x.reply(521, "Data connections must be protected: PROT P") // RFC 4217 §9
		return
	}
	active := x.data.active.IsValid()
	tcp, err := x.openData()
	if err != nil {
		x.reply(425, "Cannot open the data connection: use EPSV or PASV first")
		return
	}
	defer x.Net.Untrack(tcp)
	x.reply(150, announce)
	if x.f.EarlyFinal {
		x.reply(226, "Transfer complete")
	}
	c, why := x.protect(tcp, active)
	if why != "" {
		x.final(verb, 522, why)
		return
	}
	stop := x.watch(tcp)
	err = x.copy(c, body)
	x.endData(c, tcp, err)
	if aborted := stop(); aborted && err != nil {
		x.reply(426, "Transfer aborted")
		return // ABOR itself is still to be read, and answered 226
	}
	x.conclude(verb, err)
}

// protect begins TLS on the data connection if PROT P is in force. why is the
// reason of a failure.
func (x *session) protect(tcp dataConn, active bool) (c net.Conn, why string) {
	if !x.prot {
		return x.Net.Observed(tcp, active), ""
	}
	t := x.Net.AcceptTLS(tcp, x.o.TLS)
	if t == nil {
		return nil, "TLS negotiation failed"
	}
	if x.o.RequireReuse && !t.ConnectionState().DidResume {
		return nil, "SSL connection failed: session reuse required"
	}
	return t, ""
}

func (x *session) conclude(verb string, err error) {
	switch {
	case x.f.EarlyFinal:
	case errors.Is(err, loopback.ErrCut) && !x.f.CutSilently:
		x.final(verb, 426, "Connection closed; transfer aborted")
	case err != nil && !errors.Is(err, loopback.ErrCut):
		x.final(verb, 426, "Failure writing network stream")
	default:
		x.final(verb, 226, "Transfer complete")
	}
}

// copy writes the body, subject to Faults.
func (x *session) copy(c net.Conn, body io.Reader) error {
	w := &loopback.CutWriter{Conn: c, Idle: x.o.Idle, Cut: x.f.CutDataAfter, Stall: x.f.StallAfter}
	if x.f.Blackhole {
		w.AwaitClose()
		return w.Err
	}
	_, err := io.Copy(w, &repeater{r: body, on: x.f.Endless})
	return err
}

// endData closes the data connection, whose end is the end of the file.
func (x *session) endData(c net.Conn, tcp dataConn, err error) {
	defer c.Close() // which a Watcher learns; tcp is closed before
	if errors.Is(err, loopback.ErrCut) && x.f.Reset || errors.Is(err, os.ErrDeadlineExceeded) {
		tcp.SetLinger(0)
		tcp.Close()
		return
	}
	if t, ok := c.(*tls.Conn); ok && !x.f.NoCloseNotify && err == nil {
		t.CloseWrite()
	}
	tcp.CloseWrite()
	if x.o.Linger > 0 {
		tcp.SetReadDeadline(time.Now().Add(x.o.Linger))
		io.Copy(io.Discard, tcp)
	}
	tcp.Close()
}

// watch waits for ABOR, and for the end of the control connection, during a
// transfer. Other commands wait. The function that it returns ends the watch and
// reports whether ABOR has arrived.
func (x *session) watch(tcp dataConn) (stop func() bool) {
	return x.peekDuring(func(abort bool, err error) {
		if abort || err != nil && !errors.Is(err, io.EOF) {
			tcp.Close()
		}
	})
}

// peekDuring waits for the next line, or for the end of the control connection, while the caller does something else, and tells it what
// came. The function that it returns ends that.
func (x *session) peekDuring(came func(abort bool, err error)) (stop func() bool) {
	x.c.SetReadDeadline(time.Time{})
	result := make(chan bool, 1)
	x.Net.Go(func() {
		abort, err := x.peek()
		came(abort, err)
		result <- abort
	})
	return func() bool {
		x.c.SetReadDeadline(time.Unix(1, 0)) // ends the Peek; nothing is lost
		return <-result
	}
}

// peek waits for the next line without consuming it. The error is that of the connection, and nil if the caller has ended the wait.
func (x *session) peek() (abort bool, gone error) {
	n := 1
	for {
		p, err := x.r.Peek(max(n, x.r.Buffered()))
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			return strings.EqualFold(clean(p[:i]), "ABOR"), nil
		}
		if err != nil {
			if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
				return false, nil
			}
			return false, err
		}
		n = len(p) + 1
	}
}

// repeater reads a body over and over if it is on.
type repeater struct {
	r   io.Reader
	on  bool
	all []byte
	i   int
}

// maxRepeat bounds what Faults.Endless repeats.
const maxRepeat = 1 << 20

func (e *repeater) Read(p []byte) (int, error) {
	if !e.on {
		return e.r.Read(p)
	}
	if e.all == nil {
		e.all, _ = io.ReadAll(io.LimitReader(e.r, maxRepeat))
	}
	if len(e.all) == 0 {
		e.all = []byte("\r\n")
	}
	n := 0
	for n < len(p) {
		m := copy(p[n:], e.all[e.i:])
		e.i = (e.i + m) % len(e.all)
		n += m
	}
	return n, nil
}
