package ftp

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// arrange carries out the next step, which arranges the data connection. If the server refuses it, the other ways of the Plan follow.
func (r *retrieval) arrange() error {
	c := r.s.ctl
	for {
		a, err := c.exchange()
		if err != nil {
			return err
		}
		if a.class() == 2 {
			return c.end(r.granted(c.step.Verb, a))
		}
		no := &refusal{c.step, a}
		switch {
		case a.code/10 == 53:
			return c.end(fail(no))
		case a.code == ftp.StatusCanNotOpenDataConnection && r.mayRetryBusyPort():
			err = r.retryBusyPort(no)
		default:
			err = r.otherMode(no)
		}
		if err != nil {
			return err
		}
	}
}

// granted stores the port that the server has granted, and the address if the user allows another than the control connection's.
func (r *retrieval) granted(verb string, a reply) (err error) {
	r.verb, r.ignored, r.address = verb, netip.Addr{}, netip.Addr{}
	switch verb {
	case "EPSV":
		r.port, err = parseEPSV(a.text)
	case "PASV":
		var named netip.AddrPort
		named, err = parsePASV(a.text)
		r.port, r.address = int(named.Port()), r.dataAddress(named.Addr())
	default:
		r.port = r.listener.Addr().Port
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%d %s: %w", a.code, clip(a.first()), err)
	}
	return nil
}

// otherMode continues with the next way to open a data connection, because the server has refused one.
func (r *retrieval) otherMode(no *refusal) error {
	c := r.s.ctl
	again, err := c.drain(replyPatience)
	if err != nil {
		return err
	}
	cond := ifNoPORT
	switch no.step.Verb {
	case "EPSV":
		cond = ifNoEPSV
	case "PASV":
		cond = ifNoPASV
	}
	steps := r.plan.When(cond)
	if len(steps) == 0 {
		return c.end(fail(no))
	}
	next, err := r.prepared(steps[0])
	if err != nil {
		return c.end(err)
	}
	if no.step.Verb == "EPSV" && no.reply.class() != 4 {
		r.avoidEPSV()
	}
	c.queue = slices.Concat([]fetch.Step{next}, again, c.queue)
	return nil
}

// withKnownMode replaces the first way to a data connection by the one that this server is known to grant.
func (r *retrieval) withKnownMode(steps []fetch.Step) ([]fetch.Step, error) {
	out := slices.Clone(steps) // the steps of the Plan must not change
	for i, s := range steps {
		if !arranges(s.Verb) {
			continue
		}
		if s.Verb == "EPSV" && r.noEPSV {
			if other := r.plan.When(ifNoEPSV); len(other) > 0 {
				s = other[0]
			}
		}
		if s.Verb == "PASV" && r.noPASV {
			s = r.plan.When(ifNoPASV)[0]
		}
		var err error
		if out[i], err = r.prepared(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// prepared listens for the server's connection if s is PORT, and fills in the address.
func (r *retrieval) prepared(s fetch.Step) (fetch.Step, error) {
	r.closeListener()
	if s.Verb != "PORT" {
		return s, nil
	}
	l, err := r.env.Accept(r.ctx, r.s.ctl.Conn)
	if err != nil {
		return s, err
	}
	r.listener = l
	at := l.Addr().AddrPort()
	if v6 := r.plan.When(ifIPv6); at.Addr().Unmap().Is6() && len(v6) > 0 {
		s = v6[0]
	}
	s.Args = []string{portArgument(s.Verb, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))}
	return s, nil
}

// portArgument returns the argument of PORT (RFC 959 §4.1.2) or EPRT (RFC 2428 §2).
func portArgument(verb string, at netip.AddrPort) string {
	if verb == "EPRT" {
		return fmt.Sprintf("|2|%s|%d|", at.Addr().WithZone(""), at.Port())
	}
	return fmt.Sprintf("%s,%d,%d", strings.ReplaceAll(at.Addr().String(), ".", ","), at.Port()>>8, at.Port()&0xff)
}

// maxBusyPortRetries is how often another port is requested after one that the server could not open (425). Sessions of one server
// compete for its ports: proftpd's "425 EPSV: Address already in use" means nothing for the next one.
const maxBusyPortRetries = 3

// busyPortPatience is how long to wait for the replies to what was sent after a refused EPSV or PASV. They come with the refusal or,
// from proftpd, not before its own timeout.
const busyPortPatience = 500 * time.Millisecond

// mayRetryBusyPort reports whether another port may be requested, and counts.
func (r *retrieval) mayRetryBusyPort() bool {
	if r.busyPortRetries == maxBusyPortRetries {
		return false
	}
	r.busyPortRetries++
	return true
}

// busyPortError means that the connection is of no use after a 425: the server still waits for the data connection of a command that was
// sent after the refused one.
type busyPortError struct{ error }

// Unwrap returns the refusal.
func (b busyPortError) Unwrap() error { return b.error }

// retryBusyPort makes the step that was answered 425 the next one again.
func (r *retrieval) retryBusyPort(no *refusal) error {
	c := r.s.ctl
	again, err := c.drain(busyPortPatience)
	if err != nil {
		if _, ok := errors.AsType[pipelineError](err); ok {
			c.broken = busyPortError{fail(no)}
			return c.broken
		}
		return err
	}
	c.queue = slices.Concat([]fetch.Step{no.step}, again, c.queue)
	return nil
}

// isBusyPort reports whether err is a 425 to a transfer, after which the conversation can continue.
func (r *retrieval) isBusyPort(err error) bool {
	no := refused(err)
	return no != nil && no.reply.code == ftp.StatusCanNotOpenDataConnection && transfers(no.step.Verb) && r.s.ctl.idle()
}

// transferRefused returns the error for the refusal of a transfer. In a pipeline, 425 may only mean that the client had not connected yet.
// It cannot connect before it has read the port, and some servers do not wait for that.
func (r *retrieval) transferRefused(no *refusal) error {
	err := fail(no)
	if no.reply.code == ftp.StatusCanNotOpenDataConnection && r.s.ctl.pipelined && !has(no.reply.text, "in use") {
		return r.s.ctl.end(pipelineError{err})
	}
	return err
}

// quietTime is how long the control connection may be silent during a transfer before it is probed. Most transfers take less.
const quietTime = 10 * time.Second

// transferBegun waits for the server's connection in active mode, and begins TLS: servers do so only after they have sent 150.
func (r *retrieval) transferBegun() error {
	r.watch = time.AfterFunc(quietTime, r.s.ctl.KeepAlive)
	if r.listener != nil {
		conn, err := r.listener.Wait(r.ctx, nil)
		r.closeListener()
		if err != nil {
			return r.s.ctl.end(r.explain(err, fetch.ErrConnect))
		}
		r.conn = conn
	}
	if !r.s.tls {
		return nil
	}
	if err := r.env.StartTLS(r.ctx, r.conn); err != nil {
		return r.s.ctl.end(r.explain(err, fetch.ErrTLS))
	}
	return nil
}

// explain adds to the error of a data connection the server's immediate reply about it, or the fact that the control connection has ended.
func (r *retrieval) explain(err error, kind fetch.Kind) error {
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
