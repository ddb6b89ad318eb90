package schemes_test

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// A strictCase is a conversation, and what strict mode reports about it.
type strictCase struct {
	name, uri, script string
	options           fetch.Options
	want              []string
	at                string // the URI in the deviations; "" is uri
}

const (
	ftpOpening = `
*: [connected to 192.0.2.1:21]
S: 220 ready
C: USER anonymous
C: PASS deref@
`
	newsOpening = `
*: [connected to 192.0.2.1:119]
S: 200 ready
C: CAPABILITIES
C: GROUP lab.one
C: ARTICLE 1
`
)

func strictCases() []strictCase {
	return []strictCase{
		{"ftp: as the specification demands", "ftp://192.0.2.1/a.txt", ftpOpening + `C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 331 password
S: 230 in
S: 200 binary
S: 213 2
S: 213 20260102030405.25
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: hi\
*2: [end]
S: 226 done
`, fetch.Options{}, nil, ""},
		{"ftp: everything that is tolerated", "ftp://192.0.2.1/a.txt", `
*: [connected to 192.0.2.1:21]
S: 200 ready
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 331 password\n\
S: 230 in\n\
S: 250 binary
S: 213 2 bytes
S: 213 2026-01-02
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: hi\
*2: [end]
S: 250 done
`, fetch.Options{}, []string{
			"the greeting: 200 instead of 120 or 220 (RFC 959 section 5.4)",
			"a line of a reply: LF without CR (RFC 959 section 4.2)",
			"the reply to TYPE: 250 instead of 200 (RFC 959 section 5.4)",
			`the reply to SIZE: "2 bytes" instead of a number (RFC 3659 section 4.1)`,
			`the reply to MDTM: "2026-01-02" instead of YYYYMMDDHHMMSS (RFC 3659 section 2.3)`,
			"the reply after the transfer: 250 instead of 110 or 125 or 150 or 226 (RFC 959 section 4.2.2)",
		}, ""},
		{"ftp: a listing", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 211-Features:
S:  MLST type*;
S: 211 End
C: EPSV
C: MLSD
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 226 opening
S2: type=file;size=1; a
S2: what is this
*2: [end]
`, fetch.Options{}, []string{
			"the reply to MLSD: 226 instead of 125 or 150 (RFC 3659 section 7.2)",
			"the listing of MLSD: a line without facts and name (RFC 3659 section 7.2)",
		}, ""},
		{"ftp: what FEAT lists, and a text", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 211-Features:
S:  EPSV
S: 211 End
C: EPSV
C: LIST
S: 550 no
S: 425 no data connection
C: PASV
S: 227 ok (192,0,2,1,12,0)
*2: [connected to 192.0.2.1:3072]
C: LIST
S: 150 opening
*2: [end]
S: 226 done
`, fetch.Options{}, []string{"the reply to EPSV: 550, although FEAT lists EPSV (RFC 2389 section 3.2)"}, ""},
		{"ftp: a text", "ftp://192.0.2.1/a.txt;type=a", ftpOpening + `C: TYPE A
C: EPSV
C: RETR a.txt
S: 331 password
S: 230 in
S: 200 text
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: one\r\r\n\
S2: two
*2: [end]
S: 226 done
`, fetch.Options{}, []string{"a line of the text: CR CR LF (RFC 959 section 3.1.1.1)"}, ""},
		{"gopher: a correct menu", "gopher://192.0.2.1/1/", `
*: [connected to 192.0.2.1:70]
C: /
S: 0a\t/a\th\t70
S: ia text\tfake\t(NULL)\t0
S: .
*: [end]
`, fetch.Options{}, nil, ""},
		{"gopher: a menu", "gopher://192.0.2.1/1/", `
*: [connected to 192.0.2.1:70]
C: /
S: 0a\t/a\th\t70\n\
S: Qb\t/b\th\t70
S: no tabs
S: 0c\t/c\th\tx
*: [end]
`, fetch.Options{}, []string{
			"a line of the menu: LF without CR (RFC 1436 Appendix)",
			"the end of the menu: no line of one dot (RFC 1436 Appendix)",
			"the menu: an item of the unknown type 'Q' (RFC 1436 section 3.8)",
			"the menu: an item of which fields are missing (RFC 1436 section 3.8)",
			"the menu: an item of which host, port or URL do not form a URI (RFC 1436 section 3.8)",
		}, ""},
		{"gopher: a text", "gopher://192.0.2.1/0/a", `
*: [connected to 192.0.2.1:70]
C: /a
S: one
S: .two
S: .
*: [end]
`, fetch.Options{}, []string{"the text: a line that begins with one dot (RFC 1436 Appendix)"}, ""},
		{"gopher: an error", "gopher://192.0.2.1/0/a", `
*: [connected to 192.0.2.1:70]
C: /a
S: Error: File or directory not found!
S: ___________________________________________________________________
*: [end]
`, fetch.Options{}, []string{"the error: a text instead of an item of type 3 (RFC 1436 section 3.8)"}, ""},
		{"gemini: correct", "gemini://192.0.2.1/a", `
*: [TLS]
C: gemini://192.0.2.1/a
S: 20 text/plain
S: hi\n\
*: [end]
`, fetch.Options{}, nil, ""},
		{"gemini", "gemini://192.0.2.1/a", `
*: [TLS]
C: gemini://192.0.2.1/a
S: 21  text/plain\n\
S: hi
*: [end]
`, fetch.Options{}, []string{
			"a line of a reply: LF without CR (gemini protocol 0.24.1, Responses)",
			"the status line: the unknown code 21 (gemini protocol 0.24.1, Responses)",
		}, ""},
		{"gemini: links", "gemini://192.0.2.1/", `
*: [TLS]
C: gemini://192.0.2.1/
S: 20 text/gemini
S: => /caf\xc3\xa9/ A name that is not escaped
S: => /a[1].gmi Another
S: => /ok%20.gmi?q Right
*: [end]
`, fetch.Options{}, []string{"a link of the page: not a URI reference (RFC 3986 Appendix A)"}, ""},
		{"nex: links", "nex://192.0.2.1/", `
*: [connected to 192.0.2.1:1900]
C:
S: => a|b.txt
*: [end]
`, fetch.Options{}, []string{"a link of the page: not a URI reference (RFC 3986 Appendix A)"}, ""},
		{"gemini: no type", "gemini://192.0.2.1/a", `
*: [TLS]
C: gemini://192.0.2.1/a
S: 20
S: hi
*: [end]
`, fetch.Options{}, []string{"the status line: nothing after the code 20 (gemini protocol 0.24.1, Responses)"}, ""},
		{"http: correct", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200 OK
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: ETag: W/"x"
S: Content-Length: 3
S:
S: a\n\
S: b\
`, fetch.Options{}, nil, ""},
		{"http", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200\n\
S: ETag: x
S: Last-Modified: yesterday
S: Content-Length: 2
S:
S: hi\
`, fetch.Options{}, []string{
			"a line of a reply: LF without CR (RFC 9112 section 2.2)",
			"the status line: no blank after the code (RFC 9112 section 4)",
			"the header of a 200: Date is missing (RFC 9110 section 6.6.1)",
			`the field Last-Modified: "yesterday" is not a date (RFC 9110 section 5.6.7)`,
			`the field ETag: "x" is not a quoted tag (RFC 9110 section 8.8.3)`,
		}, ""},
		{"http: 304", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 304 Not Modified
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Content-Length: 0
S:
`, fetch.Options{IfChanged: fetch.Validator{Tag: `"x"`, Size: 12}}, []string{
			"the header of a 304: Content-Length: 0, which is not that of the document (RFC 9110 section 8.6)",
		}, ""},
		{"http: a redirect", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 301 Moved
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Location: /a b
S: Content-Length: 0
S:
`, fetch.Options{NoFollow: true}, []string{`the field Location: "/a b" is not a URI reference (RFC 9110 section 10.2.2)`}, ""},
		{"news: correct", "news://192.0.2.1/lab.one/1", newsOpening + `S: 101 ok
S: VERSION 2
S: READER
S: .
S: 211 1 1 1 lab.one
S: 220 1 <a@b>
S: From: a
S:
S: ..two
S: .
`, fetch.Options{}, nil, ""},
		{"news", "news://192.0.2.1/lab.one/1", newsOpening + `S: 500 what?
S: 211 1 1 1 lab.one\n\
S: 220 1 <a@b>
S: From: a
S:
S: .one
S: .
`, fetch.Options{}, []string{
			"the reply to CAPABILITIES: 500 instead of 101 (RFC 3977 section 5.2)",
			"a line of a reply: LF without CR (RFC 3977 section 3.1)",
			"the text: a line that begins with one dot (RFC 3977 section 3.1.1)",
		}, ""},
		{"news: a number", "news://192.0.2.1/lab.one/1", newsOpening + `S: 101 ok
S: VERSION 2
S: READER
S: .
S: 211 1 1 1 lab.one
S: 430 no such article
`, fetch.Options{}, []string{"the reply to ARTICLE with a number: 430 instead of 423 (RFC 3977 section 6.2.1)"}, ""},
		{"dict: correct", "dict://192.0.2.1/d:a", `
*: [connected to 192.0.2.1:2628]
C: CLIENT deref
C: DEFINE ! a
C: QUIT
S: 220 dict.example dictd 1.13 <auth> <1.2@dict.example>
S: 250 ok
S: 150 1 definitions retrieved
S: 151 "a" laba "Lab"
S: ..a
S: .
S: 250 ok
`, fetch.Options{}, nil, ""},
		{"dict", "dict://192.0.2.1/d:a", `
*: [connected to 192.0.2.1:2628]
C: CLIENT deref
C: DEFINE ! a
C: QUIT
S: 220 hello
S: 500 unknown
S: 150 found
S: 151 "a" laba "Lab"\n\
S: .a\n\
S: .
S: 250 ok
`, fetch.Options{}, []string{
			"the greeting: no <capabilities> and <msg-id> at its end (RFC 2229 section 3.1)",
			"the reply to CLIENT: 500 instead of 250 (RFC 2229 section 3.6)",
			"the first reply: 150 without a number (RFC 2229 section 3.2)",
			"a line: LF without CR (RFC 2229 section 2.4)",
			"the text: a line that begins with one dot (RFC 2229 section 2.4)",
		}, ""},
		{"finger", "finger://192.0.2.1/ann", `
*: [connected to 192.0.2.1:79]
C: ann
S: Login: ann\n\
S: Plan: none
*: [end]
`, fetch.Options{}, []string{"a line: LF without CR (RFC 1288 section 2.2)"}, ""},
		{"whois", "whois://192.0.2.1/a.example", `
*: [connected to 192.0.2.1:43]
C: a.example
S: domain: a.example\r\r\n\
S: status: active
*: [end]
`, fetch.Options{}, []string{"a line: CR CR LF (RFC 3912 section 2)"}, ""},
	}
}

