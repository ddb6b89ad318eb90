package news_test

import (
	"encoding/base64"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/schemes/news/newstest"
)

func dial(t *testing.T, s *newstest.Server) *textproto.Conn {
	t.Helper()
	c, err := textproto.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

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
	s := server(t, &newstest.Options{Posting: true})
	c := dial(t, s)
	if l, _ := c.ReadLine(); l != "200 newstest ready" {
		t.Errorf("got %v, want l %q", l, "200 newstest ready")
	}
	for _, x := range []struct {
		line, want string
		text       bool
	}{
		{"MODE READER", "200 newstest ready for readers", false},
		{"ARTICLE 1", "412 No group selected", false},
		{"GROUP nix", "411 No such group", false},
		{"GROUP lab.empty", "211 0 1 0 lab.empty", false}, // RFC 3977 section 6.1.1.2: low is one greater than high
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
		{"LIST COUNTS comp.*", "215 Newsgroups in form \"group high low count status\"|comp.infosystems.www 0000000004 0000000001 3 y",
			true},
		{"BODY <dots.1@site.example>", "222 0 <dots.1@site.example>|.|One lone dot stands above, two stand below.|..", true},
		{"NEWNEWS comp.* 19941221 000000 GMT", "230 New articles follow|<fourth.4@site.example>", true},
		{"NEXT", "223 2 <second.2@site.example>", false},
		{"NEXT", "223 4 <fourth.4@site.example>", false},
		{"NEXT", "421 No next article in this group", false},
		{"LAST", "223 2 <second.2@site.example>", false},
		{"HDR :lines", "225 Headers follow|2 4", true},
		{"LAST", "223 1 <first.1@site.example>", false},
		{"LAST", "422 No previous article in this group", false},
		{"OVER", "224 Overview information follows|1\tNames for everything\tReader <reader@site.example>\tTue, 20 Dec 1994 12:00:00 " +
			"+0000\t" +
			"<first.1@site.example>\t\t443\t2\tXref: news.example comp.infosystems.www:1", true},
		{"GROUP lab.empty", "211 0 1 0 lab.empty", false},
		{"NEXT", "420 No current article", false},
		{"OVER", "420 No current article", false},
		{"LIST HEADERS", "215 Headers and metadata items supported|:|:bytes|:lines", true},
		{"LIST MOTD", "501 Unknown variant of the command", false},
		{"NEWNEWS lab.*,comp.* 941221 000000 GMT", "230 New articles follow|<fourth.4@site.example>", true},
		{"NEWGROUPS 19900101 000000 GMT", "231 New newsgroups follow|comp.infosystems.www 4 1 y|lab.dots 2 1 y", true},
		{"NEWGROUPS 19941220 130000 GMT", "231 New newsgroups follow|", true},
		{"NEWGROUPS yesterday noon", "501 Not a date", false},
		{"XYZZY", "500 Unknown command", false},
		{"", "501 Say something", false},
		{"QUIT", "205 Goodbye", false},
	} {
		if got := say(t, c, x.line, x.text); got != x.want {
			t.Errorf("%s: %q, want %q", x.line, got, x.want)
		}
	}
	if !s.Wait(5 * time.Second) {
		t.Errorf("the connection is open, want it closed")
	}
}

// TestClaims checks in both modes, with and without the verbs that the Options remove, that exactly the commands listed by CAPABILITIES and
// HELP are implemented.
func TestClaims(t *testing.T) {
	for _, o := range []newstest.Options{{}, {Posting: true}, {Transit: true}, {Lacks: []string{"OVER", "HDR", "NEWNEWS", "LIST COUNTS"}}} {
		c := dial(t, server(t, &o))
		if _, err := c.ReadLine(); err != nil {
			t.Fatal(err)
		}
		claims := say(t, c, "CAPABILITIES", true)
		for _, x := range []struct {
			capability, line string
			code             int // of success
		}{
			{"READER", "GROUP lab.dots", 211}, {"READER", "LISTGROUP", 211}, {"READER", "ARTICLE 1", 220}, {"READER", "BODY 1", 222},
			{"READER", "NEXT", 223}, {"READER", "LAST", 223}, {"READER", "NEWGROUPS 19900101 000000", 231},
			{"VERSION", "DATE", 111}, {"VERSION", "HELP", 100}, {"VERSION", "HEAD <dots.1@site.example>", 221}, {"VERSION",
				"STAT <dots.1@site.example>", 223},
			{"ACTIVE", "LIST ACTIVE", 215}, {"COUNTS", "LIST COUNTS", 215}, {"HEADERS", "LIST HEADERS", 215},
			{"NEWSGROUPS", "LIST NEWSGROUPS", 215}, {"OVERVIEW.FMT", "LIST OVERVIEW.FMT", 215},
			{"OVER", "OVER 1-2", 224}, {"MSGID", "OVER <dots.1@site.example>", 224}, {"HDR", "HDR Subject 1", 225}, {"NEWNEWS",
				"NEWNEWS * 19900101 000000", 230},
			{"POST", "POST", 340},
		} {
			claimed := regexp.MustCompile(`[ |]` + regexp.QuoteMeta(x.capability) + `\b`).MatchString(claims)
			if err := c.PrintfLine("%s", x.line); err != nil {
				t.Fatal(err)
			}
			code, message, err := c.ReadCodeLine(x.code)
			if (err == nil) != claimed || code/100 == 5 && claimed {
				t.Errorf("%+v: %s: got %d %s, want support %t", o, x.line, code, message, claimed)
			}
			if err == nil && slices.Contains([]int{100, 215, 220, 221, 222, 224, 225, 230, 231}, code) || code == 211 &&
				x.line == "LISTGROUP" {
				if _, err := c.ReadDotLines(); err != nil {
					t.Fatal(err)
				}
			}
			if code == 340 {
				say(t, c, ".", false)
			}
		}
		if got := say(t, c, "HELP", true); strings.Contains(got, "|POST") != o.Posting {
			t.Errorf("%+v: got %s, want POST %t", o, got, o.Posting)
		}
	}
}

// TestSASL logs in without an initial response, and cancels.
func TestSASL(t *testing.T) {
	c := dial(t, server(t, &newstest.Options{Users: map[string]string{"ann": "pw"}}))
	c.ReadLine()
	for _, x := range [][2]string{
		{"AUTHINFO SASL PLAIN", "383 ="}, {"*", "481 Cancelled"},
		{"AUTHINFO SASL PLAIN", "383 ="}, {base64.StdEncoding.EncodeToString([]byte("\x00ann\x00pw")), "281 Welcome"},
	} {
		if got := say(t, c, x[0], false); got != x[1] {
			t.Errorf("%s: %q, want %q", x[0], got, x[1])
		}
	}
}
