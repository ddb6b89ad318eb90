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
		_, body := l.ask(t, path, login)
		if got := strings.Join(namesOn(body), ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", path, got, tt.want)
		}
		order := map[bool]string{false: "ascending", true: "descending"}[tt.by[0] == '-']
		for _, want := range []string{`aria-sort="` + order + `"`, `<nav class="pages" aria-label="Order"> <a href="/-/view/from=1` + tt.list + `">Threads</a></nav>`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s:\n%s", path, want, body)
			}
		}
	}
	for _, list := range []string{group, box, "/-/view/from=1" + box, "/-/view/from=1,by=nonsense" + box} {
		_, body := l.ask(t, list, login)
		own := regexp.MustCompile(`^/-/view/[^/]*`).ReplaceAllString(list, "")
		for _, link := range [][2]string{{"-modified", "Date"}, {"name", "Subject"}, {"author", "Author"}, {"-size", "Size"}} {
			if want := ` <a href="/-/view/from=1,by=` + link[0] + own + `">` + link[1] + `</a>`; !strings.Contains(body, want) {
				t.Errorf("%s lacks %s:\n%s", list, want, body)
			}
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
