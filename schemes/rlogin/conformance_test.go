package rlogin

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	idle := fetch.Options{Set: map[string][]string{setIdle: {"0.05"}}}
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "document", URI: "rlogin://ann@host.example/", Body: "Friday\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:513]
*: open ann ann xterm/38400
C= AGFubgBhbm4AeHRlcm0vMzg0MDAA
*: read
S= AEZyaWRheQ0K
*: [end]
`},
		fetchtest.Case{Name: "screen", URI: "rlogin://ann@host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: [connected to 127.0.0.1:513]
*: open ann ann xterm/38400
C= AGFubgBhbm4AeHRlcm0vMzg0MDAA
*: read
S= AFBhc3N3b3JkOiA=
`},
		fetchtest.Case{Name: "refused", URI: "rlogin://ann@host.example/", Err: fetch.ErrRefused, Script: `
*: [connected to 127.0.0.1:513]
*: open ann ann xterm/38400
C= AGFubgBhbm4AeHRlcm0vMzg0MDAA
*: read
S= AXJsb2dpbmQ6IFBlcm1pc3Npb24gZGVuaWVkLg0K
*: [end]
`},
		fetchtest.Case{Name: "an option for login", URI: "rlogin://%2Dfroot@host.example/", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "injection", URI: "rlogin://a%00b@host.example/", Err: fetch.ErrRefusedURL},
	)
}
