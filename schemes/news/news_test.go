package news

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Schemes(nil)...); n < 16 {
		t.Errorf("got %d rows, want 16 or more", n)
	}
}

// TestParse compares the kind of object, the group or message-id, and the numbers. An empty kind means a refused URI.
func TestPage(t *testing.T) { schemetest.Page(t, codes, Schemes(nil)...) }

func TestParse(t *testing.T) {
	long := strings.Repeat("a", 246)
	for _, c := range []struct{ in, want string }{
		{"news:%2A", "all"},
		{"news:comp.*", "wildmat comp.*"},
		{"news:comp.?", "wildmat comp.?"},             // RFC 1738 section 3.6: "?" is data
		{"news:*,!alt.*", "wildmat *,!alt.*"},         // RFC 3977 section 4.1
		{"news:comp.lang.c++", "group comp.lang.c++"}, // D21
		{"news:a%40b", "article <a@b>"},
		{"news:%3Ca@b%3E", "article <a@b>"},
		{"news:a/b?c@d", "article <a/b?c@d>"},
		{"news://h/a/b@d", "article <a/b@d>"},
		{"news://h/", "all"}, // RFC 5538 section 2.1
		{"news://h", "all"},
		{"news:g/7", "number g 7-7"}, // an extension
		{"snews://h/g", "group g"},
		{"nntps://h/g/7", "number g 7-7"},
		{"nntp://h/g/100-200", "range g 100-200"},
		{"nntp://h/g/100-", "range g 100-"},
		{"nntp:g", "group g"},
		{"nntp://h/g/007", "number g 7-7"},
		{"news:" + long + "@b", "article <" + long + "@b>"}, // 250 bytes with the brackets (RFC 3977 section 3.6)
		{"news:" + long + "a@b", ""},
		{"news:", ""}, {"news:///g", ""}, {"nntp:", ""}, {"nntp://h/", ""}, {"nntp://h/*", ""}, {"nntp:a@b", ""},
		{"news:@b", ""}, {"news:a@", ""}, {"news:a%20b@c", ""}, {"news:a%3Eb@c", ""}, {"news:%C3%A9@c", ""},
		{"news:a%20b", ""}, {"news:a%09b", ""},
		{"nntp://h/g/0", ""}, {"nntp://h/g/-7", ""}, {"nntp://h/g/9-8", ""}, {"nntp://h/g/1-2-3", ""}, {"nntp://h/g/", ""},
		{"nntp://h/g/1/2", ""}, {"nntp://h/g/1234567890123456789", ""}, {"nntp://h/g.*/1", ""}, {"nntp://h//1", ""},
	} {
		u := uri.MustParse(c.in)
		s, _ := fetch.Registry(Schemes(nil)).Lookup(u.Scheme())
		got := ""
		v, err := s.Read(u, uri.RFC3986)
		if err == nil {
			got = words(v.(newsURI))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.in, got, c.want, err)
		}
	}
}

func words(r newsURI) string {
	w := r.What
	if r.Group != nil {
		w += " " + string(*r.Group)
	}
	if r.MessageID != nil {
		w += " <" + string(*r.MessageID) + ">"
	}
	if r.First != nil {
		first, last := r, r
		first.What, last.What, last.First = whatNumber, whatNumber, r.Last
		w += " " + first.span(settings{}) + "-"
		if r.Last != nil {
			w += last.span(settings{})
		}
	}
	return w
}

