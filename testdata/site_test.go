package testdata

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

func TestSiteIsAFileSystem(t *testing.T) {
	if err := fstest.TestFS(Site(), "README.txt", "gophermap", "index.html", "a/b/c/d/deep.txt",
		"names/with blank.txt", "mail/related.eml", "news/comp.infosystems.www/1"); err != nil {
		t.Fatal(err)
	}
}

// TestSiteIsSmall: the site is linked into the command.
func TestSiteIsSmall(t *testing.T) {
	const limit = 150 << 10
	var total int64
	err := fs.WalkDir(Site(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		total += fi.Size()
		return err
	})
	if err != nil || total > limit {
		t.Errorf("got %d bytes, %v, want at most %d bytes", total, err, limit)
	}
}

// TestTextsAreWhatTheySay: if an editor or a git attribute "repairs" one of these files, other tests pass for the wrong reason.
func TestTextsAreWhatTheySay(t *testing.T) {
	read := func(name string) string {
		b, err := fs.ReadFile(Site(), name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	facts := []struct {
		name string
		ok   func(s string) bool
	}{
		{"texts/lf.txt", func(s string) bool { return !strings.Contains(s, "\r") && strings.HasSuffix(s, "\n") }},
		{"texts/crlf.txt", func(s string) bool { return strings.Count(s, "\r\n") == strings.Count(s, "\n") && len(s) > 0 }},
		{"texts/nofinal.txt", func(s string) bool { return !strings.HasSuffix(s, "\n") }},
		{"texts/empty.txt", func(s string) bool { return s == "" }},
		{"texts/dots.txt", func(s string) bool { return strings.Contains(s, "\n.\n") && strings.HasSuffix(s, "\n.\n") }},
		{"texts/latin1.txt", func(s string) bool { return !utf8.ValidString(s) && strings.Contains(s, "Gen\xe8ve") }},
		{"texts/utf8.txt", func(s string) bool { return utf8.ValidString(s) && strings.Contains(s, "Genève") }},
		{"images/bytes.bin", func(s string) bool { return len(s) == 4096 && s[255] == 0xff && s[256] == 0 }},
		{"mail/related.eml", func(s string) bool { return strings.Contains(s, "Content-ID: <pixel.1@site.example>\r\n") }},
		{"names/pct%41.txt", func(s string) bool { return strings.Contains(s, `"pct%41.txt"`) }},
	}
	for _, f := range facts {
		if !f.ok(read(f.name)) {
			t.Errorf("%s has been changed and no longer tests what it is for", f.name)
		}
	}
}

// TestLinksNameEveryScheme: links.html has a link of each scheme.
func TestLinksNameEveryScheme(t *testing.T) {
	b, err := fs.ReadFile(Site(), "links.html")
	if err != nil {
		t.Fatal(err)
	}
	schemes := "http https ftp ftps gopher gophers gemini file afs data news nntp mailto mid cid imap wais prospero " +
		"ldap x500 whois whois++ finger dict snmp urn telnet rlogin tn3270 x-example"
	for s := range strings.FieldsSeq(schemes) {
		if !strings.Contains(string(b), `href="`+s+":") {
			t.Errorf("links.html has no link with %s:, want one", s)
		}
	}
}
