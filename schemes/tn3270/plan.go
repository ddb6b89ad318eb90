package tn3270

import (
	"cmp"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/terminal"
	"example.org/deref/uri"
)

const (
	untilUnlocked = "until the keyboard is unlocked"

	ifExtended  = "the host asks DO TN3270E"                                         // RFC 2355 section 7
	ifFunctions = "the host answers DEVICE-TYPE IS"                                  // section 7.2
	ifClassic   = "the host asks DO TERMINAL-TYPE, then SEND, without TN3270E"       // RFC 1576
	ifRecords   = "the host asks for END-OF-RECORD and TRANSMIT-BINARY in both ways" // RFC 1576
	ifQuery     = "the host sends READ PARTITION QUERY"
)

// A request is a parsed URI with the settings.
type request struct {
	*terminal.Request
	device string
	lu     string
	page   codePage
}

// plan lists the possible answers and their conditions: the host leads a session.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	t, err := terminal.NewRequest(u, o, port, setIdle)
	if err != nil {
		return nil, err
	}
	r := &request{Request: t, device: deviceType(o), lu: o.Get(setLU), page: pageOf(o)}
	p, err := r.Plan(o.Op, untilUnlocked, r.run, r.attach)
	if err != nil {
		return nil, err
	}
	p.Steps = append(p.Steps, negotiation(r.device, r.lu)...)
	ssl := o.Get(setTLS)
	nvt.PlanTLS(p, ssl, ssl == "implicit" || ssl != "never" && r.Port == securePort)
	return p, nil
}

// negotiation returns the steps of both ways into 3270 mode.
func negotiation(device, lu string) []fetch.Step {
	request, classic := []string{device}, device
	if lu != "" {
		request = append(request, "CONNECT", lu)
		classic += "@" + lu // the convention of hosts without TN3270E
	}
	return []fetch.Step{
		{Verb: "IAC SB TN3270E DEVICE-TYPE REQUEST", Args: request, If: ifExtended},
		{Verb: "IAC SB TN3270E FUNCTIONS REQUEST", If: ifFunctions},
		{Verb: "IAC SB TERMINAL-TYPE IS", Args: []string{classic}, If: ifClassic},
		{Verb: "IAC WILL and DO", Args: []string{"END-OF-RECORD", "TRANSMIT-BINARY"}, If: ifRecords},
		{Verb: "QUERY REPLY", If: ifQuery},
	}
}

// deviceType returns the device type: RFC 1576 section 4.1, RFC 2355 section 7.1.
func deviceType(o *fetch.Options) string { return "IBM-3278-" + cmp.Or(o.Get(setModel), "2") + "-E" }
