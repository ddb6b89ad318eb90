package dict

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func serve(t testing.TB, o *dicttest.Options) *loopback.Server {
	t.Helper()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	srv := dicttest.NewServer(fstest.MapFS{
		"lab.txt":        file("a room\n"),
		"a:b.txt":        file("with a colon\n"),
		"en/lab.gmi":     file("a place of work;\n a second line\n.\n..dots\n"),
		"en/lab.txt":     file("another one\n"),
		"en/owl's?.txt":  file("odd\n"),
		"en/landing.txt": file("no line end"),
	}, o)
	t.Cleanup(srv.Close)
	return srv
}

func get(t testing.TB, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Scheme())
}

// entries dereferences s for its entries: kind, title, and the URI after the server's.
func entries(t testing.TB, base, path string) (list [][3]string) {
	t.Helper()
	c := fetch.New(Scheme())
	defer c.Close()
	for e, err := range c.Entries(t.Context(), uri.MustParse(base+path), nil) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, [3]string{string(e.Kind), e.Title, strings.TrimPrefix(e.URI.String(), base)})
	}
	return list
}

const first = "a place of work;\r\n a second line\r\n.\r\n..dots\r\n"

func TestDocuments(t *testing.T) {
	srv := serve(t, nil)
	for _, tt := range []struct{ path, said, body string }{
		{"/d:lab:en", "DEFINE en lab", "From the folder en [en]:\r\n\r\n" + first + "\r\nFrom the folder en [en]:\r\n\r\nanother one\r\n"},
		{"/d:lab:en:1", "DEFINE en lab", first},
		{"/DEFINE:lab:en:2", "DEFINE en lab", "another one\r\n"},
		{"/lookup:lab", "DEFINE ! lab", "From the folder root [root]:\r\n\r\na room\r\n"},
		{"/d:a%3Ab:root:1", "DEFINE root a:b", "with a colon\r\n"},
		{"/d:owl's?:en:1", `DEFINE en "owl's?"`, "odd\r\n"},
		{"/d:landing:en:1", "DEFINE en landing", "no line end\r\n"},
		{"/m:la", "MATCH ! . la", "root lab\r\n"},
		{"/m:la:*:prefix", "MATCH * prefix la", "root lab\r\nen lab\r\nen lab\r\nen landing\r\n"},
		{"/match:la:en::3", "MATCH en . la", "en landing\r\n"},
		{"/show:db", "SHOW DB", "root \"the folder root\"\r\nen \"the folder en\"\r\n"},
		{"/", "SHOW DB", "root \"the folder root\"\r\nen \"the folder en\"\r\n"},
		{"/show:info:en", "SHOW INFO en", "The files of the folder en.\r\n"},
		{"/show:server", "SHOW SERVER", "dicttest\r\n"},
		{"/status", "STATUS", "all is well\r\n"},
		{"/help#x", "HELP", "DEFINE database word\r\nMATCH database strategy word\r\nSHOW DB\r\nQUIT\r\n"},
	} {
		d, body, err := get(t, srv.URL+tt.path, nil)
		body = strings.ReplaceAll(body, `"en"`, "en")
		body = strings.ReplaceAll(body, `"root"`, "root")
		if err != nil || body != tt.body || d.Type != "text/plain; charset=utf-8" {
			t.Errorf("%s: got %q, %s, %v, want %q in UTF-8", tt.path, body, d.Type, err, tt.body)
		}
		if said := srv.Transcript(); !reflect.DeepEqual(said[len(said)-3:], []string{"CLIENT deref", tt.said, "QUIT"}) {
			t.Errorf("%s: sent %q, want %q between CLIENT and QUIT", tt.path, said[len(said)-3:], tt.said)
		}
	}
}

func TestEntries(t *testing.T) {
	srv := serve(t, nil)
	for path, want := range map[string][][3]string{
		"/d:lab:*": {
			{"entry", "lab", "/d:lab:root:1"}, {"text", "a room", ""},
			{"entry", "lab", "/d:lab:en:1"}, {"text", "a place of work;", ""}, {"text", " a second line", ""}, {"text", ".", ""},
			{"text", "..dots", ""},
			{"entry", "lab", "/d:lab:en:2"}, {"text", "another one", ""},
		},
		"/m:o:*:substring": {{"entry", "owl's?", "/d:owl's%3F:en"}},
		"/m:a%3A:*":        {{"entry", "a:b", "/d:a%3Ab:root"}},
		"/show:db":         {{"entry", "root: the folder root", "/show:info:root"}, {"entry", "en: the folder en", "/show:info:en"}},
		"/show:strat": {{"text", "exact: the word itself", ""}, {"text", "prefix: how it begins", ""},
			{"text", "substring: anywhere in it", ""}},
	} {
		got := entries(t, srv.URL, path)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		for _, e := range got { // the URI of an entry works
			if _, _, err := get(t, srv.URL+e[2], nil); err != nil {
				t.Errorf("%s: got %v, want a document", e[2], err)
			}
		}
	}
}

