package ftp

import (
	"slices"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// say says steps, in one flight where that is allowed, and hears their replies.
func (r *run) say(steps []fetch.Step) error {
	c := r.s.ctl
	c.planned, c.flown = steps, false
	if !r.serial && len(steps) > 1 && length(steps) < maxFlight {
		if err := c.fly(); err != nil {
			return err
		}
	}
	for {
		s, _, ok := c.head()
		if !ok {
			return nil
		}
		if err := r.hear(s); err != nil {
			return err
		}
	}
}

// maxFlight bounds a flight: a server that does not read while it cannot write must be able to take all of it in.
const maxFlight = 16 << 10

func length(steps []fetch.Step) (n int) {
	for _, s := range steps {
		n += len(s.Line()) + 2
	}
	return n
}

// hear lets the library, or the part that it does not have, do one step.
func (r *run) hear(s fetch.Step) error {
	c := r.s.ctl
	switch s.Verb {
	case "USER":
		return r.login()
	case "CWD":
		if err := r.called(r.s.lib.ChangeDir(s.Args[0]), s); err != nil {
			return err
		}
		r.s.entered(s.Args[0])
		return nil
	case "TYPE":
		r.s.typ = s.Args[0]
		return r.called(r.s.lib.Type(ftp.TransferType(s.Args[0])), s)
	case "EPSV", "PASV", "PORT", "EPRT":
		return r.transfer()
	}
	a, err := c.exchange("")
	if err != nil {
		return err
	}
	return r.learn(s, a)
}

// entered notes where a CWD has led; one to the login folder is told by its name, which no segment of a URI is taken for.
func (s *session) entered(dir string) {
	if s.home != "" && dir == s.home && len(s.cwd) > 0 {
		s.cwd = nil
		return
	}
	s.cwd = append(s.cwd, dir)
}

// called gives an error of the library its kind: the reply that it did not like, or what the connection did.
func (r *run) called(err error, s fetch.Step) error {
	switch {
	case err == nil:
		return nil
	case fetch.KindOf(err) != "" || r.s.ctl.broken != nil:
		return err
	case r.s.ctl.last.class() >= 4:
		return fail(&refusal{s, r.s.ctl.last})
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s: %w", s.Verb, err)
}

// transfer arranges a data connection and starts the transfer.
func (r *run) transfer() error {
	c := r.s.ctl
	rest := uint64(0)
	for _, s := range slices.Concat(c.sent, c.planned) {
		if s.Verb == "REST" {
			rest = uint64(r.offset)
		}
	}
	resp, err := r.s.lib.RetrFrom("-", rest)
	if err != nil {
		err = r.called(err, c.asked)
		if no := refused(err); no != nil && transfers(no.step.Verb) {
			return r.hasty(no)
		}
		return err
	}
	r.resp = resp
	r.watch = time.AfterFunc(quietTime, c.Conn.KeepAlive)
	return r.connected()
}

// quietTime is how long the control connection may be silent during a transfer before it is probed. Most transfers are over by then.
const quietTime = 10 * time.Second

// watched ends what transfer began.
func (r *run) watched() {
	if r.watch != nil {
		r.watch.Stop()
	}
}

// connected waits for the server's connection in active mode, and begins TLS: servers do so only once they have sent 150.
func (r *run) connected() error {
	if r.listener != nil {
		c, err := r.listener.Wait(r.ctx, nil)
		r.unlisten()
		if err != nil {
			return r.s.ctl.end(r.explain(err, fetch.ErrConnect))
		}
		r.data.Conn = c
	}
	if !r.s.tls {
		return nil
	}
	if err := r.env.StartTLS(r.ctx, r.conn()); err != nil {
		return r.s.ctl.end(r.explain(err, fetch.ErrTLS))
	}
	return nil
}

func (r *run) conn() *fetch.Conn { return r.data.Conn.(*fetch.Conn) }

// explain adds what the server says of a data connection that did not come about, if it says something at once, or that it has gone.
func (r *run) explain(err error, kind fetch.Kind) error {
	if r.ctx.Err() != nil {
		return err
	}
	c := r.s.ctl.Conn
	c.SetReadDeadline(time.Now().Add(time.Second))
	switch a, no := readReply(c); {
	case no == nil && a.class() >= 4:
		return fetch.Errorf(kind, "%d %s: %w", a.code, a.first(), err)
	case fetch.KindOf(no) == fetch.ErrConnection:
		return no
	}
	return err
}
