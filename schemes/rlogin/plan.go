package rlogin

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/login"
	"example.org/deref/uri"
)

const (
	untilWaits = "until the host waits"

	// QUIRK: RFC 1282 has the host ask for the size by urgent data first, but every rlogind takes it unasked (4.4BSD's and its descendants
	// look for the magic octets in all that comes, rsh-redone 85 was seen to), and not every system shows a client urgent data.
	ifWindow = "the terminal has a size, and whenever it has another"

	// What the host says by urgent data: RFC 1282 "TCP urgent data".
	ifFlush  = "the host sends the urgent octet 02"
	ifRaw    = "the host sends the urgent octet 10"
	ifCooked = "the host sends the urgent octet 20"
	ifAsked  = "the host sends the urgent octet 80"
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
			fetch.Step{Verb: "size", Args: []string{"<rows>", "<columns>"}, If: ifWindow},
			fetch.Step{Verb: "discard", Args: []string{"what", "came", "before"}, If: ifFlush},
			fetch.Step{Verb: "pass", Args: []string{"Ctrl-S", "Ctrl-Q"}, If: ifRaw},
			fetch.Step{Verb: "obey", Args: []string{"Ctrl-S", "Ctrl-Q"}, If: ifCooked},
			fetch.Step{Verb: "tell", Args: []string{"the", "size"}, If: ifAsked})
	default:
		return nil, fetch.NoOperation("rlogin", o.Op)
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