func TestLogin(t *testing.T) {
	srv := serve(t, &dicttest.Options{Users: map[string]string{"alice": "open sesame"}})
	login := func(user, password string) *fetch.Options {
		return &fetch.Options{Login: fetch.Login{User: user, Password: password, Set: true}}
	}
	if _, body, err := get(t, srv.URL+"/d:lab:root:1", login("alice", "open sesame")); err != nil || body != "a room\r\n" {
		t.Errorf("with a login: got %q, %v, want a room", body, err)
	}
	if _, _, err := get(t, srv.URL+"/d:lab", login("alice;AUTH", "wrong")); !errors.Is(err, fetch.ErrAuth) {
		t.Errorf("with a wrong password: got %v, want kind %s", err, fetch.ErrAuth)
	}
	if _, _, err := get(t, srv.URL+"/d:lab", nil); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("without a login: got %v, want kind %s", err, fetch.ErrRefused)
	}
	for _, said := range srv.Transcript() {
		if strings.Contains(said, "sesame") {
			t.Errorf("sent the password: %q, want only a digest", said)
		}
	}
}

func TestClientIsRefused(t *testing.T) {
	srv := serve(t, &dicttest.Options{Strict: true})
	if _, body, err := get(t, srv.URL+"/d:lab:root:1", nil); err != nil || body != "a room\r\n" {
		t.Errorf("got %q, %v, want a room", body, err)
	}
}

func TestRefusals(t *testing.T) {
	srv := serve(t, nil)
	for path, want := range map[string]fetch.Kind{
		"/d:missing":      fetch.ErrNotFound, // 552
		"/d:lab:nowhere":  fetch.ErrNotFound, // 550
		"/m:la:*:soundex": fetch.ErrNotFound, // 551
		"/d:lab:en:3":     fetch.ErrNotFound, // there are two
		"/m:la:*::9":      fetch.ErrNotFound,
		"/show:info:no":   fetch.ErrNotFound,
	} {
		if _, _, err := get(t, srv.URL+path, nil); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want kind %s", path, err, want)
		}
	}
}

// scripted answers with a greeting, a reply to CLIENT, and the rest.
func scripted(t *testing.T, text string) string {
	t.Helper()
	return "dict://" + loopback.ForTest(t, loopback.Say(text, true))
}

func TestReplies(t *testing.T) {
	const open = "220 x <1@x>\r\n250 ok\r\n"
	for text, want := range map[string]fetch.Kind{
		"420 later\r\n":         fetch.ErrUnavailable,
		"421 down\r\n":          fetch.ErrUnavailable,
		"530 no\r\n":            fetch.ErrRefused,
		"SSH-2.0-OpenSSH\r\n":   fetch.ErrProtocol,
		"200 hello\r\n":         fetch.ErrProtocol,
		open + "501 syntax\r\n": fetch.ErrUnsupported, open + "502 no\r\n": fetch.ErrUnsupported,
		open + "531 no\r\n": fetch.ErrRefused, open + "532 no\r\n": fetch.ErrAuth,
		open + "554 none\r\n": fetch.ErrNotFound, open + "555 none\r\n": fetch.ErrNotFound,
		open + "999 what\r\n":                                                             fetch.ErrProtocol,
		open + "150 1 def\r\n151 w d \"x\"\r\ntext\r\n":                                   fetch.ErrTruncated, // no dot
		open + "150 1 def\r\n151 w d \"x\"\r\ntext\r\n.\r\n":                              fetch.ErrTruncated, // no 250
		open + "150 2 def\r\n151 w d \"x\"\r\ntext\r\n.\r\n250 ok\r\n":                    fetch.ErrTruncated, // fewer than announced
		open + "150 1 def\r\n" + strings.Repeat("151 w d \"x\"\r\ntext\r\n.\r\n", 9):      fetch.ErrProtocol,  // more, without an end
		open + "150 99999999999999999999 def\r\n151 w d \"x\"\r\ntext\r\n.\r\n250 ok\r\n": fetch.ErrProtocol,
		open + "150 1 def\r\n151 w d \"x\"\r\ntext\r\n.\r\n420 late\r\n":                  fetch.ErrTransfer,
		open + "150 1 def\r\n151 w d \"x\"\r\ntext\r\n.\r\nwhat\r\n":                      fetch.ErrProtocol,
		open + "150 some\r\n151 w d \"x\"\r\ntext\r\n.\r\n250 ok\r\n":                     "", // the number is for people
		open + "150 1 def\r\n151\r\n" + strings.Repeat("x", 1<<15):                        fetch.ErrLimit,
		strings.Repeat("x", 1<<15):                                                        fetch.ErrLimit,
	} {
		if _, _, err := get(t, scripted(t, text)+"/d:w", nil); fetch.KindOf(err) != want {
			t.Errorf("%.80q: got %v, want kind %q", text, err, want)
		}
	}
}

