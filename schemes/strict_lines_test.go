package schemes_test

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

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
`, fetch.Options{}, nil, "", false},
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
		}, "", false},
		{"news: a number", "news://192.0.2.1/lab.one/1", newsOpening + `S: 101 ok
S: VERSION 2
S: READER
S: .
S: 211 1 1 1 lab.one
S: 430 no such article
`, fetch.Options{}, []string{"the reply to ARTICLE with a number: 430 instead of 423 (RFC 3977 section 6.2.1)"}, "", false},
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
`, fetch.Options{}, nil, "", false},
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
		}, "", false},
		{"finger", "finger://192.0.2.1/ann", `
*: [connected to 192.0.2.1:79]
C: ann
S: Login: ann\n\
S: Plan: none
*: [end]
`, fetch.Options{}, []string{"a line: LF without CR (RFC 1288 section 2.2)"}, "", false},
		{"whois", "whois://192.0.2.1/a.example", `
*: [connected to 192.0.2.1:43]
C: a.example
S: domain: a.example\r\r\n\
S: status: active
*: [end]
`, fetch.Options{}, []string{"a line: CR CR LF (RFC 3912 section 2)"}, "", false},
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
`, fetch.Options{}, []string{"the first reply: 152 without a number (RFC 2229 section 3.3.2)"}, "", false},
		{"news: a range of LISTGROUP", "news://192.0.2.1/lab.one", `
*: [connected to 192.0.2.1:119]
S: 200 ready
C: CAPABILITIES
C: GROUP lab.one
S: 101 ok
S: VERSION 2
S: READER
S: .
S: 211 2 1 65 lab.one
C: LISTGROUP lab.one 1-65
S: 411 no such group
` + articles(64) + `S: 430 none
C: ARTICLE 65
S: 502 no
`, fetch.Options{Set: map[string][]string{"news.view": {"mbox"}}}, []string{
			"the reply to LISTGROUP with a range: 411 for the group of a 211 (RFC 3977 section 6.1.2)",
			"the reply to ARTICLE with a number: 430 instead of 423 (RFC 3977 section 6.2.1)",
		}, "", false},
		{"news: HDR", "news://192.0.2.1/lab.one", `
*: [connected to 192.0.2.1:119]
S: 200 ready
C: CAPABILITIES
C: GROUP lab.one
S: 101 ok
S: VERSION 2
S: READER
S: .
S: 211 2 1 2 lab.one
C: HDR Date 1-2
S: 221 old
S: .
`, fetch.Options{Set: map[string][]string{"news.view": {"mbox"}, "news.since": {"1994-11-20"}}}, []string{
			"the reply to HDR: 221 instead of 225 (RFC 3977 section 8.5)",
		}, "", false},
		{"news: a login first", "news://192.0.2.1/lab.one/1", `
*: [connected to 192.0.2.1:119]
S: 200 ready
C: CAPABILITIES
S: 480 who are you?
`, fetch.Options{Login: fetch.Login{User: "ann", Password: "x", Set: true}}, []string{
			"the reply to CAPABILITIES: 480 instead of 101 (RFC 3977 section 5.2)",
		}, "", false},
		{"cso: correct", "cso://192.0.2.1/lab", `
*: [connected to 192.0.2.1:105]
C: query lab
C: quit
S: 102:There were 2 matches to your request.
S: -200:1:   alias: a-lab
S: -200:1:        : more of it
S: -200:2:   alias: b-lab
S: -508:2:    name: Not present in entry.
S: 200:Ok.
*: [end]
`, fetch.Options{}, nil, "", false},
		{"cso", "cso://192.0.2.1/lab", `
*: [connected to 192.0.2.1:105]
C: query lab
C: quit
S: 102:There were 2 matches to your request.
S: -200:1:alias: a-lab\n\
S: -200:3:   b-lab
S: 200:Ok.
*: [end]
`, fetch.Options{}, []string{
			"a line: LF without CR (RFC 2378 section 2.2)",
			"a line of an entry: no blank before the name of the field (RFC 2378 section 2.2)",
			"a line of an entry: no name of a field (RFC 2378 section 2.2)",
			"an entry: its number is not that of the entry before, or one more (RFC 2378 section 2.2)",
		}, "", false},
		{"whois++: correct", "whois++://192.0.2.1/name=phil", `
*: [connected to 192.0.2.1:63]
C: name=phil
S: % 220-acm.example ready
S: # FULL USER ACM-1 PZ01
S:  Name: Phil
S: +ip
S: -Z.
S:
S: # END
S: % 226 Transaction complete
*: [end]
`, fetch.Options{}, nil, "", false},
		{"whois++", "whois++://192.0.2.1/name=phil", `
*: [connected to 192.0.2.1:63]
C: name=phil
S: % ready
S: # FULL USER ACM-1 PZ01
S: Name: Phil
S:  Life: a line of which nobody will ever say that it is short, since it has no end at all
S: # END
S: % 226 Transaction complete
*: [end]
`, fetch.Options{}, []string{
			"a system message: no number (RFC 1835 section 2.4.4)",
			"a line of a template: more than 81 bytes with its end (RFC 1835 section 2.4.3)",
			"a line of a template: neither a blank nor + nor - in the first column (RFC 1835 section 2.4.3)",
		}, "", false},
		{"whois++: Next-Servers", "whois++://192.0.2.1/name=phil", `
*: [connected to 192.0.2.1:63]
C: name=phil
S: # SERVERS-TO-ASK ACM-1
S:  Next-Servers: H1 one.example 63
S: # END
S: % 226 Transaction complete
*: [end]
`, fetch.Options{NoFollow: true}, []string{"a list of servers: Next-Servers instead of Host-Name and Host-Port (RFC 1835 section 2.4.3.5)"}, "", false},
	}
}

// articles returns the client's lines of a pipeline.
func articles(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("C: ARTICLE " + strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}
