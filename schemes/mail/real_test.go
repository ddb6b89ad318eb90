package mail_test

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

func realClient(t *testing.T, cfg *mail.Config) *fetch.Client {
	c := client(t, nil, cfg)
	c.TLS = lab.TLS(t)
	return c
}

var alice = fetch.Login{User: "alice", Password: "secret", Set: true}

func TestDovecot(t *testing.T) {
	addr := lab.Server(t, "dovecot")
	c := realClient(t, nil)
	o := &fetch.Options{Login: alice}
	list, err := entries(t, c, "imap://"+addr, o)
	titles := []string{}
	for _, e := range list {
		titles = append(titles, e.Title)
		if e.URI.IsZero() {
			continue
		}
		if _, err := entries(t, c, e.URI.String(), o); err != nil {
			t.Errorf("%s: got %v, want a listing", e.URI, err)
		}
	}
	for _, want := range []string{"INBOX", "Archive/1994", "Sent Items", "Entwürfe", "Empty", "Lists"} {
		if !slices.Contains(titles, want) {
			t.Errorf("no mailbox %s in %v, %v", want, titles, err)
		}
	}
	list, err = entries(t, c, "imap://"+addr+"/INBOX", o)
	if err != nil || len(list) < 50 {
		t.Fatalf("got %d messages, %v, want at least len(list) 50", len(list), err)
	}
	for _, e := range list {
		if d, body, err := get(t, c, e.URI.String(), o); err != nil || int64(len(body)) != d.Size || d.Size != e.Size {
			t.Errorf("%s: got %v %d of %d, want int64(len(body)) %v, d.Size %v", e.URI, err, len(body), e.Size, d.Size, e.Size)
		}
	}
	o = &fetch.Options{Login: fetch.Login{User: "bob smith@lab.test", Password: "p@ss:w/rd", Set: true}}
	if _, err := entries(t, c, "imaps://"+strings.Replace(addr, "24143", "24144", 1)+"/INBOX", o); err != nil {
		t.Errorf("got %v, want a listing", err)
	}
	if _, err := entries(t, c, "imap://alice:wrong@"+addr+"/INBOX", nil); fetch.KindOf(err) != fetch.ErrAuth {
		t.Errorf("wrong password: got %v, want %v", err, fetch.ErrAuth)
	}
	for _, mech := range []string{"PLAIN", "LOGIN"} {
		if _, err := entries(t, c, "imap://alice;AUTH="+mech+":secret@"+addr+"/Empty", nil); err != nil &&
			fetch.KindOf(err) != fetch.ErrAuth {
			t.Errorf("%s: got %v, want a listing or %v", mech, err, fetch.ErrAuth)
		} else {
			t.Logf("%s: %v", mech, err)
		}
	}
}

// TestOddMessageIDs verifies hits that servers find as substrings, in any case, and folded.
func TestOddMessageIDs(t *testing.T) {
	addr := lab.Server(t, "dovecot")
	c := realClient(t, &mail.Config{Sources: places("imap://alice:secret@" + addr)})
	for _, in := range []string{"mid:twice@lab.test", "mid:two@@lab.test", "mid:folded%20@lab.test"} {
		if d, body, err := get(t, c, in, nil); err != nil || !strings.Contains(body, "Subject") || len(d.Via) != 1 {
			t.Errorf("%s: got %v %q, want with %q, len(d.Via) 1", in, err, body, "Subject")
		}
	}
	for _, in := range []string{"mid:TWICE@lab.test", "mid:lab.test", "mid:twice@lab.tes"} {
		if _, _, err := get(t, c, in, nil); fetch.KindOf(err) != fetch.ErrNotFound {
			t.Errorf("%s: got %v, want %v", in, err, fetch.ErrNotFound)
		}
	}
}

func TestOpenSMTPD(t *testing.T) {
	host, _, _ := strings.Cut(lab.Server(t, "smtp"), ":")
	for port, want := range map[string]fetch.Kind{"smtp://" + host + ":24027": "", "smtps://" + host + ":24026": "", "smtp://" + host +
		":24025": fetch.ErrTLS} {
		c := realClient(t, &mail.Config{Submission: port, From: "alice@lab.test"})
		r, err := c.Send(t.Context(), uri.MustParse("mailto:bob@lab.test,none@lab.test?subject=x&body=y"), nil, nil)
		if fetch.KindOf(err) != want || err == nil && (len(r.Accepted) != 1 || len(r.Refused) != 1) {
			t.Errorf("%s: got %v %+v, want %q, one recipient accepted and one refused", port, err, r, want)
		}
	}
}

