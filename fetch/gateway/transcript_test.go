package gateway_test

import (
	"regexp"
	"strings"
	"testing"

	"example.org/deref/fetch/gateway"
	"example.org/deref/uri"
)

// TestConversation checks that the commands that were sent together are one item with their replies, next to the plan.
func TestConversation(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	_, body := l.ask(t, "/ftp/"+l.ftp+"/", nil)
	_, how, _ := strings.Cut(body, "How was this fetched?")
	for _, want := range []string{
		`<li>\n<div class="c"><time>[0-9.]+ ms</time> <pre>C: USER anonymous\nC: PASS [^<]*</pre></div>\n<div class="s"><time>[0-9.]+ ms</time> <pre>S: 331 [^<]*</pre></div>\n<div class="s"><time>[0-9.]+ ms</time> <pre>S: 230 [^<]*</pre>`,
		`<div class="e"><time>0.0 ms</time> <pre>\*: \[connected to 127\.0\.0\.1:[0-9]+\]</pre></div>`,
		`(?s)<h2>The plan</h2>\n<pre>.*PASS.*</pre>.*<a href="/-/explain/ftp/[^"]*">Explain</a>.*<h2>The conversation</h2>`,
	} {
		if !regexp.MustCompile(want).MatchString(how) {
			t.Errorf("got\n%s\nwant a match of %s", how, want)
		}
	}
	if strings.Contains(how, "<script") {
		t.Errorf("got a script in\n%s", how)
	}
}

// TestKeptConnection checks that a page whose connection was kept shows the login, too.
func TestKeptConnection(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	l.ask(t, "/ftp/"+l.ftp+"/images/", nil)
	l.ask(t, "/ftp/"+l.ftp+"/history/", nil)
	_, body := l.ask(t, "/ftp/"+l.ftp+"/README.txt", nil)
	_, body, _ = strings.Cut(body, "How was this fetched?")
	for _, want := range []string{`<time>earlier</time> <pre>\*: \[connected to`, `<time>earlier</time> <pre>C: USER anonymous\nC: PASS `, `<time>earlier</time> <pre>S: 230 `, `<time>0.0 ms</time> <pre>\*: \(the connection of an earlier`} {
		if !regexp.MustCompile(want).MatchString(body) {
			t.Errorf("got\n%s\nwant a match of %s", body, want)
		}
	}
	if strings.Contains(body, "history") {
		t.Errorf("got\n%s\nwant nothing of the earlier request", body)
	}
}

// TestExplain checks that the page with the plan sends nothing: the host has no server.
func TestExplain(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	if resp, _ := l.shows(t, "/-/explain/gopher/nowhere.invalid/1/history", nil, "server   nowhere.invalid:70 (tcp)", "  /history\n"); resp.StatusCode != 200 {
		t.Errorf("got %s, want 200", resp.Status)
	}
	if resp, _ := l.ask(t, "/-/explain/file/etc/passwd", nil); resp.StatusCode != 403 {
		t.Errorf("file: got %d, want 403: schemes that are refused have no plan", resp.StatusCode)
	}
}

// TestConversationAlone checks the page for objects that are passed on unchanged: it shows the conversation to its end, and not the object.
func TestConversationAlone(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	page := "/ftp/" + l.ftp + "/README.txt"
	link := `<a href="/-/conversation` + page + `">`
	l.shows(t, "/-/conversation"+page, nil, "<h2>The plan</h2>", "C: RETR README.txt", "S: 226 ", `<a href="`+page+`">Show it</a>`)
	l.shows(t, page, nil, link)
	l.shows(t, "/-/explain"+page, nil, link)
	if resp, _ := l.shows(t, "/-/conversation/ftp/"+l.ftp+"/nonesuch", nil, "S: 550 "); resp.StatusCode != 404 {
		t.Errorf("nonesuch: got %s, want 404", resp.Status)
	}
	if resp, _ := l.ask(t, "/-/conversation/file/etc/passwd", nil); resp.StatusCode != 403 {
		t.Errorf("file: got %d, want 403", resp.StatusCode)
	}
}

// TestLesson checks that the start page says what a scheme names even if its year is not known.
func TestLesson(t *testing.T) {
	t.Parallel()
	l := newLab(t, &gateway.Config{Samples: []gateway.Sample{{URI: uri.MustParse("gopher://g.example/0/a%20b.txt"), Lesson: true, Year: 1991},
		{URI: uri.MustParse("nex://n.example/"), Lesson: true}, {URI: uri.MustParse("ftp://f.example/"), Title: "a title"}}})
	_, body := l.shows(t, "/", nil, " (first specified in 1991)<br>\n<small>RFC 4266", `<a href="/gopher/g.example/0/a%20b.txt">a b.txt</a> <a class="t" href="/-/conversation/gopher/g.example/0/a%20b.txt" title="conversation" aria-label="conversation of a b.txt">`,
		`specification.txt · <a href="/-/explain/nex/n.example/">Explain nex`)
	if strings.Contains(body, "(0)") || strings.Contains(body, "Explain ftp") {
		t.Errorf("got\n%s\nwant no year 0, and no lesson about ftp", body)
	}
}

// TestEveryPageSaysHow checks that each page that fetches an object has its conversation, and that pages about failures have it or link to it.
func TestEveryPageSaysHow(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	const talk = "<h2>The conversation</h2>"
	for path, want := range map[string]string{
		"/ftp/" + l.ftp + "/images/":                   talk,
		"/ftp/" + l.ftp + "/nonesuch":                  talk,
		"/-/part/9/ftp/" + l.ftp + "/mail/related.eml": talk,
		"/-/part/1/ftp/" + l.ftp + "/nonesuch":         talk,
		"/-/raw/ftp/" + l.ftp + "/nonesuch":            `<a href="/-/conversation/ftp/` + l.ftp + `/nonesuch">Fetch it again</a>`,
	} {
		l.shows(t, path, nil, want, "<summary>How was this fetched?</summary>")
	}
	for _, path := range []string{"/file/etc/passwd", "/ftp/" + l.ftp + "/a%0d%0aDELE%20x"} {
		if _, page := l.ask(t, path, nil); strings.Contains(page, "How was this fetched?") {
			t.Errorf("%s: got\n%s\nwant no conversation: nothing was sent", path, page)
		}
	}
}