func TestPlans(t *testing.T) {
	const opened = "\nCAPABILITIES\nMODE READER {if the server must be told to serve readers}"
	const open = opened + "\n"
	const holes = "\nLISTGROUP <group> <low>-<high> {if each number is asked for, and some are missing}"
	over := func(span string) string {
		return "\nOVER " + span + "\nXOVER " + span + " {if OVER is not known}" + holes +
			"\nHEAD <number> {if XOVER is not known} {again until the last article}"
	}
	const authinfo = "AUTHINFO USER ann {if AUTHINFO USER is offered, or what is offered is not known}\n" +
		"AUTHINFO PASS pw {if AUTHINFO USER answered 381} {secret}\n" +
		"AUTHINFO SASL PLAIN AGFubgBwdw== {if SASL PLAIN is offered, and AUTHINFO USER is not} {secret}\n"
	counts := func(pattern string) string {
		return "\nLIST NEWSGROUPS" + pattern + "\nLIST COUNTS" + pattern + "\nLIST ACTIVE" + pattern + " {if LIST COUNTS is not known}"
	}
	groups := func(cond string) string {
		return "\nGROUP <group> {if " + cond + "} {again until the last group}\nOVER <low>-<high> {if " + cond +
			"}\nXOVER <low>-<high> {if OVER is not known}" + holes + "\n" +
			"HEAD <number> {if XOVER is not known} {again until the last article}"
	}
	login := fetch.Login{User: "ann", Password: "pw", Set: true}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "news:*", Want: "tcp news:119 none listing" + opened + counts("")},
		{URI: "news:comp.*", Want: "tcp news:119 none listing" + opened + counts(" comp.*")},
		{URI: "news:*", Options: fetch.Options{Search: []string{"de.*"}}, Want: "tcp news:119 none listing" + opened + counts(" de.*")},
		{URI: "news:a@b", Want: "tcp news:119 none message message/rfc822" + open + "ARTICLE <a@b>"},
		{URI: "news:a@b", Options: fetch.Options{Op: fetch.Metadata}, Want: "tcp news:119 none message message/rfc822" + open +
			"HEAD <a@b>"},
		{URI: "news://[::1]:8119/g", Want: "tcp [::1]:8119 none listing" + open + "GROUP g" + over("<low>-<high>")},
		{URI: "nntp://h/g/5-9", Want: "tcp h:119 none listing" + open + "GROUP g" + over("5-9")},
		{URI: "nntp://h/g/5-", Want: "tcp h:119 none listing" + open + "GROUP g" + over("5-")},
		{URI: "nntp://h/g/5", Want: "tcp h:119 none message message/rfc822" + open + "GROUP g\nARTICLE 5"},
		{URI: "nntps://h/g/5", Want: "tcp h:563 implicit message message/rfc822" + open + "GROUP g\nARTICLE 5"},
		{URI: "snews:a@b", Options: fetch.Options{Login: login}, Want: "tcp news:563 implicit message message/rfc822" + open +
			"CAPABILITIES {if the server must be told to serve readers}\n" + authinfo + "ARTICLE <a@b>"},
		{URI: "news://ann:pw@h/g", Options: fetch.Options{Op: fetch.Metadata}, Want: "tcp h:119 none listing" + open +
			"CAPABILITIES {if the server must be told to serve readers}\n" +
			"STARTTLS {if a password is to be sent, and STARTTLS is offered}\nCAPABILITIES {if a password is to be sent, and STARTTLS is " +
			"offered}\n" +
			authinfo + "GROUP g"},
		{URI: "news:a@b", Options: fetch.Options{Set: map[string][]string{"news.ssl": {"require"}}},
			Want: "tcp news:119 explicit message message/rfc822" + open +
				"CAPABILITIES {if the server must be told to serve readers}\nSTARTTLS\nCAPABILITIES\n" +
				"ARTICLE <a@b>"},
		{URI: "snews:a@b", Options: fetch.Options{Set: map[string][]string{"news.ssl": {"require"}}},
			Want: "tcp news:563 implicit message message/rfc822" + open + "ARTICLE <a@b>"},
		{URI: "nntp://h/g/5-900", Options: fetch.Options{Set: map[string][]string{"news.last": {"10"}}}, Want: "tcp h:119 none listing" +
			open + "GROUP g" + over("891-900")},
		{URI: "news:g", Options: fetch.Options{Set: map[string][]string{"news.view": {"mbox"}}},
			Want: "tcp news:119 none document application/mbox" + open +
				"GROUP g" + holes + "\nARTICLE <number> {again until the last article}"},
		{URI: "news:g", Options: fetch.Options{Range: fetch.Range{From: 9},
			Set: map[string][]string{"news.view": {"mbox"},
				"news.since": {"2026-01-02"}}}, Want: "tcp news:119 none document application/mbox" + open +
			"GROUP g\nHDR Message-ID <low>-<high> {if what is there does not tell its number}\n" +
			"XHDR Message-ID <low>-<high> {if HDR is not known}\n" +
			"HDR Date <low>-<high>\nXHDR Date <low>-<high> {if HDR is not known}\nARTICLE <number> {again until the last article}"},
		{URI: "news:a@b#part2", Options: fetch.Options{Part: true}, Want: "tcp news:119 none document" + open + "ARTICLE <a@b>"},
		{URI: "news:a@b#part2", Want: "tcp news:119 none message message/rfc822" + open + "ARTICLE <a@b>"},
		{URI: "news:g#part2", Options: fetch.Options{Part: true}, Kind: fetch.ErrUnsupported},
		{URI: "news:a@b#2", Options: fetch.Options{Part: true}, Want: "tcp news:119 none message message/rfc822" + open + "ARTICLE <a@b>"},
		{URI: "news:a@b", Options: fetch.Options{Set: map[string][]string{"news.archive": {"comp.*", "x=y"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:*", Options: fetch.Options{Set: map[string][]string{"news.since": {"2026-01-02"}}},
			Want: "tcp news:119 none listing" + open + "NEWNEWS * 20260102 000000 GMT\nLIST ACTIVE {if NEWNEWS is refused}" +
				groups("NEWNEWS is refused")},
		{URI: "news:a@b", Options: fetch.Options{Set: map[string][]string{"news.command": {"body"}}}, Want: "tcp news:119 none message" +
			open + "BODY <a@b>"},
		{URI: "nntp://h/g/1", Options: fetch.Options{Set: map[string][]string{"news.thread": {"yes"}}}, Want: "tcp h:119 none listing" +
			open + "GROUP g\nHEAD 1\nHEAD <reference> {if the article answers others} {again until the first article}" +
			groups("the article has a group")},
		{URI: "news:*", Options: fetch.Options{Set: map[string][]string{"news.view": {"mbox"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:a@b", Options: fetch.Options{Set: map[string][]string{"news.view": {"mbox"}, "news.part": {"1"}}},
			Kind: fetch.ErrUnsupported},
		{URI: "news:a@b", Options: fetch.Options{Set: map[string][]string{"news.view": {"mbox"}}},
			Want: "tcp news:119 none document application/mbox" + open + "ARTICLE <a@b>"},
		{URI: "news:g", Options: fetch.Options{Set: map[string][]string{"news.part": {"1"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Set: map[string][]string{"news.thread": {"yes"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Set: map[string][]string{"news.last": {"0"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Set: map[string][]string{"news.since": {"soon"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Set: map[string][]string{"news.ssl": {"maybe"}}}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Op: fetch.Send}, Want: "tcp news:119 none message message/rfc822" + open +
			"POST\n \"Newsgroups: g\\r\\n<article>\" {if POST answered 340}"},
		{URI: "news:a@b", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Op: fetch.Attach}, Kind: fetch.ErrUnsupported},
		{URI: "news:*", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
		{URI: "news:g", Options: fetch.Options{Search: []string{"x"}}, Kind: fetch.ErrUnsupported},
		{URI: "news:*", Options: fetch.Options{Search: []string{"x y"}}, Kind: fetch.ErrUnsupported},
		{URI: "news:a@b", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "news:a@b", Options: fetch.Options{Range: fetch.Range{From: 1}, IfSame: fetch.Validator{Tag: "<a@b>"}},
			Want: "tcp news:119 none message message/rfc822" + open + "ARTICLE <a@b>"},
		{URI: "news://h:25/g", Kind: fetch.ErrRefusedPort},
		{URI: "news://-h/g", Kind: fetch.ErrRefusedURL},
	}, Schemes(nil)...)
}

func TestSources(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "news:a@b", Want: "none message message/rfc822\nlook spool:/var/spool/news \"<a@b>\""},
		{URI: "news:g", Want: "none listing\nlook spool:/var/spool/news \"g\""},
		{URI: "nntp:g/3-", Want: "none listing\nlook spool:/var/spool/news \"g 3-\""},
		{URI: "news:*", Want: "none listing\nlook spool:/var/spool/news \"*\""},
		{URI: "news:g", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "nntp://h/g/3", Options: fetch.Options{Op: fetch.Metadata}, // a URI's own host has priority
			Want: "tcp h:119 none message message/rfc822\nCAPABILITIES\nMODE READER {if the server must be told to serve readers}\n" +
				"GROUP g\nHEAD 3"},
	}, Schemes(&Config{Source: "spool:/var/spool/news"})...)
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "news:g", Options: fetch.Options{Op: fetch.Metadata},
			Want: "tcp [::1]:1119 none listing\nCAPABILITIES\nMODE READER {if the server must be told to serve readers}\nGROUP g"},
	}, Schemes(&Config{Source: "[::1]:1119"})...)
	fetchtest.Plans(t, []fetchtest.PlanCase{{URI: "news:g", Kind: fetch.ErrLocal}}, Schemes(&Config{Source: ":119"})...)
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"news:a{}@b", "news:g{}", "news://h/g{}", "nntp://h/g{}/1", "snews:<a{}@b>", "news://h{}/g",
		"news://u{}:p@h/g", "news://u:p{}@h/g"},
		nil, Schemes(nil)...)
	for _, bad := range []string{"nntp://h/g/1%0D%0ADELE", "nntp://h/g/1%00", "nntp://h/g/1-2%0A", "news:comp.*%0d%0aPOST"} {
		if _, err := fetch.New(Schemes(nil)...).Plan(uri.MustParse(bad), nil); fetch.KindOf(err) != fetch.ErrRefusedURL {
			t.Errorf("%s: got %v, want %v", bad, err, fetch.ErrRefusedURL)
		}
	}
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"news:*", "news:a@b", "news://h/<a/b?c@d>", "nntp://h/g/1-2", "snews:g", "nntps:g/7", "nntp:%0d/1",
		"news:comp.*"}, Schemes(nil)...)
}