// TestStrict: strict mode reports each deviation once, in the options' function and in the trace, and changes nothing else.
func TestStrict(t *testing.T) {
	for _, tt := range strictCases() {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, tt.check)
		})
	}
}

// check plays the conversation with and without strict mode. It runs in a bubble, where a script that does not fit fails at once, and a loaded
// machine delays nothing.
func (tt strictCase) check(t *testing.T) {
	plain, _, _ := playStrict(t, tt, false)
	got, list, noted := playStrict(t, tt, true)
	if got != plain {
		t.Errorf("got %s, want the same as without strict mode: %s", got, plain)
	}
	slices.Sort(tt.want)
	if !slices.Equal(list, tt.want) {
		t.Errorf("got the deviations\n\t%s\nwant\n\t%s", strings.Join(list, "\n\t"), strings.Join(tt.want, "\n\t"))
	}
	if !slices.Equal(noted, list) {
		t.Errorf("the trace has %q, want %q", noted, list)
	}
}

// playStrict returns the result, and the deviations that were reported to Options.Strict and to Options.Trace.
func playStrict(t *testing.T, tt strictCase, strict bool) (result string, list, noted []string) {
	t.Helper()
	script, err := dialogue.Parse(tt.script)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(script, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(nil)...)
	p.Attach(c)
	c.FirstUse = func(string, tls.ConnectionState, error) error { return nil }
	o := tt.options
	o.Trace = func(e fetch.Event) {
		if e.Deviation != nil {
			noted = append(noted, e.Deviation.String())
			if want := "deviation: " + e.Deviation.String(); e.Note != want {
				t.Errorf("got the note %q, want %q", e.Note, want)
			}
		}
	}
	if strict {
		o.Strict = func(d fetch.Deviation) {
			list = append(list, d.String())
			if got, want := d.URI.String(), cmp.Or(tt.at, tt.uri); got != want {
				t.Errorf("got the URI %s, want %s", got, want)
			}
		}
	}
	d, err := c.Get(t.Context(), uri.MustParse(tt.uri), &o)
	var text string
	if d != nil && err == nil {
		text, err = readStrict(d)
		d.Body.Close()
	}
	c.Close()
	p.Close()
	slices.Sort(list) // the order depends on how much is read at a time
	slices.Sort(noted)
	return fmt.Sprint(text, " ", err), list, noted
}

