// Package tn3270 opens sessions with IBM 3270 hosts: the 3270 data stream inside telnet (RFC 1576, RFC 2355). Its URIs have the form of
// telnet's (RFC 4248 section 2), and the same port.
//
// With TN3270E (RFC 2355 section 7) a session begins so:
//
//	S: IAC DO TN3270E
//	C: IAC WILL TN3270E
//	S: IAC SB TN3270E SEND DEVICE-TYPE IAC SE
//	C: IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E IAC SE
//	S: IAC SB TN3270E DEVICE-TYPE IS IBM-3278-2-E CONNECT LU01 IAC SE
//	C: IAC SB TN3270E FUNCTIONS REQUEST IAC SE
//
// and without it (RFC 1576) by TERMINAL-TYPE, BINARY and END-OF-RECORD. A retrieval returns the first screen. The result:
//
//	first screen                  interactive: the screen is the body
//	DEVICE-TYPE REJECT            refused
//	a key that is not accepted    refused: for scripts; a terminal sounds the alarm
//	a host without 3270 mode      unsupported
//	close before a screen         connection
//	silence                       timeout
//	a broken data stream          protocol
//	no TLS, where it is required  tls
//
// TLS begins if the host asks START_TLS, as in telnet. Port 992, which is that of telnet inside TLS, means TLS from the first byte.
//
// The data stream is that of GA23-0059: writes, orders, and the structured fields of Query; no graphics, no printers. The terminal's keys
// are xterm's: F1 to F24 are PF1 to PF24 (F13 and higher with Shift), Alt-1 to Alt-3 PA1 to PA3, Alt-C and Ctrl-C Clear, Alt-A ATTN, Alt-S
// SYSREQ, Ctrl-E Erase EOF, Ctrl-U Erase Input, Ctrl-R Reset. Ctrl-L redraws the screen.
package tn3270

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/schemes/internal/terminal"
	"example.org/deref/uri"
)

const (
	port       = 23
	securePort = 992 // telnets
)

// Scheme returns the scheme tn3270.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{"tn3270"},
		Decode:  decode,
		Rules:   uri.Rules{DefaultPort: port, Hierarchical: true},
		Ports:   []int{securePort},
		Summary: "sessions of IBM 3270 hosts",
		Spec:    "RFC 1630, RFC 4248, RFC 1576, RFC 2355",
		Does:    fetch.Does{Retrieves: true, Session: true},
		Help:    func() string { return help + string(outcomes) + "\n" + keys },
		Settings: []fetch.Setting{
			{Key: setTLS, Values: "never try require implicit", Help: "never, try, require: START_TLS; implicit: TLS from the first byte, the default at port 992"},
			{Key: setModel, Values: "2 3 4 5", Help: "the terminal's model, 2 (the default) to 5"},
			{Key: setIdle, Help: "how many seconds of silence end the first screen"},
			{Key: setPage, Values: "037 273 500 1047 1140", Help: "the host's code page: 037 (the default), 273, 500, 1047, 1140"},
			{Key: setLU, Help: "the logical unit to connect to"},
		},
		Read:    terminal.Read(port),
		Grammar: grammar,
		Plan:    plan,
	}
}

// grammar requires graphic ASCII in the names of devices and units. The words between the names are bytes below the blank (RFC 2355 section
// 7.1).
func grammar(s *fetch.Step) error {
	for _, a := range s.Args {
		if strings.ContainsFunc(a, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
			return errors.New("a name that is not graphic ASCII in " + s.Verb)
		}
	}
	return nil
}

const (
	setTLS   = "tn3270.ssl"
	setModel = "tn3270.model"
	setLU    = "tn3270.lu"
	setPage  = "tn3270.code-page"
	setIdle  = "tn3270.idle"
)

const help = `example: tn3270://host.example/
  read until the keyboard is unlocked
  IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E   if the host asks DO TN3270E

`

const keys = `keys: F1-F24 are PF1-PF24, Alt-1 to Alt-3 PA1-PA3, Alt-C Clear, Alt-A ATTN, Alt-S SYSREQ, Ctrl-E Erase EOF, Ctrl-U Erase Input, Ctrl-R Reset`

const outcomes replies.Table = `first screen                  interactive: the screen is the body
DEVICE-TYPE REJECT            refused
a key that is not accepted    refused: for scripts; a terminal sounds the alarm
a host without 3270 mode      unsupported
close before a screen         connection
silence                       timeout
a broken data stream          protocol
no TLS, where it is required  tls
`
