package gopher_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/uri"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, gopher.Schemes()[0],
		fetchtest.Case{URI: "gopher://gopher.example/0/about.txt", File: "testdata/dialogues/text.txt",
			Body: "All about us.\r\n.dotted\r\nend\r\n", Type: "text/plain", End: fetch.EndTerminated},
		fetchtest.Case{URI: "gopher://gopher.example/1/", File: "testdata/dialogues/menu.txt", Type: "application/gopher-menu"},
		fetchtest.Case{URI: "gopher://gopher.example/7/search%09about", File: "testdata/dialogues/search.txt"},
		fetchtest.Case{URI: "gopher://gopher.example/g/pic.gif", File: "testdata/dialogues/gif.txt", Type: "image/gif", End: fetch.EndClosed},
		fetchtest.Case{URI: "gopher://gopher.example/0/none", File: "testdata/dialogues/missing.txt", Err: fetch.ErrNotFound},
	)
}

func TestConformanceTLS(t *testing.T) {
	fetchtest.Test(t, gopher.Schemes()[1],
		fetchtest.Case{URI: "gophers://gopher.example/0/about.txt", Script: `
*: [connected to 192.0.2.1:70]
*: [TLS]
C: /about.txt
S: All about us.
*: [end]
`, Body: "All about us.\r\n", End: fetch.EndClosed})
}

// Conversations of more than one line, and those that do not end with the connection.
func TestConformanceOfGopherPlus(t *testing.T) {
	html := fetch.Options{Accept: []string{"text/html"}}
	fetchtest.Test(t, gopher.Schemes()[0],
		fetchtest.Case{Name: "view", URI: "gopher://gopher.example/0/a.txt", Options: html, Body: "<p>\r\n", Type: "text/html",
			End: fetch.EndDeclared, Script: `
*: [connected to 192.0.2.1:70]
C: /a.txt\t!
S: +-1
S: +INFO: 0a.txt\t/a.txt\tgopher.example\t70\t+
S: +VIEWS:
S:  text/plain: <1k>
S:  text/html: <1k>
S: .
*: [if one of the item's views is wanted]
*2: [connected to 192.0.2.1:70]
C2: /a.txt\t+text/html
S2: +5
S2: <p>
*2: [end]
`},
		fetchtest.Case{Name: "counted", URI: "gopher://gopher.example/9/a%09%09+", Body: "1234", End: fetch.EndDeclared, Script: `
*: [connected to 192.0.2.1:70]
C: /a\t\t+
S: +4
S: 1234\
*: [end]
`},
		fetchtest.Case{Name: "dotted", URI: "gopher://gopher.example/0/a%09%09+", Body: "a\r\n.b\r\n", End: fetch.EndTerminated,
			Script: `
*: [connected to 192.0.2.1:70]
C: /a\t\t+
S: +-1
S: a
S: ..b
S: .
*: [end]
`},
		fetchtest.Case{Name: "form", URI: "gopher://gopher.example/0/a.ask",
			Options: fetch.Options{Set: map[string][]string{"gopher.data": {"Joe"}}}, Body: "Hi Joe", Script: `
*: [connected to 192.0.2.1:70]
C: /a.ask\t+\t1
C: +-1
C: Joe
C: .
S: +6
S: Hi Joe\
*: [end]
`},
		fetchtest.Case{Name: "not available", URI: "gopher://gopher.example/0/a%09%09+", Err: fetch.ErrNotFound, Script: `
*: [connected to 192.0.2.1:70]
C: /a\t\t+
S: --1
S: 1 Keeper <keeper@gopher.example>
S: There is no such thing.
S: .
*: [end]
`},
	)
}

// TestSlowErrors checks that an error has one deadline for all of its text, because the text is a reply and not a document.
func TestSlowErrors(t *testing.T) {
	for _, script := range []string{
		"S: --1\nS: 1 Keeper <keeper@gopher.example>\nS: There is no such thing.\nS: .\n*: [end]",
		"S: --2\nS: 2 Keeper <keeper@gopher.example>\nS: Try again later, the machine is busy.\n*: [end]",
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := dialogue.Parse("*: [connected to 192.0.2.1:70]\nC: /a\\t\\t+\n" + script)
			if err != nil {
				t.Fatal(err)
			}
			const idle = 20 * time.Second
			o := dialogue.NoFaults()
			o.Pause = func(int) time.Duration { return idle * 4 / 5 }
			p, err := dialogue.NewPlayer(s, &o)
			if err != nil {
				t.Fatal(err)
			}
			c := fetch.New(gopher.Schemes()...)
			defer c.Close()
			p.Attach(c)
			c.Timeouts.Idle = idle
			began := time.Now()
			_, err = c.Get(t.Context(), uri.MustParse("gopher://gopher.example/0/a%09%09+"), nil)
			if took := time.Since(began); fetch.KindOf(err) != fetch.ErrTimeout || took > 2*idle {
				t.Errorf("%s: got %v after %s, want a timeout within %s", script, err, took, 2*idle)
			}
		})
	}
}
