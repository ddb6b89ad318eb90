package telnet

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/login"
	"example.org/deref/schemes/internal/telhost"
	"example.org/deref/uri"
)

// What the host does before a step is said.
const (
	ifTerminal = "the host asks DO TERMINAL-TYPE, then SEND"
	ifWindow   = "the host asks DO NAWS"
	ifEnviron  = "the host asks DO NEW-ENVIRON, then SEND USER"
	ifEcho     = "the host offers WILL ECHO"
	ifAhead    = "the host offers WILL SUPPRESS-GO-AHEAD"
	ifGoAhead  = "the host asks DO SUPPRESS-GO-AHEAD"
	ifBinary   = "the host offers WILL or asks DO TRANSMIT-BINARY"
	ifCharset  = "the host sends CHARSET REQUEST with UTF-8"
	ifLinemode = "the host asks DO LINEMODE"
	ifMode     = "the host sends LINEMODE MODE"
	ifFlow     = "the host asks DO TOGGLE-FLOW-CONTROL"
	ifStatus   = "the host asks DO STATUS, then SEND"
	ifMark     = "the host asks DO TIMING-MARK"
	ifOther    = "the host offers or asks for another option"
)

// untilWaits ends the first screen, and untilAsked what a host may ask for more than once: RFC 1091 goes through the types of a terminal.
const (
	untilWaits = "until the host waits"
	untilAsked = "until the host does not ask again"
)

// Plan lists what will be said, and when: a session is led by the host.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := login.Of(u, h.port)
	if err != nil {
		return nil, err
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "a session has no parts")
	}
	if _, err := idleOf(o); err != nil {
		return nil, err
	}
	addr, err := u.HostPort(h.port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: h.tls, Shape: fetch.ShapeSession}
	if h.tls == fetch.NoTLS && o.Get(setTLS) == "require" {
		p.TLS = fetch.ExplicitTLS
	}
	switch o.Op {
	case fetch.Retrieve:
		p.Steps = append(p.Steps, fetch.Step{Verb: "read", Repeat: untilWaits})
	case fetch.Attach:
		p.Steps = append(p.Steps, fetch.Step{Verb: "attach", Args: []string{"the", "terminal"}})
	default:
		return nil, fetch.NoOperation(h.name, o.Op)
	}
	p.Steps = append(p.Steps, h.answers(o)...)
	if r.User != nil {
		p.Steps = append(p.Steps, fetch.Step{Verb: "IAC SB NEW-ENVIRON IS USER", Args: []string{string(*r.User)}, If: ifEnviron, Repeat: untilAsked})
	}
	return p, nil
}

// answers are the options that this end takes part in. RFC 1091, 1073, 857, 858, 856, 2066, 1184, 1372, 859, 860.
func (h handler) answers(o *fetch.Options) []fetch.Step {
	term := o.Get(setTerm)
	if term == "" {
		term = "<terminal type>"
	}
	list := []fetch.Step{
		{Verb: "IAC SB TERMINAL-TYPE IS", Args: []string{term}, If: ifTerminal, Repeat: untilAsked},
		{Verb: "IAC SB NAWS", Args: []string{"<columns>", "<rows>"}, If: ifWindow},
		{Verb: "IAC DO", Args: []string{"ECHO"}, If: ifEcho},
		{Verb: "IAC DO", Args: []string{"SUPPRESS-GO-AHEAD"}, If: ifAhead},
		{Verb: "IAC WILL", Args: []string{"SUPPRESS-GO-AHEAD"}, If: ifGoAhead},
		{Verb: "IAC WILL or DO", Args: []string{"TRANSMIT-BINARY"}, If: ifBinary},
		{Verb: "IAC SB CHARSET ACCEPTED", Args: []string{"UTF-8"}, If: ifCharset, Repeat: untilAsked},
		{Verb: "IAC SB LINEMODE SLC", Args: []string{"<characters>"}, If: ifLinemode},
		{Verb: "IAC SB LINEMODE MODE", Args: []string{"<mask>", "ACK"}, If: ifMode, Repeat: untilAsked},
		{Verb: "IAC WILL", Args: []string{"TOGGLE-FLOW-CONTROL"}, If: ifFlow},
		{Verb: "IAC SB STATUS IS", Args: []string{"<options>"}, If: ifStatus, Repeat: untilAsked},
		{Verb: "IAC WILL", Args: []string{"TIMING-MARK"}, If: ifMark},
		{Verb: "IAC DONT or WONT", Args: []string{"<option>"}, If: ifOther},
	}
	if h.tls == fetch.NoTLS && o.Get(setTLS) != "never" {
		list = append(list, telhost.StartTLS())
	}
	return list
}
