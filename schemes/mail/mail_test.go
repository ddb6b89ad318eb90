package mail

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Schemes(nil)...); n < 15 {
		t.Errorf("got %d rows, want 15 or more", n)
	}
}

func places(uris ...string) (list []Source) {
	for _, u := range uris {
		list = append(list, Source{URI: u})
	}
	return list
}

func ptr(s *fetch.Octets) string {
	if s == nil {
		return "-"
	}
	return string(*s)
}

func TestIDs(t *testing.T) {
	for in, want := range map[string]string{
		"mid:a@b":                 "a@b -",
		"mid:%3Ca@b%3E/%3Cc@d%3E": "a@b c@d",
		"mid:a%2Fb@c/d%2Fe@f":     "a/b@c d/e@f", // RFC 2392 section 2
		"mid:a/b@c":               "a/b@c -",     // a raw slash before the "@" belongs to the id
		"mid:a/b%40c/d@e":         "a/b@c d@e",
		"mid:odd":                 "odd -",
		"mid:odd/part":            "odd part",
		"mid:a?b@c":               "a?b@c -",
		"mid:a%20b@c":             "a b@c -", // found in mail
		"cid:a/b":                 "- a/b",
		"cid:%3Ca@b%3E":           "- a@b",
		"mid:":                    "", "mid:a@b/": "", "mid:/a@b": "/a@b " +
			"-", "mid:%3C%3E": "", "cid:": "", "mid:a%0Ab": "", "cid:a%00": "", "mid:a%3Eb": "",
		"mid:" + strings.Repeat("a", 999): "",
	} {
		u := uri.MustParse(in)
		r, err := parseIDs(u)
		got := ""
		if err == nil {
			got = ptr(r.MessageID) + " " + ptr(r.ContentID)
		}
		if got != want {
			t.Errorf("%s: %q, want %q (%v)", in, got, want, err)
		}
	}
}

func TestLetters(t *testing.T) {
	for _, c := range []struct {
		in   string
		mode uri.Mode
		want string // addresses, headers; "" means a refused URI
	}{
		{"mailto:a@b,c@d", uri.RFC3986, "a@b|c@d"},
		{"mailto:a%2Cb@c", uri.RFC3986, "a,b@c"}, // RFC 6068 section 2: an escaped comma is data
		{"mailto:a@b?to=c@d,e@f&SUBJECT=x%20y", uri.RFC3986, "a@b|c@d|e@f to=c@d,e@f SUBJECT=x y"},
		{"mailto:%22a%20b%22@c", uri.RFC3986, `"a b"@c`},
		{"mailto:%22a@b%22@c", uri.RFC3986, `"a@b"@c`}, // the last "@"
		{"mailto:a@b?body=x%0D%0Ay", uri.RFC3986, "a@b body=x\r\ny"},
		{"mailto:a+b@c?subject=a+b", uri.RFC2368, "a+b@c subject=a+b"},            // D21
		{"mailto:a%40b%2Cc@d%2C%20%22e%2Cf%22@g", uri.RFC2368, `a@b|c@d|"e,f"@g`}, // RFC 2368 section 2: #mailbox, with its commas escaped
		{"mailto:a@b?to=c@d%2Ce", uri.RFC2368, "a@b|c@d|e to=c@d,e"},
		{"mailto:%22Doe%2C%20J.%22%20%3Cj@h%3E%2C%20Ann%20B%20%3Ca@h%3E%2C%3Cc@h%3E", uri.RFC2368, "j@h|a@h|c@h"},
		{"mailto:Ann%20%3Ca@h%3E%20x", uri.RFC2368, ""}, {"mailto:Ann%20%3Ca@h%3E", uri.RFC3986, ""}, {"mailto:%3C@r%3Aa@h%3E", uri.RFC2368, ""},
		{"mailto:a@b%2C%20", uri.RFC2368, ""}, {"mailto:%22a%2Cb", uri.RFC2368, ""},
		{"mailto:a@b%2C%20c@d", uri.RFC3986, ""},
		{"mailto:a@b,c@d", uri.RFC1738, "a@b,c@d"},
		{"mailto:?subject=x", uri.RFC3986, " subject=x"},
		{"mailto:a@b?", uri.RFC3986, ""},
		{"mailto:?", uri.RFC3986, ""}, {"mailto:a", uri.RFC3986, "a"}, {"mailto:postmaster,a@b", uri.RFC3986,
			"postmaster|a@b"}, {"mailto:postmaster", uri.RFC1738, "postmaster"},
		{"mailto:a%2Cb@c", uri.RFC3986, "a,b@c"}, // RFC 6068 section 2: an escaped comma is data
		{"mailto:?to=a%2Cb@c,postmaster", uri.RFC3986, "a,b@c|postmaster to=a,b@c,postmaster"},
		{"mailto:a%2Cb", uri.RFC3986, ""}, {"mailto:a..b", uri.RFC3986, ""}, {"mailto:a%20b", uri.RFC3986, ""}, {"mailto:%22a%20b%22",
			uri.RFC3986, `"a b"`},
		{"mailto:a:b;", uri.RFC3986, ""}, {"mailto:%22a", uri.RFC3986, ""}, {"mailto:(x)", uri.RFC3986, ""},
		{"mailto:@b", uri.RFC3986, ""}, {"mailto:a@", uri.RFC3986, ""},
		{"mailto:a@b,", uri.RFC3986, ""}, {"mailto:a%20b@c", uri.RFC3986, ""}, {"mailto:a%3E@c", uri.RFC3986, ""}, {"mailto:a@b%20c",
			uri.RFC3986, ""},
		{"mailto:a@b?x?y=z", uri.RFC3986, ""}, {"mailto:a@b?x", uri.RFC3986, ""}, {"mailto:a@b?=x", uri.RFC3986,
			""}, {"mailto:a@b?x%3A=y", uri.RFC3986, ""},
		{"mailto:a@b?subject=x%0D%0ABcc:y@z", uri.RFC3986, ""}, {"mailto:a@b?body=%00", uri.RFC3986, ""}, {"mailto:", uri.RFC1738, ""},
		{"mailto:a@b" + strings.Repeat(",a@b", maxAddresses), uri.RFC3986, ""},
	} {
		got := ""
		r, err := parseMailto(uri.MustParse(c.in), c.mode)
		if err == nil {
			list := []string{}
			for _, a := range r.Addresses {
				list = append(list, string(a))
			}
			got = strings.Join(list, "|")
			for _, h := range r.Headers {
				got += " " + string(h[0]) + "=" + string(h[1])
			}
		}
		if got != c.want {
			t.Errorf("%s %.50s: %q, want %q (%v)", c.mode, c.in, got, c.want, err)
		}
	}
}

