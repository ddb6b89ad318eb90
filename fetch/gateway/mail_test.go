package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/mail/mailtest"
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
		resp, body := l.ask(t, tt.path, login)
		for _, want := range tt.has {
			if !strings.Contains(body, want) {
				t.Errorf("%s: got %s without %s:\n%s", tt.path, resp.Status, want, body)
			}
		}
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