// TestOddIDsOfDovecot finds every message of the lab by its id as RFC 2392 writes it.
func TestOddIDsOfDovecot(t *testing.T) {
	c := realClient(t, &mail.Config{Sources: places("imap://alice@" + lab.Server(t, "dovecot"))})
	c.Logins = logins(alice, new([]string))
	for in, want := range map[string]string{
		"mid:simple@lab.test": "A simple message.",
		"mid:odd!%23$%25&'*+-%2F=%3F%5E_%60%7B%7C%7D~@lab.test": "odd body 0",
		"mid:pct%2541@lab.test":                                 "odd body 1",
		"mid:%22quoted%20left%22@lab.test":                      "odd body 2",
		"mid:lit@%5B127.0.0.1%5D":                               "odd body 3",
		"mid:a%2Fb%3Fc%23d@lab.test":                            "odd body 4",
		"mid:a/b%3Fc%23d@lab.test":                              "odd body 4", // the unescaped slash
		"mid:UPPER.Case@Lab.TEST":                               "odd body 5",
		"mid:no-at-sign":                                        "odd body 6",
		"mid:two@@lab.test":                                     "odd body 7",
		"mid:spaces-around@lab.test":                            "odd body 8",
		"mid:folded%20@lab.test":                                "odd body 9",
		"mid:no-brackets@lab.test":                              "odd body 10",
		"mid:caf%C3%A9@lab.test":                                "odd body 11",
		"mid:" + strings.Repeat("l", 300) + "@lab.test":         "odd body 12",
	} {
		if _, body, err := get(t, c, in, nil); err != nil || !strings.Contains(body, want) {
			t.Errorf("%s: got %v %q, want with %q", in, err, body, want)
		}
	}
	for in, want := range map[string]string{
		"mid:related@lab.test/pix%25el@lab.test": "GIF89a", "mid:related@lab.test/logo$1@lab.test": "GIF89a",
		"mid:nested@lab.test/alt-plain@lab.test": "café soft break =", "mid:nested@lab.test/inner-part@lab.test": "inner part",
		"mid:nested@lab.test/data%2F1%3Fx%23y@lab.test": "\x00\x01\x02",
	} {
		if _, body, err := get(t, c, in, nil); err != nil || !strings.HasPrefix(strings.ReplaceAll(body, "\r", ""), want) {
			t.Errorf("%s: got %v %q, want beginning with %q", in, err, body, want)
		}
	}
	if list, err := entries(t, c, "mid:twice@lab.test", setting("mid.all", "yes")); err != nil || len(list) != 2 {
		t.Errorf("got %v %+v, want len(list) 2", err, list)
	}
	if list, err := entries(t, c, "mailto:tim@lab.test", nil); err != nil || len(list) < 200 {
		t.Errorf("got %v, %d messages, want at least len(list) 200", err, len(list))
	}
}

// TestSentAndRead reads from dovecot what it has sent through OpenSMTPD.
func TestSentAndRead(t *testing.T) {
	host, _, _ := strings.Cut(lab.Server(t, "smtp"), ":")
	c := realClient(t, &mail.Config{Submission: "smtp://" + host + ":24027", From: "tim@lab.test",
		Sources: places("imap://alice@" + lab.Server(t, "dovecot") + "/INBOX")})
	c.Logins = logins(alice, new([]string))
	id := rand.Text() + "@lab.test"
	text := "Subject: grün\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\nMessage-ID: <" + id + ">\n\n.\n..\nFrom here\ngrün\n"
	if r, err := c.Send(t.Context(), uri.MustParse("mailto:alice@lab.test"), strings.NewReader(text), nil); err != nil ||
		len(r.Accepted) != 1 {
		t.Fatalf("got %v %+v, want len(r.Accepted) 1", err, r)
	}
	var body string
	var err error
	loopback.Until(t, "delivered message", func() bool {
		_, body, err = get(t, c, "mid:"+id, nil)
		return fetch.KindOf(err) != fetch.ErrNotFound
	})
	if err != nil || !strings.HasSuffix(body, "\r\n\r\n.\r\n..\r\nFrom here\r\ngrün\r\n") ||
		!strings.Contains(body, "Subject: =?utf-8?q?gr=C3=BCn?=") {
		t.Errorf("got %v %q, want ending with %q, with %q",
			err, body, "\r\n\r\n.\r\n..\r\nFrom here\r\ngrün\r\n", "Subject: =?utf-8?q?gr=C3=BCn?=")
	}
}
