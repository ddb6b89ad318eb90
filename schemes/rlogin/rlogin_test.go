package rlogin

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme()); n < 1 {
		t.Errorf("got %d rows, want more", n)
	}
}

func TestPlans(t *testing.T) {
	const urgent = `
discard what came before {if the host sends the urgent octet 02}
pass Ctrl-S Ctrl-Q {if the host sends the urgent octet 10}
obey Ctrl-S Ctrl-Q {if the host sends the urgent octet 20}
tell the size {if the host sends the urgent octet 80}`
	const size = "\nsize <rows> <columns> {if the terminal has a size, and whenever it has another}" + urgent
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "rlogin://ann@h", Want: "tcp h:513 none session\nopen ann ann xterm/38400\nread {again until the host waits}"},
		{URI: "rlogin://h/", Want: "tcp h:513 none session\nopen   xterm/38400\nread {again until the host waits}"},
		{URI: "rlogin://ann@h/", Options: fetch.Options{Op: fetch.Attach, Set: map[string][]string{setLocal: {"bob"}, setTerm: {"vt100/9600"}}},
			Want: "tcp h:513 none session\nopen bob ann vt100/9600\nattach the terminal" + size},
		{URI: "rlogin://-froot@h/", Kind: fetch.ErrRefusedURL},
		{URI: "rlogin://h/x", Kind: fetch.ErrRefusedURL},
		{URI: "rlogin://h:514/", Kind: fetch.ErrRefusedPort},
		{URI: "rlogin://h/", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
		{URI: "rlogin://h/", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
	}, Scheme())
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"rlogin://u{}@h/", "rlogin://h{}/"}, nil, Scheme())
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"rlogin://h", "rlogin://u:p@h:513/", "rlogin://%00@h", "rlogin:h"}, Scheme())
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes(), Scheme()) }

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

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\x00ann\x00bob\x00xterm/38400\x00ls\r\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00exit\r",
		"\x00Welcome\r\n", "\x01Permission denied.\r\n", "\xff\xffs", "\x00secret\x00\x00\x00",
	)
}
