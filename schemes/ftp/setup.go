package ftp

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// setup arranges the data connection by the next step, and by the other ways that the Plan has where the server refuses. The
// library hears of an EPSV that was granted, or of a failure.
func (c *control) setup() error {
	for {
		s, _, _ := c.head()
		r, err := c.exchange("")
		if err != nil {
			return err
		}
		if r.class() == 2 {
			if err := c.grant(s.Verb, r); err != nil {
				return c.end(err)
			}
			c.out = append(strconv.AppendInt(append(c.out[:0], "229 (|||"...), int64(c.port), 10), "|)\r\n"...)
			return nil
		}
		no := &refusal{s, r}
		if r.code == 421 || r.code/10 == 53 {
			return c.end(fail(no))
		}
		if r.code == 425 && c.run.anotherPort() {
			if err := c.onceMore(no); err != nil {
				return err
			}
			continue
		}
		if err := c.otherwise(no); err != nil {
			return err
		}
	}
}

// otherwise puts the way that is next after a refused one before what is still to be said.
func (c *control) otherwise(no *refusal) error {
	again, err := c.drain(patience)
	if err != nil {
		return err
	}
	next, err := c.run.insteadOf(no.step.Verb)
	if err != nil {
		return c.end(err)
	}
	if next == nil {
		return c.end(fail(no))
	}
	if no.reply.class() != 4 {
		c.run.env.Learn(no.step.Verb + refusedFact)
	}
	c.planned = append(append([]fetch.Step{*next}, again...), c.planned...)
	return nil
}

// grant notes the port that a set-up has given, and the address if the user allows another than the control connection's.
func (c *control) grant(verb string, r reply) (err error) {
	c.run.setupVerb, c.run.ignored, c.at = verb, netip.Addr{}, netip.Addr{}
	switch verb {
	case "EPSV":
		c.port, err = parseEPSV(r.text)
	case "PASV":
		var named netip.AddrPort
		named, err = parsePASV(r.text)
		c.port, c.at = int(named.Port()), c.run.dataAddress(named.Addr())
	default:
		c.port = c.run.listener.Addr().Port
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%d %s: %w", r.code, clip(r.first()), err)
	}
	return nil
}

// refusedFact follows the verb in what is learned about a server.
const refusedFact = " is refused"

// insteadOf returns the step to arrange a data connection with where verb was refused; nil where the Plan has no other.
func (r *run) insteadOf(verb string) (*fetch.Step, error) {
	cond := ifNoPORT
	switch verb {
	case "EPSV":
		cond = ifNoEPSV
	case "PASV":
		cond = ifNoPASV
	}
	steps := r.plan.When(cond)
	if len(steps) == 0 {
		return nil, nil
	}
	s, err := r.ready(steps[0])
	return &s, err
}

// arranged replaces the set-up of a group of steps by the one that this server is known to grant.
func (r *run) arranged(steps []fetch.Step) ([]fetch.Step, error) {
	var out []fetch.Step
	for i, s := range steps {
		if !arranges(s.Verb) {
			continue
		}
		verb := s.Verb
		if s.Verb == "EPSV" && (r.noEPSV || r.env.Knows("EPSV"+refusedFact)) {
			if other := r.plan.When(ifNoEPSV); len(other) > 0 {
				s = other[0]
			}
		}
		if s.Verb == "PASV" && r.noPASV {
			s = r.plan.When(ifNoPASV)[0]
		}
		s, err := r.ready(s)
		if err != nil {
			return nil, err
		}
		if out == nil && (s.Verb != verb || verb == "PORT") { // the steps themselves stay as they are
			out = slices.Clone(steps)
		}
		if out != nil {
			out[i] = s
		}
	}
	if out == nil {
		return steps, nil
	}
	return out, nil
}

func arranges(verb string) bool {
	return verb == "EPSV" || verb == "PASV" || verb == "PORT" || verb == "EPRT"
}

// ready fills in what the Plan could not know: the address that the server is to connect to.
func (r *run) ready(s fetch.Step) (fetch.Step, error) {
	r.unlisten()
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

// portArgument is that of PORT (RFC 959 §4.1.2) or EPRT (RFC 2428 §2).
func portArgument(verb string, at netip.AddrPort) string {
	if verb == "EPRT" {
		return fmt.Sprintf("|2|%s|%d|", at.Addr().WithZone(""), at.Port())
	}
	return fmt.Sprintf("%s,%d,%d", strings.ReplaceAll(at.Addr().String(), ".", ","), at.Port()>>8, at.Port()&0xff)
}

func (r *run) unlisten() {
	if r.listener != nil {
		r.listener.Close()
		r.listener = nil
	}
}
