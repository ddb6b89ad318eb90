package tn3270

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

// The dialogue was recorded of hercules 3.13.
func TestConformance(t *testing.T) {
	idle := fetch.Options{Set: map[string][]string{setIdle: {"0.05"}}}
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "screen", URI: "tn3270://host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0Y
C= //sY
S= //oYAf/w
*: [if the host asks DO TERMINAL-TYPE, then SEND, without TN3270E]
*: IAC SB TERMINAL-TYPE IS IBM-3278-2-E
C= //oYAElCTS0zMjc4LTItRf/w
S= //0Z//sZ
*: [if the host asks for END-OF-RECORD and TRANSMIT-BINARY in both ways]
*: IAC WILL and DO END-OF-RECORD TRANSMIT-BINARY
C= //sZ//0Z
S= //0A//sA
C= //sA//0A
S= 9UIRQEAd6OOIhUDTgYJAYEDj1fPy9/BAooOZhYWVEcJgHWDihYOWlYRAhomFk4RrQJeZlqOFg6OF
S= hBHFQB1g5KKFmYmEQH5+bhHFXh1ghZWEQJaGQIaJhZOE/+8=
`},
		fetchtest.Case{Name: "another protocol", URI: "tn3270://host.example/", Err: fetch.ErrUnsupported, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= bG9naW46IA==
*: [end]
`},
		fetchtest.Case{Name: "without a word", URI: "tn3270://host.example/", Err: fetch.ErrConnection, Script: `
*: read
*: [connected to 127.0.0.1:23]
*: [end]
`},
		fetchtest.Case{Name: "an option for login", URI: "tn3270://%2Dfroot@host.example/", Err: fetch.ErrRefusedURL},
	)
}
