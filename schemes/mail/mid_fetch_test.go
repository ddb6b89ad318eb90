package mail_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// stores writes the messages of the site into a store of each kind.
func stores(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	mbox := ""
	for i, name := range []string{"forwarded", "plain", "related"} {
		b, err := testdata.Site().(interface{ ReadFile(string) ([]byte, error) }).ReadFile("mail/" + name + ".eml")
		if err != nil {
			t.Fatal(err)
		}
		mbox += "From tim@site.example Tue Dec 20 12:00:00 1994\n" + string(b) + "\n\n"
		for _, file := range []string{"maildir/.Sub/cur/" + name + ":2,S", "mh/inbox/" + string(rune('1'+i))} {
			put(t, filepath.Join(dir, filepath.FromSlash(file)), string(b))
		}
	}
	put(t, dir+"/mbox", mbox)
	return []string{"maildir:" + dir + "/maildir", "mbox:" + dir + "/mbox", "mh:" + dir + "/mh"}
}

func withLogin(u string) string {
	return strings.Replace(u, "://", "://"+mailtest.User+":pa%20ss%22w%5Crd@", 1)
}

func TestMid(t *testing.T) {
	s := serve(t, nil)
	list := stores(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(strings.TrimPrefix(list[0], "maildir:"), link); err != nil {
		t.Fatal(err)
	}
	for _, source := range append(list, "maildir:"+link, withLogin(s.URL), withLogin(s.URL)+"/INBOX") {
		c := client(t, s, &mail.Config{Sources: places(source)})
		d, body, err := get(t, c, "mid:plain.1@site.example", nil)
		if err != nil ||
			strings.TrimSpace(strings.ReplaceAll(body, "\r", "")) != strings.TrimSpace(strings.ReplaceAll(siteMessage(t, "plain"), "\r",
				"")) || d.Type != "message/rfc822" {
			t.Errorf("%s: got %v %+v %q, want message/rfc822 %q", source, err, d, body, siteMessage(t, "plain"))
		}
		if err == nil && strings.HasPrefix(source, "imap") &&
			(len(d.Via) != 1 || !d.Via[0].Own || strings.Contains(d.Via[0].URI.String(), "rd@")) {
			t.Errorf("%s: got via %v, want one referral of the source itself, without password", source, d.Via)
		}
		for in, want := range map[string]string{
			"mid:related.1@site.example/pixel.1@site.example": "GIF89a",
			"mid:related.1@site.example/note%2Fslash@site.example": "A note in Latin-1, sent in quoted-printable: Gen\xe8ve. Its " +
				"identifier has a slash in it.",
		} {
			d, body, err := get(t, c, in, nil)
			if err != nil || !strings.HasPrefix(body, want) {
				t.Errorf("%s of %s: got %v %+v %q, want beginning with %q", in, source, err, d, body, want)
			}
		}
		for _, in := range []string{"mid:lain.1@site.example", "mid:PLAIN.1@site.example", "mid:plain.1@site.example/none@x"} {
			if _, _, err := get(t, c, in, nil); fetch.KindOf(err) != fetch.ErrNotFound {
				t.Errorf("%s of %s: got %v, want %v", in, source, err, fetch.ErrNotFound)
			}
		}
	}
	if strings.Contains(strings.Join(s.Transcript(), ""), " STORE ") || strings.Contains(strings.Join(s.Transcript(), ""), " SELECT ") {
		t.Errorf("got STORE or SELECT, want commands that change nothing")
	}
	_, _, err := get(t, client(t, nil, &mail.Config{Sources: places("maildir:/none", "mbox:/none")}), "mid:a@b", nil)
	if fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("stores that are not there: got %v, want %v", err, fetch.ErrLocal)
	}
	if _, _, err := get(t, client(t, nil, nil), "mid:a@b", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("no source: got %v, want %v", err, fetch.ErrNotFound)
	}
	two := client(t, s, &mail.Config{Sources: places("maildir:/none", withLogin(s.URL))})
	if _, _, err := get(t, two, "mid:plain.1@site.example", nil); err != nil {
		t.Errorf("the second source holds it: got %v, want the message", err)
	}
}

