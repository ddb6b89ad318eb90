// Package rlogin names interactive sessions of BSD's rlogin (RFC 1282). Its URIs have the form of telnet's (RFC 1630).
//
// The client opens with four strings, each ended by a NUL, the first void; the server answers with a NUL:
//
//	C: \0 ann \0 ann \0 xterm/38400 \0
//	S: \0
//	S: Password:
//
// Only the first screen is a document; what becomes of it:
//
//	first screen           interactive (the screen is the body)
//	text instead of a NUL  refused (the server's words)
//	close before a screen  connection (hinting at the source port, where that is an ordinary one)
//	silence                timeout
//	a screen without end   limit, or timeout
//
// Hosts trust a source port below 1024, for which a Unix system wants a privilege: it is tried, and an ordinary one taken where it is
// not to be had. What the host asks by urgent data (the size, who obeys Ctrl-S, output to throw away) is heeded where the system shows it,
// which is Linux, and the connection is our own. A password is asked for by the host, on the screen. There is no encryption, and never was.
package rlogin

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/login"
	"example.org/deref/uri"
)

const port = 513

// Scheme returns rlogin.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{"rlogin"},
		Rules:   uri.Rules{DefaultPort: port, Hierarchical: true},
		Summary: "interactive sessions of BSD hosts",
		Spec:    "RFC 1630, RFC 1282",
		Help:    help,
		Does:    fetch.Does{Retrieves: true, Session: true},
		Settings: []fetch.Setting{
			{Key: setIdle, Help: "how many seconds of silence end the first screen"},
			{Key: setLocal, Help: "the user name on this side; the one of the URI otherwise"},
			{Key: setTerm, Help: "the terminal type and speed that the host is told, such as vt100/9600"},
		},
		Read:    login.Scheme(port),
		Handler: handler{},
	}
}

type handler struct{}

const (
	setLocal = "rlogin.local-user"
	setTerm  = "rlogin.term"
	setIdle  = "rlogin.idle"
)

const help = `example: rlogin://ann@host.example/
  \0 ann \0 ann \0 xterm/38400 \0
  read until the host waits

reply                   error class
first screen            interactive
text instead of a NUL   refused
close before a screen   connection
silence                 timeout
a screen without end    limit, timeout`
