package mail_test

import (
	"context"
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

var ann = fetch.Login{User: mailtest.User, Password: mailtest.Password, Set: true}

func places(uris ...string) (list []mail.Source) {
	for _, u := range uris {
		list = append(list, mail.Source{URI: u})
	}
	return list
}

func serve(t *testing.T, o *mailtest.Options) *loopback.Server {
	t.Helper()
	s, err := mailtest.ListenIMAP(testdata.Site(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, s *loopback.Server, cfg *mail.Config) *fetch.Client {
	c := fetch.New(mail.Schemes(cfg)...)
	if s != nil {
		c.TLS = &tls.Config{RootCAs: s.Roots()}
	}
	c.Timeouts.Idle = 10 * time.Second
	t.Cleanup(func() { c.Close() })
	return c
}

func get(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.GetWith(t, c, u, o)
}

func entries(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (list []fetch.Entry, err error) {
	t.Helper()
	for e, err := range c.Entries(t.Context(), uri.MustParse(u), o) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

func siteMessage(t *testing.T, name string) string {
	t.Helper()
	b, err := mailtest.ReadMessage(testdata.Site(), "mail/"+name+".eml")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMessageByUID(t *testing.T) {
	for name, o := range map[string]*mailtest.Options{"clear": nil, "TLS": {TLS: true}, "STARTTLS": {StartTLS: true, PasswordsTLS: true}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, o)
			c := client(t, s, nil)
			want := siteMessage(t, "plain")
			for range 2 { // the second uses the session of the first
				d, body, err := get(t, c, s.URL+"/INBOX/;UID=2", &fetch.Options{Login: ann})
				if err != nil || body != want || d.Size != int64(len(want)) || d.Type != "message/rfc822" || d.End != fetch.EndDeclared ||
					d.Validator.Tag == "" {
					t.Fatalf("got %v %+v %q, want message/rfc822 with a tag and its announced size: %q", err, d, body, want)
				}
			}
			if n := strings.Count(strings.Join(s.Transcript(), ""), " LOGIN "); n != 1 && name == "clear" {
				t.Errorf("got %d logins, want 1", n)
			}
			if strings.Contains(strings.Join(s.Transcript(), ""), "Seen") && name == "clear" {
				t.Errorf("got \\Seen, want no change of flags: %s", s.Transcript())
			}
		})
	}
}

func TestParts(t *testing.T) {
	s := serve(t, nil)
	c := client(t, s, nil)
	o := &fetch.Options{Login: ann}
	whole := siteMessage(t, "plain")
	for in, want := range map[string]string{
		"/INBOX/;UID=2/;PARTIAL=6.10":                      whole[6:16],
		"/INBOX/;UID=2/;SECTION=TEXT":                      whole[strings.Index(whole, "\r\n\r\n")+4:],
		"/INBOX/;UID=2/;SECTION=HEADER.FIELDS%20(Subject)": "Subject: A message by its identifier\r\n\r\n",
		"/INBOX/;UID=3/;SECTION=2":                         "R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==\r\n",
		"/INBOX/;UID=3/;SECTION=2/;PARTIAL=0.4":            "R0lG",
	} {
		if _, body, err := get(t, c, s.URL+in, o); err != nil || body != want {
			t.Errorf("%s: %v %q, want %q", in, err, body, want)
		}
	}
	d, body, err := get(t, c, s.URL+"/INBOX/;UID=2", &fetch.Options{Login: ann, Range: fetch.Range{From: 10}})
	if err != nil || body != whole[10:] || d.Offset != 10 {
		t.Errorf("got %v %+v %q, want %q, d.Offset 10", err, d, body, whole[10:])
	}
	d, _, err = get(t, c, s.URL+"/INBOX", &fetch.Options{Login: ann, Op: fetch.Metadata})
	if err != nil || !strings.HasPrefix(d.Validator.Tag, "W/") || d.Validator.Exact() || d.Header.Get("Messages") == "" {
		t.Errorf("mailbox: got %+v, %v; want its state, which is not that of a document", d, err)
	}
	d, _, err = get(t, c, s.URL+"/INBOX/;UID=2", &fetch.Options{Login: ann, Op: fetch.Metadata})
	if err != nil || d.Size != int64(len(whole)) || d.Header.Get("Subject") != "A message by its identifier" {
		t.Errorf("got %v %+v, want d.Size %v, Subject %q", err, d, int64(len(whole)), "A message by its identifier")
	}
	for in, want := range map[string]fetch.Kind{
		"/INBOX/;UID=99": fetch.ErrNotFound, "/none/;UID=1": fetch.ErrNotFound, "/INBOX;UIDVALIDITY=9999/;UID=2": fetch.ErrChanged,
		"/INBOX/;UID=2/;SECTION=x": fetch.ErrRefusedURL, "/INBOX?NONSENSE": fetch.ErrRefused,
	} {
		if _, _, err := get(t, c, s.URL+in, o); fetch.KindOf(err) != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func TestFolders(t *testing.T) {
	s := serve(t, nil)
	c := client(t, s, nil)
	o := &fetch.Options{Login: ann}
	list, err := entries(t, c, s.URL, o)
	if err != nil || len(list) != 1 || list[0].Title != "INBOX" || list[0].URI.String() != s.URL+"/INBOX" {
		t.Errorf("got %v %+v, want len(list) 1, list[0].Title %q, list[0].URI %v", err, list, "INBOX", s.URL+"/INBOX")
	}
	list, err = entries(t, c, s.URL+"/INBOX", o)
	if err != nil || len(list) != 3 || list[1].Title != "A message by its identifier" ||
		list[1].Attr["mid"][0] != "mid:plain.1@site.example" {
		t.Fatalf("got %v %+v, want len(list) 3, list[1].Title %q, mid %q",
			err, list, "A message by its identifier", "mid:plain.1@site.example")
	}
	if _, body, err := get(t, c, list[1].URI.String(), o); err != nil || body != siteMessage(t, "plain") {
		t.Errorf("%s: got %v %q, want %q", list[1].URI, err, body, siteMessage(t, "plain"))
	}
	list, err = entries(t, c, s.URL+"/INBOX?SUBJECT%20picture", o)
	if err != nil || len(list) != 1 || list[0].Attr["mid"][0] != "mid:related.1@site.example" {
		t.Errorf("got %v %+v, want len(list) 1, mid %q", err, list, "mid:related.1@site.example")
	}
	for word, want := range map[string]int{"picture": 1, "no such word": 0} { // --search
		list, err = entries(t, c, s.URL+"/INBOX", &fetch.Options{Login: ann, Search: []string{word}})
		if err != nil || len(list) != want {
			t.Errorf("%q: got %v %+v, want len(list) %d", word, err, list, want)
		}
	}
	if list, err = entries(t, c, s.URL+"/INBOX?SUBJECT%20nothing", o); err != nil || len(list) != 0 {
		t.Errorf("got %v %+v, want len(list) 0", err, list)
	}
}

func TestManners(t *testing.T) {
	set := func(v string) map[string][]string { return map[string][]string{"imap.ssl": {v}} }
	for _, c := range []struct {
		name      string
		server    *mailtest.Options
		o         fetch.Options
		kind      fetch.Kind
		want, not string
	}{
		{"no passwords in clear", &mailtest.Options{PasswordsTLS: true}, fetch.Options{Login: ann}, fetch.ErrAuth, "CAPABILITY",
			"LOGIN ann"},
		{"TLS required, not offered", nil, fetch.Options{Login: ann, Set: set("require")}, fetch.ErrTLS, "CAPABILITY", "LOGIN"},
		{"TLS required", &mailtest.Options{StartTLS: true}, fetch.Options{Login: ann, Set: set("require")}, "", "STARTTLS", ""},
		{"no TLS", &mailtest.Options{StartTLS: true}, fetch.Options{Login: ann, Set: set("never")}, "", "LOGIN", "D2 STARTTLS"},
		{"wrong password", nil, fetch.Options{Login: fetch.Login{User: "ann", Password: "x", Set: true}}, fetch.ErrAuth, "LOGIN",
			"EXAMINE"},
		{"nobody", nil, fetch.Options{}, fetch.ErrAuth, "CAPABILITY", "AUTHENTICATE"},
		{"nonsense", nil, fetch.Options{Set: set("maybe")}, fetch.ErrUnsupported, "", "OK"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.server)
			_, _, err := get(t, client(t, s, nil), s.URL+"/INBOX/;UID=1", &c.o)
			if fetch.KindOf(err) != c.kind || !strings.Contains(strings.Join(s.Transcript(), ""), c.want) || c.not != "" &&
				strings.Contains(strings.Join(s.Transcript(), ""), c.not) {
				t.Errorf("got %v, want %v, with %q and without %q\n%s", err, c.kind, c.want, c.not, s.Transcript())
			}
			if err != nil && strings.Contains(err.Error(), "rd") && strings.Contains(err.Error(), mailtest.Password) {
				t.Errorf("got %q, want no password in it", err)
			}
		})
	}
}

// logins looks logins up as netrc does, and records the queries.
func logins(l fetch.Login, asked *[]string) func(context.Context, fetch.LoginRequest) (fetch.Login, error) {
	return func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
		*asked = append(*asked, r.URI.String())
		if r.Scheme != "imap" || r.Attempt > 1 {
			return fetch.Login{}, nil
		}
		return l, nil
	}
}
