package tn3270

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
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

func TestPage(t *testing.T) { schemetest.Page(t, outcomes(), Scheme()) }
