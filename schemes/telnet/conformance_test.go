package telnet

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

// If the host closes the connection after some output, that is a document. If it waits, the screen ends with interactive.
func TestConformance(t *testing.T) {
	idle := fetch.Options{Set: map[string][]string{setIdle: {"0.05"}}}
	fetchtest.Test(t, Schemes()[0],
		fetchtest.Case{Name: "document", URI: "telnet://host.example/", Body: "Friday\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //sB//0YRnJpZGF5DQo=
*: [if the host offers WILL ECHO]
*: IAC DO ECHO
C= //0B//sY
*: [end]
`},
		fetchtest.Case{Name: "NUL is no operation (RFC 854)", URI: "telnet://host.example/", Body: "Friday\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //sB//0YAABGcmkAZGF5DQo=
*: [if the host offers WILL ECHO]
*: IAC DO ECHO
C= //0B//sY
*: [end]
`},
		fetchtest.Case{Name: "screen", URI: "telnet://ann@host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0n
C= //sn
S= //onAQD/8A==
*: [if the host asks DO NEW-ENVIRON, then SEND USER]
*: IAC SB NEW-ENVIRON IS USER ann
C= //onAABVU0VSAWFubv/w
S= bG9naW46IA==
`},
		fetchtest.Case{Name: "lines, flow, status, mark", URI: "telnet://host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0i//0h//0G//0F
*: [if the host asks DO LINEMODE]
*: IAC SB LINEMODE SLC <characters>
*: [if the host asks DO TOGGLE-FLOW-CONTROL]
*: IAC WILL TOGGLE-FLOW-CONTROL
*: [if the host asks DO TIMING-MARK]
*: IAC WILL TIMING-MARK
C= //si//oiAwNiAwdiHAgCBAlCGgoBfwsBFQ8BERABE//w//sh//sG//sF
S= //oiAQP/8P/6Iv0CAAD/8P/6IgMDYgMJAhkKAggMAhcSAAD/8P/6IQD/8P/6BQH/8A==
*: [if the host sends LINEMODE MODE]
*: IAC SB LINEMODE MODE 3 ACK
*: [if the host asks DO LINEMODE]
*: IAC SB LINEMODE SLC <characters>
*: [if the host asks DO STATUS, then SEND]
*: IAC SB STATUS IS 3
C= //oiAQf/8P/6IvwC//D/+iIDCYIZCgF/DAAA//D/+gUA+wX7Ifsi//A=
S= bG9naW46IA==
`},
		fetchtest.Case{Name: "without a word", URI: "telnet://host.example", Err: fetch.ErrConnection, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0m
*: [if the host offers or asks for another option]
*: IAC DONT or WONT 38
C= //wm
*: [end]
`},
		fetchtest.Case{Name: "an option for login", URI: "telnet://%2Dfroot@host.example/", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "injection", URI: "telnet://a%0D%0Ab@host.example/", Err: fetch.ErrRefusedURL},
	)
}
