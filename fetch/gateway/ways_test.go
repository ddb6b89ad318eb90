package gateway_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
)

// A mailbox shows its threads, the latest first, whatever the order of its messages. A message links to its mailbox, its thread and its neighbors.
func TestWaysThroughMail(t *testing.T) {
	message := func(id, replyTo, subject, day string) *fstest.MapFile {
		text := "From: Ann <ann@site.example>\r\nSubject: " + subject + "\r\nDate: " + day + " Dec 1994 12:00:00 +0000\r\nMessage-ID: <" + id + "@h>\r\n"
		if replyTo != "" {
			text += "In-Reply-To: <" + replyTo + "@h>\r\nReferences: <" + replyTo + "@h>\r\n"
		}
		return &fstest.MapFile{Data: []byte(text + "\r\nText.\r\n")}
	}
	s, err := mailtest.ListenIMAP(fstest.MapFS{"mail/1.eml": message("c", "a", "Re: Owls", "22"), "mail/2.eml": message("b", "", "Bats", "21"),
		"mail/3.eml": message("a", "", "Owls", "20")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	l := newLab(t, nil)
	login := func(r *http.Request) { r.SetBasicAuth(mailtest.User, mailtest.Password) }
	box := "/imap/" + s.Addr + "/INBOX"
	for _, tt := range []struct {
		path string
		has  []string
	}{
		{box, []string{`<span aria-current="page">INBOX</span>`, "Re: Owls</a> <small>Ann"}},
		{box + ";UIDVALIDITY=1/;UID=1", []string{`>INBOX</a>`, `<nav class="pages" aria-label="Message">`, `href="/-/thread` + box, `href="/-/next` + box, `rel="prev" href="/-/previous` + box}},
		{"/-/thread" + box + ";UIDVALIDITY=1/;UID=1", []string{"<h1>Thread: Owls</h1>", `<li class="here" aria-current="true">`, `<span aria-current="page">Thread</span>`}},
	} {
		_, body := l.shows(t, tt.path, login, tt.has...)
		main, _, _ := strings.Cut(body, "<footer>")
		if strings.Contains(tt.path, "thread") && strings.Contains(main, "Bats") {
			t.Errorf("%s: got the message Bats, want those of the thread:\n%s", tt.path, body)
		}
	}
	for _, tt := range []struct{ path, want string }{ // Owls, Re: Owls, Bats
		{"/-/next" + box + "/;UID=3", box + ";UIDVALIDITY=1/;UID=1"},
		{"/-/next" + box + "/;UID=1", box + ";UIDVALIDITY=1/;UID=2"},
		{"/-/previous" + box + "/;UID=2", box + ";UIDVALIDITY=1/;UID=1"},
		{"/-/previous" + box + "/;UID=3", box},
		{"/-/next" + box + "/;UID=2", box},
	} {
		if resp, body := l.ask(t, tt.path, login); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != tt.want {
			t.Errorf("%s: got %s to %s, want %s\n%.700s", tt.path, resp.Status, resp.Header.Get("Location"), tt.want, body)
		}
	}
}

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
		l.shows(t, tt.path, nil, tt.has...)
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

// Newsgroups and mailboxes are sorted by date, subject, author and size through links, and are threads at first.
func TestOrdersOfMessages(t *testing.T) {
	news := newstest.NewServer(testdata.Site(), nil)
	t.Cleanup(news.Close)
	message := func(from, subject, day, text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("From: " + from + "\r\nSubject: " + subject + "\r\nDate: " + day + " Dec 1994 12:00:00 +0000\r\nMessage-ID: <" + day + "@h>\r\n\r\n" + text + "\r\n")}
	}
	mail, err := mailtest.ListenIMAP(fstest.MapFS{"mail/1.eml": message("bob <b@h>", "Re: Owls", "22", "long text"), "mail/2.eml": message("\"Ann\" <a@h>", "Bats", "21", "x"),
		"mail/3.eml": message("Cid <c@h>", "owls", "20", "longest text")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mail.Close)
	l := newLab(t, nil)
	login := func(r *http.Request) {
		if strings.Contains(r.URL.Path, "imap") {
			r.SetBasicAuth(mailtest.User, mailtest.Password)
		}
	}
	group, box := "/news/"+news.Addr+"/comp.infosystems.www", "/imap/"+mail.Addr+"/INBOX"
	for _, tt := range []struct{ list, by, want string }{
		{box, "modified", "owls, Bats, Re: Owls"},
		{box, "-modified", "Re: Owls, Bats, owls"},
		{box, "name", "Bats, owls, Re: Owls"},
		{box, "-name", "owls, Re: Owls, Bats"},
		{box, "author", "Bats, Re: Owls, owls"},
		{box, "-author", "owls, Re: Owls, Bats"},
		{box, "size", "Bats, owls, Re: Owls"},
		{group, "modified", "Names for everything, Re: Names for everything, Numbers have holes"},
		{group, "-name", "Numbers have holes, Names for everything, Re: Names for everything"},
		{group, "author", "Names for everything, Numbers have holes, Re: Names for everything"},
	} {
		path := "/-/view/from=1,by=" + tt.by + tt.list
		order := map[bool]string{false: "ascending", true: "descending"}[tt.by[0] == '-']
		_, body := l.shows(t, path, login, `aria-sort="`+order+`"`, `<nav class="pages" aria-label="Order"> <a href="/-/view/from=1`+tt.list+`">Threads</a></nav>`)
		if got := strings.Join(namesOn(body), ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", path, got, tt.want)
		}
	}
	for _, list := range []string{group, box, "/-/view/from=1" + box, "/-/view/from=1,by=nonsense" + box} {
		_, body := l.ask(t, list, login)
		own := regexp.MustCompile(`^/-/view/[^/]*`).ReplaceAllString(list, "")
		for _, link := range [][2]string{{"-modified", "Date"}, {"name", "Subject"}, {"author", "Author"}, {"-size", "Size"}} {
			contains(t, list, body, ` <a href="/-/view/from=1,by=`+link[0]+own+`">`+link[1]+`</a>`)
		}
		if !strings.Contains(body, `<ul class="thread">`) || strings.Contains(body, "aria-sort") {
			t.Errorf("%s: got %s, want threads", list, body)
		}
	}
	if _, body := l.ask(t, "/-/thread/news/"+news.Addr+"/second.2@site.example", nil); strings.Contains(body, "Sort by") {
		t.Errorf("got %s, want no other order of a thread", body)
	}
}

// The pages of a sorted newsgroup are small, and their links keep the order.
func TestPagesOfASortedGroup(t *testing.T) {
	files := fstest.MapFS{}
	const n = 900
	for i := range n {
		files[fmt.Sprintf("news/a.group/%d", i+1)] = &fstest.MapFile{Data: fmt.Appendf(nil, "From: Ann <ann@site.example>\nNewsgroups: a.group\nSubject: %d is a subject of the usual length, or somewhat longer\nDate: 20 Dec 1994 12:%02d:%02d +0000\nMessage-ID: <%d@site.example>\n\nText\n",
			n-i, i/60, i%60, i)}
	}
	s := newstest.NewServer(files, nil)
	t.Cleanup(s.Close)
	l := newLab(t, nil)
	next, seen := regexp.MustCompile(`<a rel="next" href="([^"]*)">`), 0
	for path := "/-/view/from=1,by=-modified/news/" + s.Addr + "/a.group"; path != ""; {
		_, body := l.ask(t, path, nil)
		names := namesOn(body)
		if len(names) == 0 || len(body) > 200_000 || !strings.HasPrefix(names[0], fmt.Sprint(seen+1, " ")) {
			t.Fatalf("%s: got %d bytes and %q, want at most 200000, from %d on:\n%.3000s", path, len(body), names, seen+1, body)
		}
		seen += len(names)
		if path = ""; next.MatchString(body) {
			path = next.FindStringSubmatch(body)[1]
		}
	}
	if seen != n {
		t.Errorf("got %d articles, want %d", seen, n)
	}
}