func TestPlans(t *testing.T) {
	sources := []string{"imap://ann:pw@m.example/INBOX", "maildir:/home/ann/Mail", "imaps://n.example", "nntp://news.example"}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "mid:a@b/c@d", Want: `
tcp m.example:143 none document
CAPABILITY
STARTTLS {if STARTTLS is offered}
LOGIN ann pw {secret}
EXAMINE INBOX
UID SEARCH HEADER Message-ID "a@b" {again until a folder holds it}
UID FETCH <uids> ` + headerItems + ` {if the search has hits} {again until a folder holds it}
UID FETCH <uid> (UID BODY.PEEK[]) {if a source holds the message} {again until a folder holds it}
look maildir:/home/ann/Mail "<a@b>"
[n.example:993] CAPABILITY
[n.example:993] LOGIN <user> <password> {if a login is known} {secret}
[n.example:993] AUTHENTICATE ANONYMOUS {if no login is known}
[n.example:993] LIST "" *
[n.example:993] EXAMINE <folder> {again until a folder holds it}
[n.example:993] UID SEARCH HEADER Message-ID "a@b" {again until a folder holds it}
[n.example:993] UID FETCH <uids> ` + headerItems + ` {if the search has hits} {again until a folder holds it}
[n.example:993] UID FETCH <uid> (UID BODY.PEEK[]) {if a source holds the message} {again until a folder holds it}
part "<c@d>" {if a source holds the message}`},
		{URI: "mid:a@b", Options: fetch.Options{Search: []string{"x"}}, Kind: fetch.ErrUnsupported},
		{URI: "cid:a@b", Options: fetch.Options{Search: []string{"x"}}, Kind: fetch.ErrUnsupported},
		{URI: "mailto:a@b", Want: `
tcp m.example:143 none listing
CAPABILITY
STARTTLS {if STARTTLS is offered}
LOGIN ann pw {secret}
EXAMINE INBOX
UID SEARCH OR FROM <address> OR TO <address> CC <address> "a@b" {again until the last folder}
UID FETCH <uids> ` + headerItems + ` {if the search has hits} {again until the last folder}
look maildir:/home/ann/Mail from or to "a@b"
[n.example:993] CAPABILITY
[n.example:993] LOGIN <user> <password> {if a login is known} {secret}
[n.example:993] AUTHENTICATE ANONYMOUS {if no login is known}
[n.example:993] LIST "" *
[n.example:993] EXAMINE <folder> {again until the last folder}
[n.example:993] UID SEARCH OR FROM <address> OR TO <address> CC <address> "a@b" {again until the last folder}
[n.example:993] UID FETCH <uids> ` + headerItems + ` {if the search has hits} {again until the last folder}`},
	}, Schemes(&Config{Sources: places(sources...)})...)
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "mid:a@b", Want: "none message message/rfc822\nlook <mail sources> \"<a@b>\""},
		{URI: "mid:a@b", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "mid:a@b", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "cid:a@b", Want: "none document\npart <the message on standard input> \"<a@b>\""},
		{URI: "cid:a@b", Options: fetch.Options{Base: uri.MustParse("imap://ann:pw@h/INBOX/;UID=1")},
			Want: "none document\npart imap://h/INBOX/;UID=1 \"<a@b>\""},
		{URI: "mailto:?subject=x", Kind: fetch.ErrRefusedURL},
		{URI: "mailto:a@b", Options: fetch.Options{Op: fetch.Attach}, Kind: fetch.ErrUnsupported},
	}, Schemes(nil)...)
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "mailto:a@b", Kind: fetch.ErrUnsupported}, // a news server has no search for addresses
		{URI: "mid:a@b", Want: "none message message/rfc822\nrefer news://[::1]:1119/a@b"},
		{URI: "mid:a%20b@c", Kind: fetch.ErrUnsupported}, // not an argument of NNTP
	}, Schemes(&Config{Sources: places("nntp://[::1]:1119")})...)
	for _, bad := range []string{"maildir:", "imap:x", "pop://h", "imap://", ""} {
		fetchtest.Plans(t, []fetchtest.PlanCase{{URI: "mid:a@b", Kind: fetch.ErrLocal}}, Schemes(&Config{Sources: places(bad)})...)
	}
}

