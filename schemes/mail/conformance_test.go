package mail

import (
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/uri"
)

// dialogueHead begins every dialogue.
const dialogueHead = `
*: [connected to 127.0.0.1:143]
S: * OK ready
*: CAPABILITY
C: D1 CAPABILITY
S: * CAPABILITY IMAP4rev1 AUTH=PLAIN
S: D1 OK done
*: LOGIN ***
C: T1 LOGIN "bob" "open sesame"
S: T1 OK [CAPABILITY IMAP4rev1] logged in
*: EXAMINE INBOX
C: T2 EXAMINE INBOX
S: * 3 EXISTS
S: * OK [UIDVALIDITY 9] valid
S: * FLAGS ()
S: T2 OK [READ-ONLY] done
`

const dialogueText = `S: From: Tim <tim@site.example>
S: Message-ID: <a@b>
S:
S: text
S: )
S: T3 OK done
`

const messageText = "From: Tim <tim@site.example>\r\nMessage-ID: <a@b>\r\n\r\ntext\r\n"

const dialogueID = `*: UID SEARCH HEADER Message-ID "a@b"
C: T3 UID SEARCH HEADER "Message-ID" "a@b"
`

// dialogueHit is the only hit of a search.
const dialogueHit = `S: * SEARCH 8
S: T3 OK done
*: [if the search has hits]
*: UID FETCH 8 ` + headerItems + `
C: T4 UID FETCH 8 (UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS ("Date" "From" "To" "Cc" "Subject" "Message-ID" "In-Reply-To" "References")])
` + dialogueFields

const dialogueFields = `S: * 3 FETCH (UID 8 BODY[HEADER.FIELDS ("Date" "From" "To" "Cc" "Subject" "Message-ID" "In-Reply-To" "References")] {51}
S: From: Tim <tim@site.example>
S: Message-ID: <a@b>
S:
S: )
S: T4 OK done
`

func TestIMAPConformance(t *testing.T) {
	bob := fetch.Options{Login: fetch.Login{User: "bob", Password: "open sesame", Set: true}}
	fetchtest.Test(t, Schemes(nil)[3],
		// RFC 9051 section 6.2.3: a server need not repeat its capabilities after LOGIN, and the client does not request them again.
		// Section 7.1: one without UIDVALIDITY has no unique identifiers, so the message may be another one the next time.
		fetchtest.Case{Name: "message", URI: "imap://mail.example/INBOX/;UID=7", Options: bob, Body: messageText, Type: "message/rfc822", End: fetch.EndDeclared,
			Script: strings.NewReplacer("[CAPABILITY IMAP4rev1] logged in", "logged in", "S: * OK [UIDVALIDITY 9] valid\n", "").Replace(dialogueHead) + `
*: UID FETCH 7 (UID BODY.PEEK[])
C: T3 UID FETCH 7 (UID BODY.PEEK[])
S: * 2 FETCH (FLAGS ($Seen) UID 7 MODSEQ (12))
S: * 2 FETCH (UID 7 BODY[] {57}
` + dialogueText, Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if d.Validator.Tag != "" {
					t.Errorf("got the tag %q, want none", d.Validator.Tag)
				}
			}},
		fetchtest.Case{Name: "no such message", URI: "imap://mail.example/INBOX/;UID=9", Options: bob, Err: fetch.ErrNotFound, Script: dialogueHead + `
*: UID FETCH 9 (UID BODY.PEEK[])
C: T3 UID FETCH 9 (UID BODY.PEEK[])
S: T3 OK done
`},
		fetchtest.Case{Name: "wrong password", URI: "imap://mail.example/INBOX", Options: bob, Err: fetch.ErrAuth, Script: `
*: [connected to 127.0.0.1:143]
S: * OK ready
*: CAPABILITY
C: D1 CAPABILITY
S: * CAPABILITY IMAP4rev1
S: D1 OK done
*: LOGIN ***
C: T1 LOGIN "bob" "open sesame"
S: T1 NO [AUTHENTICATIONFAILED] who?
`},
		fetchtest.Case{Name: "search", URI: "imap://mail.example/INBOX?SUBJECT%20x", Options: bob, Type: fetch.ListingType, Script: dialogueHead + `
*: UID SEARCH SUBJECT x
C: T3 UID SEARCH SUBJECT x
S: * SEARCH
S: T3 OK done
`},
	)
}

