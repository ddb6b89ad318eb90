package newstest

import (
	"fmt"
	"net/textproto"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.org/deref/testdata"
)

// say sends a command and returns the reply with its text, joined by "|".
func say(t *testing.T, c *textproto.Conn, line string, text bool) string {
	t.Helper()
	if err := c.PrintfLine("%s", line); err != nil {
		t.Fatal(err)
	}
	reply, err := c.ReadLine()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if text {
		lines, err := c.ReadDotLines()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		reply += "|" + strings.Join(lines, "|")
	}
	return reply
}

func TestDialogue(t *testing.T) {
	s := NewServer(testdata.Site(), &Options{Posting: true})
	defer s.Close()
	c, err := textproto.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if l, _ := c.ReadLine(); l != "200 newstest ready" {
		t.Error(l)
	}
	for _, x := range []struct {
		line, want string
		text       bool
	}{
		{"MODE READER", "200 newstest ready for readers", false},
		{"ARTICLE 1", "412 No group selected", false},
		{"GROUP nix", "411 No such group", false},
		{"GROUP lab.empty", "211 0 1 0 lab.empty", false}, // RFC 3977 section 6.1.1.2: low is one above high
		{"STAT", "420 No current article", false},
		{"group comp.infosystems.www", "211 3 1 4 comp.infosystems.www", false},
		{"STAT", "223 1 <first.1@site.example>", false},
		{"STAT 3", "423 No such article in this group", false},
		{"STAT <nix@x>", "430 No such article", false},
		{"STAT <second.2@site.example>", "223 0 <second.2@site.example>", false},
		{"LISTGROUP", "211 3 1 4 comp.infosystems.www list follows|1|2|4", true},
		{"LISTGROUP comp.infosystems.www 2-", "211 3 1 4 comp.infosystems.www list follows|2|4", true},
		{"HDR Subject 1-", "225 Headers follow|1 Names for everything|2 Re: Names for everything|4 Numbers have holes", true},
		{"HDR Subject 2-3", "225 Headers follow|2 Re: Names for everything", true},
		{"HDR Subject <dots.1@site.example>", "225 Headers follow|0 Dots", true},
		{"HDR Subject 3", "423 No articles in that range", false},
		{"XHDR Subject 4", "221 Headers follow|4 Numbers have holes", true},
		{"OVER 3", "423 No articles in that range", false},
		{"LIST NEWSGROUPS lab.*,!lab.empty", "215 Descriptions in form \"group description\"|lab.dots\tLines that begin with a dot", true},
		{"LIST ACTIVE lab.dots", "215 Newsgroups in form \"group high low status\"|lab.dots 0000000002 0000000001 y", true},
		{"LIST COUNTS comp.*", "215 Newsgroups in form \"group high low count status\"|comp.infosystems.www 0000000004 0000000001 3 y", true},
		{"BODY <dots.1@site.example>", "222 0 <dots.1@site.example>|.|One lone dot stands above, two stand below.|..", true},
		{"NEWNEWS comp.* 19941221 000000 GMT", "230 New articles follow|<fourth.4@site.example>", true},
		{"XYZZY", "500 Unknown command", false},
		{"", "501 Say something", false},
		{"QUIT", "205 Goodbye", false},
	} {
		if got := say(t, c, x.line, x.text); got != x.want {
			t.Errorf("%s: %q, want %q", x.line, got, x.want)
		}
	}
	if !s.Wait(5 * time.Second) {
		t.Error("the connection stays")
	}
}

// TestAgainstNntplib lets a client of others have its say.
func TestAgainstNntplib(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	s := NewServer(testdata.Site(), &Options{Posting: true, Users: map[string]string{"ann": "pw"}, Private: "lab.dots"})
	defer s.Close()
	host, port, _ := strings.Cut(s.Addr, ":")
	script := fmt.Sprintf(`
import nntplib, io
s = nntplib.NNTP(%q, %s, user="ann", password="pw", readermode=True)
r, count, first, last, name = s.group("comp.infosystems.www")
print(count, first, last)
r, over = s.over((first, last))
print([(n, o["subject"]) for n, o in over])
r, info = s.article("<dots.1@site.example>")
print(info.lines[-3:])
print(s.post(io.BytesIO(b"From: a@b\r\nNewsgroups: lab.empty\r\nSubject: x\r\n\r\n.dot\r\n")))
print(s.descriptions("lab.d*")[1])
print(s.quit())
`, host, port)
	out, err := exec.Command(python, "-W", "ignore", "-c", script).CombinedOutput()
	if strings.Contains(string(out), "No module named") {
		t.Skip("this python has no nntplib")
	}
	want := `3 1 4
[(1, 'Names for everything'), (2, 'Re: Names for everything'), (4, 'Numbers have holes')]
[b'.', b'One lone dot stands above, two stand below.', b'..']
240 Article received
{'lab.dots': 'Lines that begin with a dot'}
205 Goodbye
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}
