package rlogin

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/login"
	"example.org/deref/uri"
)

const (
	untilWaits = "until the host waits"

	// RFC 1282 has the host ask for the size by urgent data.
	//
	// QUIRK: every rlogind takes it unasked (4.4BSD's and its descendants look for the magic octets in all that comes, rsh-redone 85
	// was seen to), and Go's sockets do not show urgent data; what else the host says by it concerns its own output's flushing.
	ifWindow = "the terminal has a size, and whenever it has another"
)

// Plan says the four strings of the opening as arguments of one step.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := login.Of(u, port)
	if err != nil {
		return nil, err
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "a session has no parts")
	}
	if _, err := idleOf(o); err != nil {
		return nil, err
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: fetch.NoTLS, Shape: fetch.ShapeSession}
	p.Steps = []fetch.Step{{Verb: "open", Args: opening(r.User, o)}}
	switch o.Op {
	case fetch.Retrieve:
		p.Steps = append(p.Steps, fetch.Step{Verb: "read", Repeat: untilWaits})
	case fetch.Attach:
		p.Steps = append(p.Steps, fetch.Step{Verb: "attach", Args: []string{"the", "terminal"}},
			fetch.Step{Verb: "size", Args: []string{"<rows>", "<columns>"}, If: ifWindow})
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
