package mail_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lab"
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
			t.Errorf("%s: %v", e.URI, err)
		}
	}
	for _, want := range []string{"INBOX", "Archive/1994", "Sent Items", "Entwürfe", "Empty", "Lists"} {
		if !slices.Contains(titles, want) {
			t.Errorf("no folder %s in %v, %v", want, titles, err)
		}
	}
	list, err = entries(t, c, "imap://"+addr+"/INBOX", o)
	if err != nil || len(list) < 50 {
		t.Fatalf("%d messages, %v", len(list), err)
	}
	for _, e := range list {
		if d, body, err := get(t, c, e.URI.String(), o); err != nil || int64(len(body)) != d.Size || d.Size != e.Size {
			t.Errorf("%s: %v %d of %d", e.URI, err, len(body), e.Size)
		}
	}
	o = &fetch.Options{Login: fetch.Login{User: "bob smith@lab.test", Password: "p@ss:w/rd", Set: true}}
	if _, err := entries(t, c, "imaps://"+strings.Replace(addr, "24143", "24144", 1)+"/INBOX", o); err != nil {
		t.Error(err)
	}
	if _, err := entries(t, c, "imap://alice:wrong@"+addr+"/INBOX", nil); fetch.KindOf(err) != fetch.ErrAuth {
		t.Errorf("wrong password: %v", err)
	}
	for _, mech := range []string{"PLAIN", "LOGIN"} {
		if _, err := entries(t, c, "imap://alice;AUTH="+mech+":secret@"+addr+"/Empty", nil); err != nil && fetch.KindOf(err) != fetch.ErrAuth {
			t.Errorf("%s: %v", mech, err)
		} else {
			t.Logf("%s: %v", mech, err)
		}
	}
}

// TestOddMessageIDs: what servers find by substring, in any case, and folded, is verified.
func TestOddMessageIDs(t *testing.T) {
	addr := lab.Server(t, "dovecot")
	c := realClient(t, &mail.Config{Sources: []string{"imap://alice:secret@" + addr}})
	for _, in := range []string{"mid:twice@lab.test", "mid:two@@lab.test", "mid:folded%20@lab.test"} {
		if d, body, err := get(t, c, in, nil); err != nil || !strings.Contains(body, "Subject") || len(d.Via) != 1 {
			t.Errorf("%s: %v %q", in, err, body)
		}
	}
	for _, in := range []string{"mid:TWICE@lab.test", "mid:lab.test", "mid:twice@lab.tes"} {
		if _, _, err := get(t, c, in, nil); fetch.KindOf(err) != fetch.ErrNotFound {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestOpenSMTPD(t *testing.T) {
	host, _, _ := strings.Cut(lab.Server(t, "smtp"), ":")
	for port, want := range map[string]fetch.Kind{"smtp://" + host + ":24027": "", "smtps://" + host + ":24026": "", "smtp://" + host + ":24025": fetch.ErrTLS} {
		c := realClient(t, &mail.Config{Submission: port, From: "alice@lab.test"})
		r, err := c.Send(t.Context(), uri.MustParse("mailto:bob@lab.test,none@lab.test?subject=x&body=y"), nil, nil)
		if fetch.KindOf(err) != want || err == nil && (len(r.Accepted) != 1 || len(r.Refused) != 1) {
			t.Errorf("%s: %v %+v", port, err, r)
		}
	}
}