// readStrict reads d as a listing if it is one, and as bytes otherwise.
func readStrict(d *fetch.Document) (string, error) {
	if d.Entries == nil {
		b, err := io.ReadAll(d.Body)
		return string(b), err
	}
	var text string
	for e, err := range d.Entries {
		if err != nil {
			return text, err
		}
		text += e.Title + " " + e.URI.String() + "\n"
	}
	return text, nil
}

// TestStrictHidesSecrets: what a server repeats of a password is masked in deviations, too (promise 7).
func TestStrictHidesSecrets(t *testing.T) {
	tt := strictCase{uri: "ftp://ann:open-sesame@192.0.2.1/a.txt", script: `
*: [connected to 192.0.2.1:21]
S: 220 ready
C: USER ann
C: PASS ***
S: 331 password
S: 230 in
C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 200 binary
S: 213 open-sesame
S: 550 no
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: hi\
*2: [end]
S: 226 done
`}
	tt.want = []string{`the reply to SIZE: "***" instead of a number (RFC 3659 section 4.1)`}
	tt.at, tt.options.Set = "ftp://ann@192.0.2.1/a.txt", map[string][]string{"ftp.ssl": {"never"}}
	synctest.Test(t, func(t *testing.T) {
		result, list, noted := playStrict(t, tt, true)
		if !slices.Equal(list, tt.want) || !slices.Equal(noted, tt.want) {
			t.Errorf("got %q and %q, want %q; the result is %s", list, noted, tt.want, result)
		}
	})
}
