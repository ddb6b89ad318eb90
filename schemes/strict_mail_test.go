package schemes_test

import "example.org/deref/fetch"

const imapOpening = `
*: [connected to 192.0.2.1:143]
S: * OK ready
C: D1 CAPABILITY
S: * CAPABILITY IMAP4rev1 AUTH=PLAIN
S: D1 OK done
C: T1 LOGIN "bob" "open sesame"
S: T1 OK [CAPABILITY IMAP4rev1] logged in
C: T2 EXAMINE INBOX
S: * 3 EXISTS
`

// strictMail returns the conversations of imap and SMTP.
func strictMail() []strictCase {
	bob := fetch.Options{Login: fetch.Login{User: "bob", Password: "open sesame", Set: true}}
	to := fetch.Options{Set: map[string][]string{"mailto.smtp": {"192.0.2.1:25"}, "mailto.from": {"a@b"}, "mailto.ssl": {"never"}}}
	return []strictCase{
		{"imap: correct", "imap://192.0.2.1/INBOX/;UID=7", imapOpening + `S: * FLAGS (\\Seen note)
S: T2 OK [READ-ONLY] done
C: T3 UID FETCH 7 (UID BODY.PEEK[])
S: * 2 FETCH (UID 7 BODY[] {5}
S: a\n\
S: b\n\
S: c)
S: T3 OK done
`, bob, nil, "", false},
		{"imap: a keyword", "imap://192.0.2.1/INBOX/;UID=7", imapOpening + `S: * FLAGS (\\Seen [no]te)
S: T2 OK [READ-ONLY] done
C: T3 UID FETCH 7 (UID BODY.PEEK[])
S: * 2 FETCH (UID 7 BODY[] {1}
S: c)\n\
S: T3 OK done
`, bob, []string{
			`a keyword: "]" in its name (RFC 9051 section 9)`,
			"a line of a response: LF without CR (RFC 9051 section 2.2)",
		}, "", false},
		{"imap: an old server", "imap://192.0.2.1/INBOX/;UID=7", `
*: [connected to 192.0.2.1:143]
S: * OK ready\n\
C: D1 CAPABILITY
S: * CAPABILITY IMAP4
S: D1 OK done
C: T1 LOGIN "bob" "open sesame"
S: T1 NO sorry
`, bob, []string{
			"a line of a response: LF without CR (RFC 9051 section 2.2)",
			"the response to CAPABILITY: neither IMAP4rev2 nor IMAP4rev1 (RFC 9051 section 6.1.1)",
		}, "", false},
		{"mailto: SMTP", "mailto:bob@lab.test?body=z", `
*: [connected to 192.0.2.1:25]
S: 220\n\
C: EHLO ***
S: 502 what?
C: HELO ***
S: 250 hello
C: MAIL FROM:<a@b>
S: 250 ok
C: RCPT TO:<bob@lab.test>
S: 252 perhaps
C: DATA
S: 554 no
`, to, []string{
			"a line of a reply: LF without CR (RFC 5321 section 2.3.8)",
			"the greeting: no domain after the code (RFC 5321 section 4.2)",
			"the reply to EHLO: 502 instead of 250 (RFC 5321 section 2.2.1)",
			"the reply to RCPT: 252 instead of 250 or 251 (RFC 5321 section 4.3.2)",
		}, "", true},
	}
}