func TestCid(t *testing.T) {
	s := serve(t, nil)
	sources := []string{withLogin(s.URL)}
	c := client(t, s, &mail.Config{Sources: places(sources...)})
	for _, base := range []string{"mid:related.1@site.example", s.URL + "/INBOX/;UID=3"} {
		o := &fetch.Options{Base: uri.MustParse(base)}
		if d, body, err := get(t, c, "cid:pixel.1@site.example", o); err != nil || len(body) != 43 ||
			d.Type != "image/gif; name=pixel.gif" {
			t.Errorf("in %s: got %v %+v %q, want len(body) 43, d.Type %q", base, err, d, body, "image/gif; name=pixel.gif")
		}
		if _, _, err := get(t, c, "cid:none@x", o); fetch.KindOf(err) != fetch.ErrNotFound {
			t.Errorf("in %s: got %v, want %v", base, err, fetch.ErrNotFound)
		}
	}
	if _, _, err := get(t, c, "cid:pixel.1@site.example", nil); fetch.KindOf(err) != fetch.ErrRefusedURL {
		t.Errorf("without a base: got %v, want %v", err, fetch.ErrRefusedURL)
	}
	input := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(siteMessage(t, "related"))), nil }
	if _, body, err := get(t, client(t, nil, &mail.Config{Input: input}), "cid:pixel.1@site.example", nil); err != nil || len(body) != 43 {
		t.Errorf("standard input: got %v %q, want len(body) 43", err, body)
	}
	cut := func() (io.ReadCloser, error) {
		m := siteMessage(t, "related")
		return io.NopCloser(strings.NewReader(m[:strings.Index(m, "GODlh")+20])), nil
	}
	if _, body, err := get(t, client(t, nil, &mail.Config{Input: cut}), "cid:pixel.1@site.example",
		nil); fetch.KindOf(err) != fetch.ErrDecode {
		t.Errorf("cut: got %v %q, want %v", err, body, fetch.ErrDecode)
	}
}

func TestExternalBody(t *testing.T) {
	for fields, want := range map[string]string{
		`access-type=anon-ftp; site=ftp.x; directory="pub dir"; name="a b.ps"; mode=ascii`: "ftp://ftp.x/pub%20dir/a%20b.ps;type=a",
		`access-type=URL; url="http://h/x"`:                                                "http://h/x",
		`access-type=mail-server; server="s@h"; subject="get x"`:                           "mailto:s@h?subject=get%20x",
	} {
		input := func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("Content-ID: <a>\nContent-Type: message/external-body; " + fields + "\n\n")), nil
		}
		c := client(t, nil, &mail.Config{Input: input})
		c.Policy.NoFollow = true
		if d, _, err := get(t, c, "cid:a", nil); err != nil || len(d.Referrals) != 1 || d.Referrals[0].URI.String() != want ||
			d.Referrals[0].Own {
			t.Errorf("%s: got %v %+v, want a foreign referral to %s", fields, err, d, want)
		}
	}
}

// TestUnreadable: a message that cannot be read does not hide the others, and a listing without it is not whole.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser can read everything")
	}
	dir := t.TempDir()
	for i, mode := range []os.FileMode{0o200, 0o600} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i+1)), fmt.Appendf(nil, "To: a@b\nMessage-ID: <%d@x>\n\n", i+1), mode); err != nil {
			t.Fatal(err)
		}
	}
	c := client(t, nil, &mail.Config{Sources: places("mh:" + dir)})
	if list, err := entries(t, c, "mailto:a@b", nil); len(list) != 1 || fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, %v, want the other message, then %v", list, err, fetch.ErrLocal)
	}
	if _, body, err := get(t, c, "mid:2@x", nil); err != nil || !strings.Contains(body, "2@x") {
		t.Errorf("got %q, %v, want the other message", body, err)
	}
	if _, _, err := get(t, c, "mid:3@x", nil); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, want %v: the message may be the unreadable one", err, fetch.ErrLocal)
	}
}

// TestUndated: a message whose date cannot be read may be late enough. Encoded words have the words that are searched.
func TestUndated(t *testing.T) {
	box := filepath.Join(t.TempDir(), "box")
	put(t, box, "From x Tue Dec 20 12:00:00 1994\nFrom: =?utf-8?q?J=C3=B6rg?= <j@x>\nTo: a@b\nDate: soon\n\nx\n")
	o := &fetch.Options{Search: []string{"jörg"}, Set: map[string][]string{"mailto.since": {"1994-12-21"}}}
	if list, err := entries(t, client(t, nil, &mail.Config{Sources: places("mbox:" + box)}), "mailto:a@b", o); err != nil || len(list) != 1 {
		t.Errorf("got %v, %v, want the message", list, err)
	}
}

func TestCorrespondence(t *testing.T) {
	s := serve(t, nil)
	for _, source := range append(stores(t), withLogin(s.URL)) {
		c := client(t, s, &mail.Config{Sources: places(source)})
		for in, want := range map[string]int{
			"mailto:tim@site.example": 2, "mailto:READER@site.example": 3, "mailto:im@site.example": 0, "mailto:writer@site.example,tim@site.example": 3,
		} {
			list, err := entries(t, c, in, nil)
			if err != nil || len(list) != want {
				t.Errorf("%s in %s: got %v %+v, want len(list) %d", in, source, err, list, want)
			}
			for _, e := range list {
				if _, _, err := get(t, c, e.URI.String(), nil); err != nil {
					t.Errorf("%s: got %v, want the message", e.URI, err)
				}
			}
		}
		for _, o := range []*fetch.Options{{Search: []string{"PICTURE"}}, {Set: map[string][]string{"mailto.since": {"1994-12-21"}}}} {
			if list, err := entries(t, c, "mailto:reader@site.example", o); err != nil || len(list) != 1 {
				t.Errorf("%+v in %s: got %v %+v, want len(list) 1", o, source, err, list)
			}
		}
	}
}
