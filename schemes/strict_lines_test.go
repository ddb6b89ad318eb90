package schemes_test

import "example.org/deref/fetch"

const newsOpening = `
*: [connected to 192.0.2.1:119]
S: 200 ready
C: CAPABILITIES
C: GROUP lab.one
C: ARTICLE 1
`

// strictLines returns those of other protocols of lines.
func strictLines() []strictCase {
	return []strictCase{
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
			"the greeting: no <msg-id> at its end (RFC 2229 section 3.1)",
			"the reply to CLIENT: 500 instead of 250 (RFC 2229 section 3.6)",
			"the first reply: 150 without a number (RFC 2229 section 3.2.2)",
			"a line: LF without CR (RFC 2229 section 2.4)",
			"the text: a line that begins with one dot (RFC 2229 section 2.4.3)",
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
		{"dict: no capabilities", "dict://192.0.2.1/m:a", `
*: [connected to 192.0.2.1:2628]
C: CLIENT deref
C: MATCH ! . a
C: QUIT
S: 220 dict.example <1.2@dict.example>
S: 250 ok
S: 152 matches
S: laba "a"
S: .
S: 250 ok
`, fetch.Options{}, []string{"the first reply: 152 without a number (RFC 2229 section 3.3.2)"}, ""},
	}
}