func TestSubmission(t *testing.T) {
	send := fetch.Options{Op: fetch.Send}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		// Bcc of a URI is a recipient and no field, and From is ignored (RFC 6068 section 4)
		{URI: "mailto:bob@lab.test?subject=caf%C3%A9&cc=c@d&bcc=victim@lab.test&from=evil@lab.test&body=hi%0D%0A.%0D%0A", Options: send, Want: `
tcp localhost:587 explicit message message/rfc822
EHLO <this host>
HELO <this host> {if the server does not know EHLO}
STARTTLS {if STARTTLS is offered}
EHLO <this host> {if STARTTLS is offered}
AUTH <user> <password> {if a login is known} {secret}
MAIL FROM:<sender>
RCPT TO:<bob@lab.test>
RCPT TO:<c@d>
RCPT TO:<victim@lab.test>
DATA
 "<message>" {if a message is given}
To: bob@lab.test {if no message is given}
Subject: =?utf-8?q?caf=C3=A9?= {if no message is given}
Cc: c@d {if no message is given}
 "hi\r\n.\r\n\r\n" {if no message is given}
QUIT`},
		{URI: "mailto:bob@lab.test%3E%0d%0aRCPT%20TO:%3Cvictim@lab.test", Options: send, Kind: fetch.ErrRefusedURL},
		{URI: "mailto:a@b?cc=x", Options: send, Kind: fetch.ErrRefusedURL},
	}, Schemes(nil)...)
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "mailto:a@b?in-reply-to=%3Cx@y%3E", Options: fetch.Options{Op: fetch.Send, Login: fetch.Login{User: "u", Password: "p", Set: true}}, Want: `
tcp s.example:465 implicit message message/rfc822
EHLO <this host>
HELO <this host> {if the server does not know EHLO}
AUTH u p {secret}
MAIL FROM:<me@here>
RCPT TO:<a@b>
DATA
 "<message>" {if a message is given}
To: a@b {if no message is given}
In-Reply-To: <x@y> {if no message is given}
 "\r\n" {if no message is given}
QUIT`},
	}, Schemes(&Config{Submission: "smtps://s.example", From: "me@here"})...)
	for _, bad := range []string{":587", "smtp://", "a b"} {
		fetchtest.Plans(t, []fetchtest.PlanCase{{URI: "mailto:a@b", Options: send, Kind: fetch.ErrLocal}},
			Schemes(&Config{Submission: bad})...)
	}
}

func TestPromise3Injection(t *testing.T) {
	places := []string{"mid:a{}@b", "mid:a@b/c{}", "cid:a{}@b", "mailto:a{}@b", "mailto:a@b{}", "mailto:a@b?subject=x{}",
		"mailto:a@b?cc=x{}@y", "mailto:a@b?to=x{}@y",
		"imap://h{}/x", "imap://u{}@h/x", "imap://u:p{}@h/x", "imap://u;AUTH=x{}@h/x", "imap://h/x{}", "imap://h/x{}/;UID=1", "imap://h/x?FROM%20a{}", "imaps://h/x/;UID=1/;SECTION=HEADER.FIELDS%20(a{})"}
	fetchtest.Injection(t, places, nil, Schemes(nil)...)
	fetchtest.Injection(t, places[3:8], &fetch.Options{Op: fetch.Send}, Schemes(nil)...)
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"mid:a@b/c@d", "cid:<a@b>", "mailto:a@b?subject=x&body=y", "mailto:?to=a@b",
		"imap://u;AUTH=*@h/a/;UID=1/;SECTION=1.2/;PARTIAL=0.9",
		"imap://h/a;UIDVALIDITY=1?FROM%20x", "imaps://h"}, Schemes(&Config{Sources: places("mbox:x", "imap://h")})...)
}

func TestPage(t *testing.T) {
	schemetest.Page(t, imapReplies, Schemes(nil)...)
	schemetest.Page(t, smtpReplies, Schemes(nil)...)
}
