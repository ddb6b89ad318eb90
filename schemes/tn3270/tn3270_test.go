package tn3270

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/internal/terminal"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme()); n < 1 {
		t.Errorf("got %d rows, want at least 1", n)
	}
}

func TestPlans(t *testing.T) {
	const later = `
IAC SB TN3270E FUNCTIONS REQUEST {if the host answers DEVICE-TYPE IS}
IAC SB TERMINAL-TYPE IS IBM-3278-2-E {if the host asks DO TERMINAL-TYPE, then SEND, without TN3270E}
IAC WILL and DO END-OF-RECORD TRANSMIT-BINARY {if the host asks for END-OF-RECORD and TRANSMIT-BINARY in both ways}
QUERY REPLY {if the host sends READ PARTITION QUERY}`
	const startTLS = "\nIAC SB START_TLS FOLLOWS {if the host asks DO START_TLS}"
	set := func(k, v string) fetch.Options { return fetch.Options{Set: map[string][]string{k: {v}}} }
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "tn3270://h", Want: "tcp h:23 none session\nread {again until the keyboard is unlocked}\n" +
			"IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E {if the host asks DO TN3270E}" + later + startTLS},
		{URI: "tn3270://h:3270/", Options: set(setLU, "LU01"), Want: "tcp h:3270 none session\nread {again until the keyboard is unlocked}\n" +
			"IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E CONNECT LU01 {if the host asks DO TN3270E}" + strings.Replace(later, "2-E {",
			"2-E@LU01 {", 1) + startTLS},
		{URI: "tn3270://h:992/", Want: "tcp h:992 implicit session\nread {again until the keyboard is unlocked}\n" +
			"IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E {if the host asks DO TN3270E}" + later},
		{URI: "tn3270://h/", Options: set(setTLS, "require"), Want: "tcp h:23 explicit session\nread {again until the keyboard is unlocked}\n" +
			"IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E {if the host asks DO TN3270E}" + later + startTLS},
		{URI: "tn3270://h:992/", Options: set(setTLS, "never"), Want: "tcp h:992 none session\nread {again until the keyboard is unlocked}\n" +
			"IAC SB TN3270E DEVICE-TYPE REQUEST IBM-3278-2-E {if the host asks DO TN3270E}" + later},
		{URI: "tn3270://h", Options: set(setModel, "6"), Kind: fetch.ErrUnsupported},
		{URI: "tn3270://h", Options: set(setLU, "a\r"), Kind: fetch.ErrRefusedURL},
		{URI: "tn3270://h", Options: set(setLU, "a\x01b"), Kind: fetch.ErrRefusedURL}, // 1 is CONNECT: RFC 2355 section 7
		{URI: "tn3270://-x@h", Kind: fetch.ErrRefusedURL},
		{URI: "tn3270://h/x", Kind: fetch.ErrRefusedURL},
		{URI: "tn3270://h", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "tn3270://h", Options: fetch.Options{Range: fetch.Range{To: 1}}, Kind: fetch.ErrRange},
	}, Scheme())
}

func TestInjection(t *testing.T) { fetchtest.Injection(t, []string{"tn3270://h{}/"}, nil, Scheme()) }

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"tn3270://h", "tn3270://u:p@h:23/", "tn3270:h"}, Scheme())
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\xff\xfa\x28\x02\x04IBM-3278-2-E\x01LAB01\xff\xf0\x00\x00\x00\x00\x00\xf5\xc3\x11\x40\x40\x1d\xf0\xc8\xc9\x29\x02\xc0\x00\x42\xf1\xff\xef",
		"\x7d\x40\x40\x11\x40\x41\xc8\xc9\xff\xef",
	)
}

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

// TestUntakenKeys: input of a script that the host never accepts because the keyboard is locked is an error at the end. A user at a
// terminal sees the lock.
func TestUntakenKeys(t *testing.T) {
	for _, x := range []struct {
		typed  string
		locked bool
		person bool
		want   fetch.Kind
	}{
		{"ab", true, false, fetch.ErrRefused},
		{"", true, false, ""},
		{"ab", true, true, ""},
		{"\x1b", false, false, ""}, // half of a sequence
		{strings.Repeat("a", maxPending), true, false, fetch.ErrRefused},
		{strings.Repeat("a", maxPending+1), true, false, fetch.ErrLimit},
	} {
		a := &attached{host: &host{Host: &nvt.Host{}, view: view{screen: newScreen('2'), page: page037()}}, Session: &terminal.Session{Terminal: &fetch.Terminal{}}}
		if x.person {
			a.Terminal.Size = func() (int, int) { return 80, 24 }
		}
		a.view.locked = x.locked
		if err := a.Type([]byte(x.typed)); fetch.KindOf(err) != "" && fetch.KindOf(err) != x.want {
			t.Fatalf("%.99q: %v", x.typed, err)
		}
		if err := a.lostKeys(); fetch.KindOf(err) != x.want {
			t.Errorf("%.99q, locked %v, person %v: got %v, want kind %q", x.typed, x.locked, x.person, err, x.want)
		}
	}
}