// TestNumberWithoutACount: a server that does not announce how many there are may have fewer than the URI's number.
func TestNumberWithoutACount(t *testing.T) {
	const open = "220 x <1@x>\r\n250 ok\r\n"
	for path, text := range map[string]string{
		"/d:w:*:2":  "150 some\r\n151 w d \"x\"\r\ntext\r\n.\r\n250 ok\r\n",
		"/m:w:*::2": "152 some\r\nd w\r\n.\r\n250 ok\r\n",
	} {
		if _, body, err := get(t, scripted(t, open+text)+path, nil); !errors.Is(err, fetch.ErrNotFound) || body != "" {
			t.Errorf("%s: got %q, %v, want kind %s", path, body, err, fetch.ErrNotFound)
		}
	}
}

func TestPlans(t *testing.T) {
	plan := func(shape, command string) string {
		return "tcp h:2628 " + shape + " text/plain; charset=utf-8\nCLIENT deref\n" + command + "\nQUIT"
	}
	login := fetch.Options{Login: fetch.Login{User: "al", Password: "p", Set: true}}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "dict://h/d:lab", Want: plan("search", "DEFINE ! lab")},
		{URI: "dict://h/d:lab:*:2", Want: plan("search", "DEFINE * lab")},
		{URI: "dict://h/D:lab:", Want: plan("search", "DEFINE ! lab")},
		{URI: "dict://h/d:two%20words:a%22b", Want: plan("search", `DEFINE "a\"b" "two words"`)},
		{URI: "dict://h/m:lab:*:prefix:3", Want: plan("search", "MATCH * prefix lab")}, // the number is not sent
		{URI: "dict://h/find:lab", Want: plan("search", "MATCH ! . lab")},
		{URI: "dict://h", Want: plan("listing", "SHOW DB")},
		{URI: "dict://h/show:strat", Want: plan("listing", "SHOW STRAT")},
		{URI: "dict://h/show:info:a%20b", Want: plan("document", `SHOW INFO "a b"`)},
		{URI: "dict://h/", Options: fetch.Options{Search: []string{"two", "words"}}, Want: plan("search", `DEFINE ! "two words"`)},
		{URI: "dict://h/m::*:re", Options: fetch.Options{Search: []string{"^l"}}, Want: plan("search", "MATCH * re ^l")},
		{URI: "dict://h/d:x", Options: login, Want: "tcp h:2628 search text/plain; charset=utf-8\nCLIENT deref\nAUTH al <digest> {secret}\n" +
			"DEFINE ! x\nQUIT"},
		{URI: "dict://h/d:", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h/d:x:y:z", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h/d:x:y:1:2", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h/quit", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h/show:info", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h/show:info:", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h/help:x", Kind: fetch.ErrRefusedURL},
		{URI: "dict:x", Kind: fetch.ErrRefusedURL},
		{URI: "dict://h:11211/show:x", Kind: fetch.ErrRefusedURL}, // as used to attack memcached through curl
		{URI: "dict://h:6379/d:x", Kind: fetch.ErrRefusedPort},
		{URI: "dict://h/d:x", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "dict://h/d:x", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
	}, Scheme())
	fetchtest.Injection(t, []string{"dict://h/d:a{}", "dict://h/d:a:b{}", "dict://h/m:a::s{}", "dict://h/show:info:a{}",
		"dict://u{}:p@h/d:a"}, nil, Scheme())
}

