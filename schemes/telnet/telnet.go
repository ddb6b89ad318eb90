// Package telnet opens interactive sessions: telnet (RFC 4248, RFC 854) and telnets, the same inside TLS.
//
// A session has no document, but it has a first screen: what the host sends until it waits for input. The client answers the options that
// the host asks for and refuses all others, so the host leads the dialogue:
//
//	S: IAC DO TERMINAL-TYPE IAC DO NAWS IAC WILL SUPPRESS-GO-AHEAD
//	C: IAC WILL TERMINAL-TYPE IAC WILL NAWS IAC SB NAWS 0 80 0 24 IAC SE IAC DO SUPPRESS-GO-AHEAD
//	S: IAC SB TERMINAL-TYPE SEND IAC SE
//	C: IAC SB TERMINAL-TYPE IS XTERM IAC SE
//	S: login:
//
// The Plan holds the possible answers, each with the question that it answers. A user name goes into NEW-ENVIRON (RFC 1572) if the host
// asks for it. A password is never sent automatically. The result depends on what the host does:
//
//	first screen                  interactive: the screen is the body
//	close before a screen         connection
//	silence                       timeout
//	endless negotiation           protocol
//	a screen without end          limit: timeout if it is slow
//	no TLS, where it is required  tls
//
// A host waits if it has been silent for a while, a shorter one after a prompt than after the end of a line. The setting telnet.idle fixes
// the time. If the host closes the connection after some output, that output is a complete document. Options follow the Q method of
// RFC 1143. The user's name is the only environment variable that is ever sent.
package telnet

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/schemes/internal/terminal"
	"example.org/deref/uri"
)

// Schemes returns telnet and telnets.
func Schemes() []fetch.Scheme {
	return []fetch.Scheme{
		scheme("telnet", 23, false, "interactive sessions", "RFC 4248, RFC 854, RFC 1143"),
		scheme("telnets", 992, true, "interactive sessions, inside TLS", "RFC 4248, RFC 854 over TLS"),
	}
}

func scheme(name string, port int, inside bool, summary, spec string) fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{name},
		Decode:  func(f fetch.Frame) (string, int) { return nvt.Decode(f.Data, nil) },
		Rules:   uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:    fetch.Does{Retrieves: true, Session: true},
		Summary: summary,
		Spec:    spec,
		Help:    func() string { return help + string(outcomes) },
		Settings: []fetch.Setting{
			{Key: setTLS, Values: "never try require", Help: "never, try, require: START_TLS; without it, try if the host requests it"},
			{Key: setTerm, Help: "the terminal type sent to the host"},
			{Key: setIdle, Help: "how many seconds of silence end the first screen"},
			fetch.CharsetSetting("telnet"),
		},
		Read: terminal.Read(port),
		Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) { return plan(u, o, port, inside) },
	}
}

const (
	setTerm = "telnet.term"
	setIdle = "telnet.idle"
	setTLS  = "telnet.ssl"
)

const help = `example: telnet://user@host.example/
  read until the host waits
  IAC SB NEW-ENVIRON IS USER user   if the host asks for NEW-ENVIRON

`

const outcomes replies.Table = `first screen                  interactive: the screen is the body
close before a screen         connection
silence                       timeout
endless negotiation           protocol
a screen without end          limit: timeout if it is slow
no TLS, where it is required  tls
`
