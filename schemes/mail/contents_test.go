package mail_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/schemes/mail"
)

// setting returns Options with one setting.
func setting(key, value string) *fetch.Options {
	return &fetch.Options{Set: map[string][]string{key: {value}}}
}

// TestContents lists the parts of a message and the links in its header and texts, from every kind of source.
func TestContents(t *testing.T) {
	s := serve(t, nil)
	for _, source := range append(stores(t), withLogin(s.URL)) {
		c := client(t, s, &mail.Config{Sources: places(source), Page: htmltext.Links})
		list, err := entries(t, c, "mid:related.1@site.example", nil)
		got := []string{}
		for _, e := range list {
			got = append(got, e.URI.String()+" "+e.Type)
		}
		want := []string{"mid:related.1@site.example/page.1@site.example text/html", "cid:note%2Fslash@site.example ",
			"mid:related.1@site.example/pixel.1@site.example image/gif", "mid:related.1@site.example/note%2Fslash@site.example text/plain"}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v %q, want %q", source, err, got, want)
		}
		if _, body, err := get(t, c, "mid:related.1@site.example", setting("mid.part", "2")); err != nil || len(body) != 43 {
			t.Errorf("%s: part 2: got %v %q, want len(body) 43", source, err, body)
		}
		for _, o := range []*fetch.Options{setting("mid.part", "9"), setting("mid.part", "0"),
			{Set: map[string][]string{"mid.part": {"1"}, "mid.all": {"yes"}}}} {
			if _, _, err := get(t, c, "mid:related.1@site.example", o); err == nil {
				t.Errorf("%s: %v: got a part, want an error", source, o.Set)
			}
		}
	}
}

const replied = "Message-ID: <new@h>\nReferences: <a/b@c>\n <d@e>\nList-Archive: <http://lists.example/a>\nSubject: see <x@y>\n\n" +
	"See <URL:ftp://h/x> and http://h/y.\n"

