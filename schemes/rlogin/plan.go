package rlogin

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const (
	untilWaits = "until the host waits"
	ifWindow   = "the host asks for window sizes (urgent 0x80)" // RFC 1282 section "Window size"
)

// Plan says the four strings of the opening as arguments of one step.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u)
	if err != nil {
		return nil, err
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "a session has no parts")
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: fetch.NoTLS, Shape: fetch.ShapeSession}
	p.Steps = []fetch.Step{{Verb: "open", Args: opening(r.User, o)}, {Verb: "size", Args: []string{"<rows>", "<columns>"}, If: ifWindow}}
	switch o.Op {
	case fetch.Retrieve:
		p.Steps = append(p.Steps, fetch.Step{Verb: "read", Repeat: untilWaits})
	case fetch.Attach:
		p.Steps = append(p.Steps, fetch.Step{Verb: "attach", Args: []string{"the", "terminal"}})
	default:
		return nil, fetch.Errorf(fetch.ErrUnsupported, "rlogin has no operation %q", o.Op)
	}
	return p, nil
}

// opening returns client user, server user and terminal/speed, which RFC 1282 sends after a NUL and each with one. A void user
// makes the server ask.
func opening(user *fetch.Octets, o *fetch.Options) []string {
	remote, term := "", o.Get(setTerm)
	if user != nil {
		remote = string(*user)
	}
	local := o.Get(setLocal)
	if local == "" {
		local = remote
	}
	if term == "" {
		term = "xterm/38400"
	}
	return []string{local, remote, term}
}

// Run is issue 13's.
func (handler) Run(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "reading rlogin is planned, not yet spoken")
}
