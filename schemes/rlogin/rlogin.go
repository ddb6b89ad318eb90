// Package rlogin opens interactive sessions with BSD's rlogin (RFC 1282). Its URIs have the form of telnet's (RFC 1630).
//
// The client opens with four strings, each ended by a NUL, the first one empty. The server replies with a NUL:
//
//	C: \0 ann \0 ann \0 xterm/38400 \0
//	S: \0
//	S: Password:
//
// Only the first screen is a document. What the host sends first decides the result:
//
//	first screen           interactive: the screen is the body
//	text instead of a NUL  refused: with the server's text
//	close before a screen  connection: with a hint about the source port, if that is not a privileged one
//	silence                timeout
//	a screen without end   limit: timeout if it is slow
//
// Hosts trust source ports below 1024, which need a privilege on Unix. The Client tries one, and uses an ordinary port if it cannot have
// it. Requests that the host sends as urgent data (the window size, who handles Ctrl-S, output to discard) are handled on Linux, which
// shows them to programs, on connections without a proxy. The host asks for a password on the screen. There is no encryption.
package rlogin

import (
	"cmp"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/schemes/internal/terminal"
	"example.org/deref/uri"
)

const port = 513

// Scheme returns the scheme rlogin.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"rlogin"},
		LoginFirst: true,
		Rules:      uri.Rules{DefaultPort: port, Hierarchical: true},
		Summary:    "interactive sessions of BSD hosts",
		Spec:       "RFC 1630, RFC 1282",
		Help:       func() string { return help + string(outcomes) },
		Does:       fetch.Does{Retrieves: true, Session: true},
		Settings: []fetch.Setting{
			fetch.CharsetSetting("rlogin"),
			{Key: setIdle, Help: "how many seconds of silence end the first screen"},
			{Key: setLocal, Help: "the user name on this side; the one of the URI otherwise"},
			{Key: setTerm, Help: "the terminal type and speed sent to the host, such as vt100/9600"},
		},
		Read:   terminal.Read(port),
		Plan:   plan,
		Decode: decode,
	}
}

const (
	setLocal = "rlogin.local-user"
	setTerm  = "rlogin.term"
	setIdle  = "rlogin.idle"
)

const help = `example: rlogin://ann@host.example/
  \0 ann \0 ann \0 xterm/38400 \0
  read until the host waits

`

const outcomes replies.Table = `first screen           interactive: the screen is the body
text instead of a NUL  refused: with the server's text
close before a screen  connection: with a hint about the source port, if that is not a privileged one
silence                timeout
a screen without end   limit: timeout if it is slow
`

const (
	untilWaits = "until the host waits"

	// QUIRK: in RFC 1282 the host first asks for the size by urgent data, but every rlogind accepts it unasked (4.4BSD's and its descendants
	// look for the magic bytes in all input; observed with rsh-redone 85), and not every system shows urgent data to a client.
	ifWindow = "the terminal has a size, whenever it has another, and when the host asks"
)

// plan sends the four strings of the opening as the arguments of one step.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	t, err := terminal.NewRequest(u, o, port, setIdle)
	if err != nil {
		return nil, err
	}
	r := request{t}
	p, err := r.Plan(o.Op, untilWaits, r.run, r.attach)
	if err != nil {
		return nil, err
	}
	p.Steps = append([]fetch.Step{{Verb: "open", Args: opening(r.User, o)}}, p.Steps...)
	if o.Op == fetch.Attach {
		p.Steps = append(p.Steps, fetch.Step{Verb: "size", Args: []string{"<rows>", "<columns>"}, If: ifWindow})
	}
	return p, nil
}

type request struct{ *terminal.Request }

// opening returns the client user, the server user and terminal/speed. RFC 1282 sends a NUL before them and after each. If the user is
// empty, the server asks for it.
func opening(user *fetch.Octets, o *fetch.Options) []string {
	remote := ""
	if user != nil {
		remote = string(*user)
	}
	return []string{cmp.Or(o.Get(setLocal), remote), remote, cmp.Or(o.Get(setTerm), "xterm/38400")}
}