// Links in the parts of a message are decoded like those of other documents.
func TestLinksInOtherCharsets(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/box", "From a@b Tue Dec 20 12:00:00 1994\nMessage-ID: <new@h>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"+
		"--x\nContent-Type: text/plain; charset=koi8-r\n\nsee http://h/\xcd\xc9\xd2\n"+
		"--x\nContent-Type: text/plain\n\nsee http://h/\xcd\xc9\xd2\n"+
		"--x\nContent-Type: text/html; charset=koi8-r\n\n<a href='http://h/\xcd\xc9\xd2?\xcd'>x</a>\n--x--\n")
	list, err := entries(t, client(t, nil, &mail.Config{Sources: places("mbox:" + dir + "/box"), Page: htmltext.Links}), "mid:new@h", nil)
	var got []string
	for _, e := range list {
		if s := e.URI.String(); strings.HasPrefix(s, "http:") {
			got = append(got, s)
		}
	}
	if want := []string{"http://h/%D0%BC%D0%B8%D1%80", "http://h/%CD%C9%D2", "http://h/%D0%BC%D0%B8%D1%80?%CD"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestFieldLinks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/box", "From a@b Tue Dec 20 12:00:00 1994\n"+replied)
	list, err := entries(t, client(t, nil, &mail.Config{Sources: places("mbox:" + dir + "/box")}), "mid:new@h", nil)
	got := ""
	for _, e := range list {
		got += e.URI.String() + "\n"
	}
	if want := "mid:a%2Fb@c\nmid:d@e\nhttp://lists.example/a\nmid:new@h#part1\nftp://h/x\nhttp://h/y\n"; err != nil || got != want {
		t.Errorf("got %v, want %q\n%s", err, want, got)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAll lists all messages with an id from every source, or returns them as a mailbox. The error of a source comes last.
func TestAll(t *testing.T) {
	s := serve(t, nil)
	list := append(stores(t), withLogin(s.URL), "nntp://news.example")
	c := client(t, s, &mail.Config{Sources: places(list...)})
	hits, err := entries(t, c, "mid:plain.1@site.example", setting("mid.all", "yes"))
	if err != nil || len(hits) != 5 || hits[0].Attr["folder"][0] != "Sub" || hits[4].Attr["verified"][0] != "no" {
		t.Fatalf("got %v %+v, want len(hits) 5, folder %q, verified %q", err, hits, "Sub", "no")
	}
	for i, scheme := range []string{"file", "", "file", "imap", "news"} {
		if hits[i].URI.Scheme() != scheme {
			t.Errorf("hit %d is %s, want %q", i, hits[i].URI, scheme)
		}
	}
	o := &fetch.Options{Set: map[string][]string{"mid.all": {"yes"}, "mid.view": {"mbox"}}}
	d, box, err := get(t, c, "mid:plain.1@site.example", o)
	if err != nil || strings.Count(box, "\nFrom ") != 3 || strings.Count(box, "Message-ID: <plain.1@site.example>") != 4 ||
		d.Type != "application/mbox" {
		t.Errorf("got %v %+v %q, want 3 times %q, 4 times %q, d.Type %q",
			err, d, box, "\nFrom ", "Message-ID: <plain.1@site.example>", "application/mbox")
	}
	c = client(t, s, &mail.Config{Sources: places("mbox:/none", list[0])})
	if hits, err := entries(t, c, "mid:plain.1@site.example", setting("mid.all", "yes")); fetch.KindOf(err) != fetch.ErrLocal ||
		len(hits) != 1 {
		t.Errorf("got %v %+v, want %v, len(hits) 1", err, hits, fetch.ErrLocal)
	}
	if _, err := entries(t, c, "mid:none@x", setting("mid.all", "yes")); err == nil {
		t.Errorf("mid.all for an id that no source holds: got a listing, want an error")
	}
	if _, body, err := get(t, c, "mid:plain.1@site.example", setting("mid.view", "mbox")); err != nil ||
		strings.Count("\n"+body, "\nFrom ") != 1 {
		t.Errorf("got %v %q, want 1 times %q", err, body, "\nFrom ")
	}
}

// TestMailboxes returns as one mailbox whatever can be listed.
func TestMailboxes(t *testing.T) {
	s := serve(t, nil)
	for _, source := range append(stores(t), withLogin(s.URL)) {
		c := client(t, s, &mail.Config{Sources: places(source)})
		d, box, err := get(t, c, "mailto:reader@site.example", setting("mailto.view", "mbox"))
		if err != nil || strings.Count("\n"+box, "\nFrom ") != 3 || d.Type != "application/mbox" {
			t.Errorf("%s: got %v %+v %q, want 3 times %q, d.Type %q", source, err, d, box, "\nFrom ", "application/mbox")
		}
	}
	c := client(t, s, nil)
	for path, want := range map[string]int{"/INBOX": 3, "/INBOX?SUBJECT%20picture": 1, "/INBOX?SUBJECT%20nothing": 0, "/INBOX/;UID=2": 1} {
		o := setting("imap.view", "mbox")
		o.Login = ann
		for range 2 { // the session is kept
			if _, box, err := get(t, c, s.URL+path, o); err != nil || strings.Count("\n"+box, "\nFrom ") != want {
				t.Errorf("%s: got %v %q, want %d times %q", path, err, box, want, "\nFrom ")
			}
		}
	}
	for _, path := range []string{"", "/INBOX/;UID=2/;SECTION=1"} {
		if _, _, err := get(t, c, s.URL+path, setting("imap.view", "mbox")); fetch.KindOf(err) != fetch.ErrUnsupported {
			t.Errorf("%s: got %v, want %v", path, err, fetch.ErrUnsupported)
		}
	}
}

// TestFoldersOfSources searches the configured mailboxes, or all, with those for trash last.
func TestFoldersOfSources(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{".Trash/cur/1", ".Work.Old/cur/1", "cur/1", ".Junk/cur/1"} {
		put(t, dir+"/"+name, "Message-ID: <a@b>\nSubject: "+string(rune('0'+i))+"\n\n")
	}
	put(t, dir+"/cur/cur/1", "Message-ID: <a@b>\nSubject: no folder\n\n")
	for _, c := range []struct {
		folders []string
		want    string
	}{
		{nil, "INBOX Work/Old Junk Trash"}, {[]string{"Trash", "inbox"}, "Trash INBOX"}, {[]string{"Work/Old"}, "Work/Old"},
	} {
		hits, err := entries(t, client(t, nil, &mail.Config{Sources: []mail.Source{{URI: "maildir:" + dir, Folders: c.folders}}}),
			"mid:a@b", setting("mid.all", "yes"))
		got := []string{}
		for _, e := range hits {
			got = append(got, e.Attr["folder"][0])
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%v: got %v, %v, want %q", c.folders, got, err, c.want)
		}
	}
	s := serve(t, nil)
	c := client(t, s, &mail.Config{Sources: []mail.Source{{URI: withLogin(s.URL), Folders: []string{"INBOX"}}}})
	if _, _, err := get(t, c, "mid:plain.1@site.example", nil); err != nil || strings.Contains(strings.Join(s.Transcript(), ""), " LIST ") {
		t.Errorf("got %v, want no LIST if the mailbox is configured\n%s", err, s.Transcript())
	}
}

const related = `Content-Type: multipart/mixed; boundary=o

--o
Content-Type: multipart/related; boundary=i; start="<root@x>"
Content-ID: <whole@x>

--i
Content-ID: <first@x>

first
--i
Content-ID: <root@x>

root
--i--
--o
Content-Type: multipart/related; boundary=j
Content-ID: <default@x>

--j

the first
--j--
--o
Content-Type: message/external-body; access-type=url; url="http://h/x"

Content-Type: text/plain
Content-ID: <elsewhere@x>

--o--
`

// TestNamedParts finds the root of a multipart/related (RFC 2387), and the name of an external body within it (RFC 2046).
func TestNamedParts(t *testing.T) {
	input := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(related)), nil }
	c := client(t, nil, &mail.Config{Input: input})
	c.Policy.NoFollow = true
	for id, want := range map[string]string{"whole@x": "root", "default@x": "the first", "first@x": "first", "root@x": "root"} {
		if _, body, err := get(t, c, "cid:"+id, nil); err != nil || body != want {
			t.Errorf("%s: got %v %q, want %q", id, err, body, want)
		}
	}
	if d, _, err := get(t, c, "cid:elsewhere@x", nil); err != nil || len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "http://h/x" {
		t.Errorf("got %v %+v, want len(d.Referrals) 1, d.Referrals[0].URI %q", err, d, "http://h/x")
	}
}

// TestLogins finds the user of a source elsewhere, as in a netrc file, and uses the login at the referral's target, too.
func TestLogins(t *testing.T) {
	s := serve(t, nil)
	asked := []string{}
	for _, source := range []string{s.URL, strings.Replace(s.URL, "://", "://ann@", 1), strings.Replace(s.URL, "://", "://;AUTH=*@", 1)} {
		c := client(t, s, &mail.Config{Sources: places(source)})
		c.Logins = logins(ann, &asked)
		d, _, err := get(t, c, "mid:plain.1@site.example", nil)
		if err != nil || strings.Contains(d.URI.String(), "rd@") || len(asked) == 0 || strings.HasPrefix(asked[len(asked)-1], "mid:") {
			t.Errorf("%s: got %v, queries %q, want a query for the source, none for mid, and no password", source, err, asked)
		}
	}
	c := client(t, s, &mail.Config{Sources: places(strings.Replace(s.URL, "://", "://bob@", 1))})
	c.Logins = logins(ann, &asked)
	if _, _, err := get(t, c, "mid:plain.1@site.example", nil); fetch.KindOf(err) != fetch.ErrAuth {
		t.Errorf("another's password: got %v, want %v", err, fetch.ErrAuth)
	}
}
