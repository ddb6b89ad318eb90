package dict

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "definitions", URI: "dict://dict.example/d:lab", Type: "text/plain; charset=utf-8", End: fetch.EndTerminated,
			Body: "From A [a]:\r\n\r\na room\r\n.dot\r\n\r\nFrom A [a]:\r\n\r\na place\r\n", Script: `
*: [connected to 127.0.0.1:2628]
*: CLIENT deref
*: DEFINE ! lab
*: QUIT
C: CLIENT deref
C: DEFINE ! lab
C: QUIT
S: 220 dict.example <auth> <1.2@dict.example>
S: 250 ok
S: 150 2 definitions retrieved
S: 151 "lab" a "A"
S: a room
S: ..dot
S: .
S: 151 "lab" a "A"
S: a place
S: .
S: 250 ok
*: [whole]
S: 221 bye
*: [end]
`},
		fetchtest.Case{Name: "the second", URI: "dict://dict.example/d:lab:a:2", Body: "a place\r\n", Script: `
C: CLIENT deref
C: DEFINE a lab
C: QUIT
S: 220 dict.example <1.2@dict.example>
S: 500 what?
S: 150 2 definitions retrieved
S: 151 "lab" a "A"
S: a room
S: .
S: 151 "lab" a "A"
S: a place
S: .
S: 250 ok
*: [whole]
`},
		fetchtest.Case{Name: "matches", URI: "dict://dict.example/m:l%20a:*:prefix", Body: "a \"l ab\"\r\nb 'l amb'\r\n", Script: `
C: CLIENT deref
C: MATCH * prefix "l a"
C: QUIT
S: 220 dict.example <1.2@dict.example>
S: 250 ok
S: 152 2 matches found
S: a "l ab"
S: b 'l amb'
S: .
S: 250 ok
*: [whole]
`},
		fetchtest.Case{Name: "databases", URI: "dict://dict.example", Body: "a \"A\"\r\n", Script: `
C: CLIENT deref
C: SHOW DB
C: QUIT
S: 220 dict.example <1.2@dict.example>
S: 250 ok
S: 110 1 databases present
S: a "A"
S: .
S: 250 ok
*: [whole]
`},
		fetchtest.Case{Name: "status", URI: "dict://dict.example/status", Body: "fine\r\n", Script: `
C: CLIENT deref
C: STATUS
C: QUIT
S: 220 dict.example <1.2@dict.example>
S: 250 ok
S: 210 fine
*: [whole]
`},
		fetchtest.Case{Name: "login", URI: "dict://alice:open%20sesame@dict.example/d:lab:a:1", Body: "a room\r\n",
			// the MD5 of the greeting's identifier and the password, RFC 2229 §3.11
			Secrets: []string{"05fbb8602784693893b334ff47825fc3"}, Script: `
S: 220 dict.example <auth> <1.2@dict.example>
C: CLIENT deref
C: AUTH *** ***
C: DEFINE a lab
C: QUIT
S: 250 ok
S: 230 welcome
S: 150 1 definitions retrieved
S: 151 "lab" a "A"
S: a room
S: .
S: 250 ok
*: [whole]
`},
		fetchtest.Case{Name: "wrong login", URI: "dict://alice:open%20sesame@dict.example/d:lab", Err: fetch.ErrAuth, Script: `
S: 220 dict.example <auth> <1.2@dict.example>
C: CLIENT deref
C: AUTH *** ***
C: DEFINE ! lab
C: QUIT
S: 250 ok
S: 531 access denied
`},
		fetchtest.Case{Name: "missing", URI: "dict://dict.example/d:zzz", Err: fetch.ErrNotFound, Script: `
C: CLIENT deref
C: DEFINE ! zzz
C: QUIT
S: 220 dict.example <1.2@dict.example>
S: 250 ok
S: 552 no match
`},
		fetchtest.Case{Name: "closed", URI: "dict://dict.example/d:zzz", Err: fetch.ErrUnavailable, Script: `
C: CLIENT deref
C: DEFINE ! zzz
C: QUIT
S: 420 server temporarily unavailable
*: [end]
`},
	)
}

func TestBusy(t *testing.T) {
	for code, want := range map[int]bool{420: true, 421: true, 500: false, 550: false} {
		e, ok := errors.AsType[*fetch.Error](reply{code, "x"}.failure())
		if !ok || e.Busy != want {
			t.Errorf("code %d: busy %v, want %v", code, ok && e.Busy, want)
		}
	}
}