// TestDictd compares with the reference implementation, and with curl where that is here.
func TestDictd(t *testing.T) {
	base := "dict://" + lab.Server(t, "dictd")
	for path, want := range map[string]string{
		"/d:lab:laba:1":         "lab\r\na place of work;\r\n a second line\r\n.\r\n.dots\r\n",
		"/d:lab:*:2":            "lab\r\na room\r\n",
		"/d:two%20words:laba:1": "two words\r\nan entry of two words\r\n",
		"/d:caf%C3%A9:laba:1":   "caf\xc3\xa9\r\ncoffee house\r\n",
		"/m:la:*:prefix":        "laba \"lab\"\r\nlabb \"lab\"\r\n",
		"/show:db":              "laba \"Lab dictionary a\"\r\nlabb \"Lab dictionary b\"\r\n",
		"/d:%23hash:laba:1":     "#hash\r\nan entry with a hash\r\n",
		"/d:lab:laba":           "From Lab dictionary a [laba]:\r\n\r\nlab\r\na place of work;\r\n a second line\r\n.\r\n.dots\r\n",
	} {
		if _, body, err := get(t, base+path, nil); err != nil || body != want {
			t.Errorf("%s: got %q, %v, want %q", path, body, err, want)
		}
	}
	for path, want := range map[string]fetch.Kind{"/d:zzz": fetch.ErrNotFound, "/d:lab:none": fetch.ErrNotFound,
		"/m:lab:*:none": fetch.ErrNotFound} {
		if _, _, err := get(t, base+path, nil); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want kind %s", path, err, want)
		}
	}
	likeCurl(t, base)
}

// likeCurl: the text that curl shows between the replies is our document.
func likeCurl(t *testing.T, base string) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Logf("not compared with curl: %v", err)
		return
	}
	for _, path := range []string{"/d:lab", "/m:la:*:prefix", "/show:db", "/show:strat", "/DEFINE:uri:labb"} {
		out, err := lab.Client(t, "curl", "-s", base+path).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, body, err := get(t, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = bytes.ReplaceAll(out, []byte("\r\n.."), []byte("\r\n.")) // curl does not remove doubled dots
		for line := range strings.Lines(body) {
			if line := strings.TrimRight(line, "\r\n"); !strings.HasPrefix(line, "From ") && !strings.Contains(string(out), line+"\r\n") {
				t.Errorf("%s: got the line %q, which curl does not show", path, line)
			}
		}
		if want := strings.Count(string(out), "\r\n"); want <= strings.Count(body, "\r\n") {
			t.Errorf("%s: got %d lines, want fewer than curl's %d", path, strings.Count(body, "\r\n"), want)
		}
	}
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"dict://h/d:lab:*:2", "dict://h/m:a%3Ab::re:1", "dict://u;AUTH:p@h/show:info:x", "dict://h/d:%22%5C?",
		"dict:x"}, Scheme())
}

// FuzzAnswer checks that the body has no more lines than the response, and that an error has a kind.
func FuzzAnswer(f *testing.F) {
	f.Add("150 1 x\r\n151 \"w\" d \"x\"\r\n..a\r\n.\r\n250 ok\r\n", "d:w")
	f.Add("152 2 x\r\nd \"w\"\r\n.\r\n250 ok\r\n", "m:w:*::1")
	f.Add("110 1 x\r\nd \"w\r\n.\r\n250 ok\r\n", "show:db")
	f.Fuzz(func(t *testing.T, answer, path string) {
		u, err := uri.Parse("dict://h/" + path)
		if err != nil {
			return
		}
		c := fetch.New(Scheme())
		c.Dialer = schemetest.Dialer(loopback.Say("220 <1@x>\r\n250 ok\r\n"+answer, true))
		defer c.Close()
		d, err := c.Get(t.Context(), u, nil)
		if err == nil {
			_, err = io.ReadAll(d.Body)
			d.Body.Close()
		}
		fetchtest.CheckError(t, err)
		if d, err = c.Get(t.Context(), u, nil); err != nil || d.Entries == nil {
			return
		}
		defer d.Body.Close()
		lines := strings.Count(answer, "\n")
		for e, err := range d.Entries {
			if lines--; err == nil && (lines < 0 || e.Kind == "" || e.Kind == fetch.KindUnknown) {
				t.Errorf("got %+v with %d lines left, want a kind, and no more entries than lines", e, lines)
			}
		}
	})
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }
