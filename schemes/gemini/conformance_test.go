package gemini

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "gemtext", URI: "gemini://gemini.example/owl", Body: "# The owl\r\n=> /birds More birds\r\n",
			Type: "text/gemini; lang=en", End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:1965]
*: [TLS]
*: gemini://gemini.example/owl
C: gemini://gemini.example/owl
S: 20 text/gemini; lang=en
S: # The owl
S: => /birds More birds
*: [end]
`},
		fetchtest.Case{Name: "octets", URI: "gemini://gemini.example/x.bin", Body: "\x00\xff", Type: "application/octet-stream", Script: `
*: [TLS]
C: gemini://gemini.example/x.bin
S: 20 application/octet-stream
S= AP8=
*: [end]
`},
		fetchtest.Case{Name: "redirect", URI: "gemini://gemini.example/a?b", Client: func(c *fetch.Client) { c.Policy.NoFollow = true },
			Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "gemini://gemini.example/c" {
					t.Errorf("got %+v, want one referral to /c", d.Referrals)
				}
			}, Script: `
*: [TLS]
C: gemini://gemini.example/a?b
S: 31 c
*: [end]
`},
		fetchtest.Case{Name: "secret", URI: "gemini://gemini.example/in",
			Options: fetch.Options{Login: fetch.Login{Password: "open sesame", Set: true}},
			Body:    "in", Type: "text/plain", Secrets: []string{"open%20sesame"}, Script: `
*: [TLS]
C: gemini://gemini.example/in
S: 11 Password?
*: [end]
*: [if the server answered 11]
*2: [TLS]
C2: gemini://gemini.example/in?open%20sesame
S2: 20 text/plain
S2: in\
*2: [end]
`},
		fetchtest.Case{Name: "input", URI: "gemini://gemini.example/find", Err: fetch.ErrInteractive, Script: `
*: [TLS]
C: gemini://gemini.example/find
S: 10 Which words?
*: [end]
`},
		fetchtest.Case{Name: "missing", URI: "gemini://gemini.example/none", Err: fetch.ErrNotFound, Script: `
*: [TLS]
C: gemini://gemini.example/none
S: 51 there is none
*: [end]
`},
		fetchtest.Case{Name: "cut", URI: "gemini://gemini.example/owl", Err: fetch.ErrTruncated, Script: `
*: [TLS]
C: gemini://gemini.example/owl
S: 20 text/gemini
S: # The owl
*: [cut]
`},
	)
}
