package telnet

import (
	"cmp"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/terminal"
	"example.org/deref/uri"
)

// The conditions of steps: what the host has sent.
const (
	ifTerminal = "the host asks DO TERMINAL-TYPE, then SEND"
	ifWindow   = "the host asks DO NAWS"
	ifEnviron  = "the host asks DO NEW-ENVIRON, then SEND USER"
	ifEcho     = "the host offers WILL ECHO"
	ifAhead    = "the host offers WILL SUPPRESS-GO-AHEAD"
	ifGoAhead  = "the host asks DO SUPPRESS-GO-AHEAD"
	ifBinary   = "the host offers WILL or asks DO TRANSMIT-BINARY"
	ifCharset  = "the host sends CHARSET REQUEST with UTF-8"
	ifFlow     = "the host asks DO TOGGLE-FLOW-CONTROL"
	ifMark     = "the host asks DO TIMING-MARK"
	ifOther    = "the host offers or asks for another option"
)

// untilWaits ends the first screen, untilAsked the answers that a host may request repeatedly, such as the types of a terminal (RFC 1091).
const (
	untilWaits = "until the host waits"
	untilAsked = "until the host does not ask again"
)

// A request is a parsed URI with the terminal type of the settings.
type request struct {
	*terminal.Request
	term string
}

// plan lists the possible answers and their conditions: the host leads a session. inside means TLS from the first byte.
func plan(u uri.URI, o *fetch.Options, port int, inside bool) (*fetch.Plan, error) {
	t, err := terminal.NewRequest(u, o, port, setIdle)
	if err != nil {
		return nil, err
	}
	r := request{t, o.Get(setTerm)}
	p, err := r.Plan(o.Op, untilWaits, r.run, r.attach)
	if err != nil {
		return nil, err
	}
	p.Steps = append(p.Steps, answers(r.term)...)
	nvt.PlanTLS(p, o.Get(setTLS), inside)
	if r.User != nil {
		p.Steps = append(p.Steps, fetch.Step{Verb: "IAC SB NEW-ENVIRON IS USER", Args: []string{string(*r.User)}, If: ifEnviron, Repeat: untilAsked})
	}
	return p, nil
}

// answers returns the options that the client supports: RFC 1091, 1073, 857, 858, 856, 2066, 1372, 860.
func answers(term string) []fetch.Step {
	return []fetch.Step{
		{Verb: "IAC SB TERMINAL-TYPE IS", Args: []string{cmp.Or(term, "<terminal type>")}, If: ifTerminal, Repeat: untilAsked},
		{Verb: "IAC SB NAWS", Args: []string{"<columns>", "<rows>"}, If: ifWindow},
		{Verb: "IAC DO", Args: []string{"ECHO"}, If: ifEcho},
		{Verb: "IAC DO", Args: []string{"SUPPRESS-GO-AHEAD"}, If: ifAhead},
		{Verb: "IAC WILL", Args: []string{"SUPPRESS-GO-AHEAD"}, If: ifGoAhead},
		{Verb: "IAC WILL or DO", Args: []string{"TRANSMIT-BINARY"}, If: ifBinary},
		{Verb: "IAC SB CHARSET ACCEPTED", Args: []string{"UTF-8"}, If: ifCharset, Repeat: untilAsked},
		{Verb: "IAC WILL", Args: []string{"TOGGLE-FLOW-CONTROL"}, If: ifFlow},
		{Verb: "IAC WILL", Args: []string{"TIMING-MARK"}, If: ifMark},
		{Verb: "IAC DONT or WONT", Args: []string{"<option>"}, If: ifOther},
	}
}
