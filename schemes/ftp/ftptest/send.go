package ftptest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
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
	err = x.copy(c, body)
	x.endData(c, tcp, err)
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