func TestMidConformance(t *testing.T) {
	list := Schemes(&Config{Sources: places("imap://bob:open%20sesame@mail.example/INBOX")})
	fetchtest.Test(t, list[0],
		fetchtest.Case{Name: "no source holds it", URI: "mid:none@b", Err: fetch.ErrNotFound, Secrets: []string{"open sesame"}, Script: dialogueHead + `
*: UID SEARCH HEADER Message-ID "none@b"
C: T3 UID SEARCH HEADER "Message-ID" "none@b"
S: * SEARCH
S: T3 OK done
`},
		fetchtest.Case{Name: "referral", URI: "mid:a@b", Secrets: []string{"open sesame"},
			Client: func(c *fetch.Client) { c.Policy.NoFollow = true }, Script: dialogueHead + dialogueID + `
S: * SEARCH 7 8
S: T3 OK done
*: [if the search has hits]
*: UID FETCH 7,8 ` + headerItems + `
C: T4 UID FETCH 7:8 (UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS ("Date" "From" "To" "Cc" "Subject" "Message-ID" "In-Reply-To" "References")])
S: * 2 FETCH (UID 7 INTERNALDATE "20-Nov-1994 17:42:36 +0000" RFC822.SIZE 58 BODY[HEADER.FIELDS ("Date" "From" "To" "Cc" "Subject" "Message-ID" "In-Reply-To" "References")] {22}
S: Message-ID: <xa@b>
S:
S: )
S: * 3 FETCH (UID 8 FLAGS ($Seen))
` + dialogueFields,
			Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "imap://bob@mail.example/INBOX;UIDVALIDITY=9/;UID=8" ||
					!d.Referrals[0].Own {
					t.Errorf("got %+v, want len(d.Referrals) 1, d.Referrals[0].URI %q, d.Referrals[0].Own true",
						d.Referrals, "imap://bob@mail.example/INBOX;UIDVALIDITY=9/;UID=8")
				}
			}},
		fetchtest.Case{Name: "all", URI: "mid:a@b", Options: fetch.Options{Set: map[string][]string{"mid.all": {"yes"}}},
			Type: fetch.ListingType, Secrets: []string{"open sesame"}, Script: dialogueHead + dialogueID + dialogueHit},
	)
}

func TestMidInStoreConformance(t *testing.T) {
	fetchtest.Test(t, Schemes(&Config{Sources: places("mbox:testdata/box")})[0],
		fetchtest.Case{Name: "message", URI: "mid:a@b",
			Body: "Message-ID: <a@b>\nContent-Type: multipart/mixed; boundary=i\n\n--i\n\none\n--i\nContent-ID: <c@d>\n" +
				"Content-Transfer-Encoding: base64\n\ndHdv\n--i--\n", Type: "message/rfc822"},
		fetchtest.Case{Name: "part", URI: "mid:a@b/c@d", Body: "two", Type: "text/plain"},
		fetchtest.Case{Name: "part by number", URI: "mid:a@b", Options: fetch.Options{Set: map[string][]string{"mid.part": {"2"}}},
			Body: "two"},
		fetchtest.Case{Name: "no part", URI: "mid:a@b/none", Err: fetch.ErrNotFound},
		fetchtest.Case{Name: "none", URI: "mid:none", Err: fetch.ErrNotFound},
		fetchtest.Case{Name: "injection", URI: "mid:a%0D%0Ab", Err: fetch.ErrRefusedURL},
	)
}

func TestCidConformance(t *testing.T) {
	input := func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("Content-Type: text/plain; charset=utf-8\nContent-ID: <a@b>\n" +
			"Content-Transfer-Encoding: base64\n\naGVsbG8=\n")), nil
	}
	fetchtest.Test(t, Schemes(&Config{Input: input})[1],
		fetchtest.Case{Name: "part", URI: "cid:a@b", Body: "hello", Type: "text/plain; charset=utf-8"},
		fetchtest.Case{Name: "none", URI: "cid:none", Err: fetch.ErrNotFound},
		fetchtest.Case{Name: "a base that is relative itself", URI: "cid:a@b", Options: fetch.Options{Base: uri.MustParse("cid:x")},
			Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "empty", URI: "cid:", Err: fetch.ErrRefusedURL},
	)
}

func TestMailtoConformance(t *testing.T) {
	search := `
*: UID SEARCH OR FROM <address> OR TO <address> CC <address> "tim@site.example"
C: T3 UID SEARCH OR (FROM "tim@site.example") (OR (TO "tim@site.example") (CC "tim@site.example"))
`
	fetchtest.Test(t, Schemes(&Config{Sources: places("imap://bob:open%20sesame@mail.example/INBOX")})[2],
		fetchtest.Case{Name: "none", URI: "mailto:tim@site.example", Type: fetch.ListingType, Secrets: []string{"open sesame"}, Script: dialogueHead + search + `
S: * SEARCH
S: T3 OK done
`},
		fetchtest.Case{Name: "listing", URI: "mailto:tim@site.example", Type: fetch.ListingType, Secrets: []string{"open sesame"},
			Script: dialogueHead + search + dialogueHit},
		fetchtest.Case{Name: "no address", URI: "mailto:?subject=x", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "injection", URI: "mailto:a@b?subject=x%0D%0Ay", Err: fetch.ErrRefusedURL},
	)
	fetchtest.Test(t, Schemes(&Config{Sources: places("mbox:testdata/box")})[2],
		fetchtest.Case{Name: "in a store", URI: "mailto:nobody@x", Type: fetch.ListingType},
	)
}
