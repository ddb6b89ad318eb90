package ftp

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

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
			c.out = fmt.Appendf(c.out[:0], "229 (|||%d|)\r\n", c.port)
			return nil
		}
		no := &refusal{s, r}
		if r.code == 421 || r.code/10 == 53 {
			return c.end(fail(no))
		}
		if err := c.otherwise(no); err != nil {
			return err
		}
	}
}

// otherwise puts the way that is next after a refused one before what is still to be said.
func (c *control) otherwise(no *refusal) error {
	again, err := c.drain()
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
	if no.reply.class() == 5 {
		c.run.env.Learn(no.step.Verb + refusedFact)
	}
	c.planned = append(append([]fetch.Step{*next}, again...), c.planned...)
	return nil
}

// grant notes the port that a set-up has given. The address is always that of the control connection: another would make us a
// tool against third parties (RFC 2577 §3), and behind address translation it is wrong.
func (c *control) grant(verb string, r reply) (err error) {
	c.run.setupVerb = verb
	switch verb {
	case "EPSV":
		c.port, err = parseEPSV(r.text)
	case "PASV":
		c.port, err = parsePASV(r.text)
	default:
		c.port = c.run.listener.Addr().Port
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%d %s: %w", r.code, clip(r.first()), err)
	}
	return nil
}

// parseEPSV reads "(|||port|)", with any delimiter (RFC 2428 §3). Protocol and address should be void and are not looked at.
func parseEPSV(text string) (int, error) {
	_, in, ok := strings.Cut(text, "(")
	if in, _, _ = strings.Cut(in, ")"); !ok || in == "" {
		return 0, fmt.Errorf("no port in brackets")
	}
	parts := strings.Split(in, in[:1])
	if len(parts) != 5 {
		return 0, fmt.Errorf("the brackets do not hold three fields")
	}
	return port(parts[3], 1, 65535)
}

// parsePASV reads six numbers (RFC 959 §4.1.2; RFC 1123 §4.1.2.6: look for digits, the brackets may be missing).
func parsePASV(text string) (int, error) {
	i := strings.IndexAny(text, "0123456789")
	if _, in, ok := strings.Cut(text, "("); ok {
		text = in
	} else if i >= 0 {
		text = text[i:]
	}
	parts := strings.SplitN(text, ",", 6)
	if len(parts) != 6 {
		return 0, fmt.Errorf("there are no six numbers")
	}
	last := strings.TrimLeft(parts[5], " ")
	if i := strings.IndexFunc(last, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		last = last[:i]
	}
	parts[5] = last
	var n [6]int
	for i, p := range parts {
		var err error
		if n[i], err = port(strings.TrimSpace(p), 0, 255); err != nil {
			return 0, err
		}
	}
	if n[4] == 0 && n[5] == 0 {
		return 0, fmt.Errorf("port 0 does not exist")
	}
	return n[4]<<8 | n[5], nil
}

// port reads a number of digits alone within bounds.
func port(s string, low, high int) (int, error) {
	if s == "" || len(s) > 5 || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%q is no number of a port", clip(s))
	}
	n, err := strconv.Atoi(s)
	if err == nil && (n < low || n > high) {
		err = fmt.Errorf("%d is not from %d to %d", n, low, high)
	}
	return n, err
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
	out := append([]fetch.Step(nil), steps...)
	for i, s := range out {
		if !arranges(s.Verb) {
			continue
		}
		if s.Verb == "EPSV" && (r.noEPSV || r.env.Knows("EPSV"+refusedFact)) {
			if other := r.plan.When(ifNoEPSV); len(other) > 0 {
				s = other[0]
			}
		}
		if s.Verb == "PASV" && r.noPASV {
			s = r.plan.When(ifNoPASV)[0]
		}
		var err error
		if out[i], err = r.ready(s); err != nil {
			return nil, err
		}
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

// data is a data connection as the library sees it: something to close.
type data struct {
	net.Conn // nil until the server has connected
	of       *run
}

// Close closes what there is of the connection.
func (d *data) Close() error {
	d.of.unlisten()
	if d.Conn == nil {
		return nil
	}
	return d.Conn.Close()
}

// unreachable says that a port was granted and leads nowhere.
type unreachable struct {
	error
	verb string
}

// Unwrap returns why.
func (u unreachable) Unwrap() error { return u.error }

// early finds out whether a port was closed because the transfer, asked for in the same flight, is refused already.
func (c *control) early() *refusal {
	c.Conn.SetReadDeadline(time.Now().Add(patience))
	defer c.Conn.SetReadDeadline(time.Time{})
	for len(c.sent) > 0 {
		s := c.sent[0]
		a, err := readReply(c.Conn)
		if err != nil || !fits(s.Verb, a.code) || a.class() < 3 {
			return nil
		}
		c.sent = c.sent[1:]
		if transfers(s.Verb) {
			c.heard++
			c.asked, c.last = s, a
			return &refusal{s, a}
		}
	}
	return nil
}

// dialData is the library's dial function for data connections. host is what the library believes, which Near overrides.
func (r *run) dialData(addr string) (net.Conn, error) {
	d := &data{of: r}
	r.data = d
	if r.listener != nil {
		return d, nil // the server connects when it has read RETR
	}
	c, err := r.env.Dial(r.ctx, "tcp", addr, &fetch.DialOptions{Near: r.s.ctl.Conn})
	if err != nil {
		if no := r.s.ctl.early(); no != nil {
			return nil, fail(no)
		}
		r.s.ctl.end(err)
		if k := fetch.KindOf(err); k == fetch.ErrConnect || k == fetch.ErrTimeout {
			err = unreachable{err, r.setupVerb}
		}
		return nil, err
	}
	d.Conn = c
	return d, nil
}
