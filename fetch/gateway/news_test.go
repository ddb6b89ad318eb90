package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
)

// An article links to its group, its thread and its neighbors, and all links keep the server.
func TestWaysThroughNews(t *testing.T) {
	l := newLab(t, nil)
	s := newstest.NewServer(testdata.Site(), nil)
	t.Cleanup(s.Close)
	at := "/news/" + s.Addr
	for _, tt := range []struct {
		path string
		has  []string
	}{
		{at + "/comp.infosystems.www", []string{`<a rel="up" href="` + at + `/">Up</a>`, `<a href="` + at + `/second.2@site.example">Re: Names for everything</a>`}},
		{at + "/second.2@site.example", []string{`<a href="` + at + `/comp.infosystems.www">comp.infosystems.www</a>`, `<a href="/-/thread` + at + `/second.2@site.example">Thread</a>`,
			`<a rel="next" href="/-/next` + at + `/second.2@site.example">Next</a>`, `<a rel="prev" href="/-/previous` + at + `/second.2@site.example">Previous</a>`,
			`<a href="` + at + `/first.1@site.example">news:first.1@site.example</a>`}},
		{"/nntp/" + s.Addr + "/comp.infosystems.www/2", []string{`<a href="` + at + `/first.1@site.example">news:first.1@site.example</a>`}},
		{"/-/thread" + at + "/second.2@site.example", []string{`<h1>Thread: Names for everything</h1>`, `<li class="here" aria-current="true"><a href="` + at + `/second.2@site.example">`}},
	} {
		_, body := l.ask(t, tt.path, nil)
		for _, want := range tt.has {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s:\n%s", tt.path, want, body)
			}
		}
	}
	for _, tt := range [][2]string{ // the thread with the latest article comes first on the page of the group
		{"/-/next" + at + "/first.1@site.example", at + "/second.2@site.example"},
		{"/-/previous" + at + "/second.2@site.example", at + "/first.1@site.example"},
		{"/-/previous" + at + "/first.1@site.example", at + "/fourth.4@site.example"},
		{"/-/previous" + at + "/fourth.4@site.example", at + "/comp.infosystems.www"},
		{"/-/next" + at + "/second.2@site.example", at + "/comp.infosystems.www"},
	} {
		if resp, body := l.ask(t, tt[0], nil); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != tt[1] {
			t.Errorf("%s: got %s to %s, want %s\n%.500s", tt[0], resp.Status, resp.Header.Get("Location"), tt[1], body)
		}
	}
}

// A document that was reached from its menu of gopher, or from a neighbor, has links to its neighbors, which read the menu.
func TestWaysThroughAMenu(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	at := "/gopher/" + l.gopher
	links := `<nav class="pages" aria-label="Document"><a rel="prev" href="/-/previous` + at + `/0/history/ftp.txt">Previous</a> <a rel="next" href="/-/next` + at + `/0/history/ftp.txt">Next</a> </nav>`
	for from, want := range map[string]bool{"": false, l.URL + at + "/1/history": true, l.URL + at + "/1/history/": true, l.URL + at + "/0/history/gopher.txt": true,
		l.URL + at + "/0/README.txt": false, l.URL + at: false, l.URL + "/": false, l.URL: false, "http://h.example" + at + "/1/history": false} {
		_, body := l.ask(t, at+"/0/history/ftp.txt", func(r *http.Request) {
			r.Header.Set("Referer", from)
			r.Header.Set("Sec-Fetch-Site", "none")
		})
		if strings.Contains(body, links) != want {
			t.Errorf("from %q: got\n%s\nwant the links: %t", from, body, want)
		}
	}
	for _, tt := range [][2]string{
		{"/-/next" + at + "/0/history/ftp.txt", at + "/0/history/gopher.txt"},
		{"/-/previous" + at + "/0/history/gopher.txt", at + "/0/history/ftp.txt"},
		{"/-/previous" + at + "/0/history/00-names.txt", at + "/1/history"}, // it is the first
		{"/-/next" + at + "/0/README.txt", at + "/h/links.html"},            // menus are between them
		{"/-/next" + at + "/h/links.html", at + "/"},                        // the last; a menu follows
	} {
		if resp, body := l.ask(t, tt[0], nil); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != tt[1] {
			t.Errorf("%s: got %s to %s, want %s\n%.500s", tt[0], resp.Status, resp.Header.Get("Location"), tt[1], body)
		}
	}
}
