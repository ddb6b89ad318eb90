package mail

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

func TestBoxes(t *testing.T) {
	for in, want := range map[string]string{
		// RFC 5092 section 10
		"imap://minbari.example.org/gray-council;UIDVALIDITY=385759045/;UID=20/;PARTIAL=0.1024":  `[null,null,"gray-council",385759045,20,null,{"from":0,"length":1024},null]`,
		"imap://psicorp.example.org/~peter/%E6%97%A5%E6%9C%AC%E8%AA%9E/%E5%8F%B0%E5%8C%97":       `[null,null,"~peter/日本語/台北",null,null,null,null,null]`,
		"imap://;AUTH=GSSAPI@minbari.example.org/gray-council/;uid=20/;section=1.2":              `[null,"GSSAPI","gray-council",null,20,"1.2",null,null]`,
		"imap://;AUTH=*@minbari.example.org/gray%20council?SUBJECT%20shadows":                    `[null,"*","gray council",null,null,null,null,"SUBJECT shadows"]`,
		"imap://john;AUTH=*@minbari.example.org/babylon5/personel?charset%20UTF-8%20SUBJECT%20x": `["john","*","babylon5/personel",null,null,null,null,"charset UTF-8 SUBJECT x"]`,
		"imap://h":                     `[null,null,null,null,null,null,null,null]`,
		"imap://u%3Bx@h/":              `["u;x",null,null,null,null,null,null,null]`,
		"imap://h/a/;UID=1/;PARTIAL=7": `[null,null,"a",null,1,null,{"from":7,"length":0},null]`,
		"imap:a":                       "", "imap:///a": "", "imap://h/;UID=1": "", "imap://h/a/;UID=0": "", "imap://h/a/;UID=x": "",
		"imap://h/a/;UID=4294967296": "", "imap://h/a;UIDVALIDITY=x": "", "imap://h/;UIDVALIDITY=1": "", "imap://h/%FF": "",
		"imap://h/a/;UID=1/;SECTION=": "", "imap://h/a/;UID=1/;SECTION=1%5D%20FLAGS": "", "imap://h/a/;UID=1/;PARTIAL=1.0": "", "imap://h/a/;UID=1/;PARTIAL=-1": "",
		"imap://h/a?": "", "imap://h/?x": "", "imap://h/a/;UID=1?x": "", "imap://h/a?TEXT%20%7B3%7D": "", "imap://h/a/;UID=1/x": "",
	} {
		r, err := parseIMAP(uri.MustParse(in))
		got := ""
		if err == nil {
			b, _ := json.Marshal([]any{r.User, r.Auth, r.Mailbox, r.UIDValidity, r.UID, r.Section, r.Partial, r.Search})
			got = string(b)
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%v)", in, got, want, err)
		}
	}
}

func TestImapPlans(t *testing.T) {
	const anonymous = "\nCAPABILITY\nSTARTTLS {if STARTTLS is offered}\nAUTHENTICATE ANONYMOUS\n"
	ranged := func(from, to int64) fetch.Options { return fetch.Options{Range: fetch.Range{From: from, To: to}} }
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "imap://h", Want: "tcp h:143 none listing" + anonymous + `LIST "" *`},
		{URI: "imap://h/a%20b", Want: "tcp h:143 none listing" + anonymous +
			"EXAMINE a b\nUID FETCH 1:* (UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (\"Date\" \"From\" \"To\" \"Cc\" " +
			"\"Subject\" \"Message-ID\" \"In-Reply-To\" \"References\")])"},
		{URI: "imap://h/a?FROM%20x", Want: "tcp h:143 none search" + anonymous +
			"EXAMINE a\nUID SEARCH FROM x\nUID FETCH <uids> (UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (\"Date\" \"From\" " +
			"\"To\" \"Cc\" \"Subject\" \"Message-ID\" \"In-Reply-To\" \"References\")]) {if the search has hits}"},
		{URI: "imap://h/a", Options: fetch.Options{Search: []string{"a b", `c"`}}, Want: "tcp h:143 none search" + anonymous +
			`EXAMINE a` + "\n" + `UID SEARCH TEXT "a b" TEXT "c\""` + "\n" +
			`UID FETCH <uids> (UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS ("Date" "From" "To" "Cc" "Subject" "Message-ID" "In-Reply-To" "References")]) {if the search has hits}`},
		{URI: "imap://h", Options: fetch.Options{Search: []string{"a"}}, Kind: fetch.ErrUnsupported},
		{URI: "imap://h/a/;UID=1", Options: fetch.Options{Search: []string{"a"}}, Kind: fetch.ErrUnsupported},
		{URI: "imap://h/a?FROM%20x", Options: fetch.Options{Search: []string{"a"}}, Kind: fetch.ErrUnsupported},
		{URI: "imaps://ann:pw@h/a/;UID=1", Want: "tcp h:993 implicit message message/rfc822\nCAPABILITY\nLOGIN ann pw {secret}\n" +
			"EXAMINE a\nUID FETCH 1 (UID BODY.PEEK[])"},
		{URI: "imaps://ann;AUTH=PLAIN:pw@h/a/;UID=1/;SECTION=1.2",
			Want: "tcp h:993 implicit document\nCAPABILITY\nAUTHENTICATE PLAIN ann pw {secret}\nEXAMINE a\n" +
				"UID FETCH 1 (UID BODY.PEEK[1.2])"},
		{URI: "imap://h/a/;UID=1/;PARTIAL=10.20", Want: "tcp h:143 none message" + anonymous +
			"EXAMINE a\nUID FETCH 1 (UID BODY.PEEK[]<10.20>)"},
		{URI: "imap://h/a/;UID=1/;PARTIAL=10.20", Options: ranged(5, 0), Want: "tcp h:143 none message" + anonymous +
			"EXAMINE a\nUID FETCH 1 (UID BODY.PEEK[]<15.15>)"},
		{URI: "imap://h/a/;UID=1/;PARTIAL=10.20", Options: ranged(5, 7), Want: "tcp h:143 none message" + anonymous +
			"EXAMINE a\nUID FETCH 1 (UID BODY.PEEK[]<15.2>)"},
		{URI: "imap://h/a/;UID=1", Options: ranged(5, 0), Want: "tcp h:143 none message message/rfc822" + anonymous +
			"EXAMINE a\nUID FETCH 1 (UID BODY.PEEK[]<5.4294967295>)"},
		{URI: "imap://h/a/;UID=1", Options: fetch.Options{Op: fetch.Metadata}, Want: "tcp h:143 none message message/rfc822" + anonymous +
			"EXAMINE a\nUID FETCH 1 (UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (\"Date\" \"From\" \"To\" \"Cc\" \"Subject\" " +
			"\"Message-ID\" \"In-Reply-To\" \"References\")])"},
		{URI: "imap://h/a/;UID=1/;PARTIAL=10.20", Options: ranged(20, 0), Kind: fetch.ErrRange},
		{URI: "imap://h/a/;UID=1", Options: ranged(-5, 0), Kind: fetch.ErrRange},
		{URI: "imap://h/a", Options: ranged(5, 0), Kind: fetch.ErrRange},
		{URI: "imap://h/a", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "imap://h:25/a", Kind: fetch.ErrRefusedPort},
	}, Schemes(nil)...)
}

// The entry of a message with an ordinary header is made with few allocations, since a mailbox may have 10,000 of them.
func TestCostOfAnEntry(t *testing.T) {
	m := head{uid: 1, size: 7, fields: []byte("From: Ann <ann@site.example>\r\nSubject: A subject\r\nDate: Tue, 20 Dec 1994 12:00:05 +0000\r\n" +
		"Message-ID: <1@site.example>\r\nReferences: <2@site.example>\r\n\r\n")}
	want := time.Date(1994, 12, 20, 12, 0, 5, 0, time.UTC)
	if e := m.entry(); !e.Modified.Equal(want) || e.Title != "A subject" || e.Attr["mid"][0] != "mid:1@site.example" {
		t.Errorf("got %v %q %v, want %v, the subject and the id", e.Modified, e.Title, e.Attr, want)
	}
	if n := testing.AllocsPerRun(50, func() { m.entry() }); n > 40 {
		t.Errorf("got %v allocations, want at most 40", n)
	}
}

// TestPort465IsImplicitTLS: port 465 is for TLS from the first byte (RFC 8314 section 3.3), however the server is written.
func TestPort465IsImplicitTLS(t *testing.T) {
	for text, want := range map[string]fetch.TLSMode{"h.example:465": fetch.ImplicitTLS, "smtp://h.example:465": fetch.ImplicitTLS, "smtps://h.example": fetch.ImplicitTLS,
		"h.example": fetch.ExplicitTLS, "h.example:25": fetch.ExplicitTLS, "": fetch.ExplicitTLS} {
		server, err := parseServer(text)
		if err != nil {
			t.Fatal(err)
		}
		if port, got := submissionPort(server); got != want || want == fetch.ImplicitTLS && port != 465 {
			t.Errorf("%q: got %d, %s, want %s", text, port, got, want)
		}
	}
}

const asMailbox = "From tim@site.example Thu Jan  1 00:00:00 1970\nFrom: Tim <tim@site.example>\nMessage-ID: <a@b>\n\ntext\n\n"

// TestBatchConformance reads a mailbox with one command for many messages. The flags of one have just changed, and two are gone.
func TestBatchConformance(t *testing.T) {
	o := fetch.Options{Login: fetch.Login{User: "bob", Password: "open sesame", Set: true}, Set: map[string][]string{"imap.view": {"mbox"}}}
	search := strings.Replace(dialogueHead, "S: * 3 EXISTS", "S: * 4 EXISTS", 1) + `
*: UID SEARCH ALL
C: T3 UID SEARCH ALL
S: * SEARCH 5 6 7 8
S: T3 OK done
*: [if the search has hits]
`
	text := strings.TrimSuffix(dialogueText, "S: T3 OK done\n")
	fetchtest.Test(t, Schemes(nil)[3],
		fetchtest.Case{Name: "batch", URI: "imap://mail.example/INBOX", Options: o, Body: strings.Repeat(asMailbox, 2), Type: maildoc.MailboxType,
			End: fetch.EndTerminated, Script: search + `*: UID FETCH 5,6,7,8 (UID BODY.PEEK[])
C: T4 UID FETCH 5:8 (UID BODY.PEEK[])
S: * 1 FETCH (UID 5 BODY[] {57}
` + text + `S: * 4 FETCH (UID 8 FLAGS ($Seen))
S: * 4 FETCH (UID 8 BODY[] {57}
` + text + `S: T4 OK done
`},
		fetchtest.Case{Name: "refused after a message", URI: "imap://mail.example/INBOX", Options: o, Err: fetch.ErrRefused, Script: search +
			`*: UID FETCH 5,6,7,8 (UID BODY.PEEK[])
C: T4 UID FETCH 5:8 (UID BODY.PEEK[])
S: * 1 FETCH (UID 5 BODY[] {57}
` + text + `S: T4 NO not the others
`},
	)
}

// TestBatchLimits reads a mailbox that is many times larger than a reply may be, in small and in large messages; but a server that sends
// messages that were not requested, or one of them twice, is stopped.
func TestBatchLimits(t *testing.T) {
	t.Parallel()
	const messages = 40
	for name, tt := range map[string]struct {
		size, copies int
		want         fetch.Kind
	}{"small": {2 << 10, 1, ""}, "large": {20 << 10, 1, ""}, "unrequested": {20 << 10, 20, fetch.ErrLimit}} {
		addr := answering(t, func(w io.Writer, _, line string) bool {
			switch {
			case strings.HasPrefix(line, "UID SEARCH"):
				fmt.Fprint(w, "* SEARCH")
				for uid := range messages {
					fmt.Fprintf(w, " %d", uid+1)
				}
				fmt.Fprint(w, "\r\n")
			case strings.HasPrefix(line, "UID FETCH"):
				for i := range messages * tt.copies {
					fmt.Fprintf(w, "* %d FETCH (UID %[1]d BODY[] {%d}\r\n%s)\r\n", 1+i/tt.copies, tt.size, strings.Repeat("x", tt.size))
				}
			}
			return true
		})
		c := fetch.New(Schemes(nil)...)
		c.Limits.Reply = 16 << 10
		d, err := c.Get(t.Context(), uri.MustParse("imap://ann:pw@"+addr+"/INBOX"), &fetch.Options{Set: map[string][]string{"imap.view": {"mbox"}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		c.Close()
		if got := strings.Count(string(b), "x"); fetch.KindOf(err) != tt.want || tt.want == "" && got != messages*tt.size {
			t.Errorf("%s: got %d bytes of messages, %v; want %d, kind %q", name, got, err, messages*tt.size, tt.want)
		}
	}
}

// TestLeftMessage: a session whose message or listing has not ended serves no other request.
func TestLeftMessage(t *testing.T) {
	for _, path := range []string{"/INBOX/;UID=1", "/INBOX"} {
		var sessions atomic.Int32
		addr := answering(t, func(w io.Writer, _, line string) bool {
			switch {
			case strings.HasPrefix(line, "CAPABILITY"):
				sessions.Add(1)
			case strings.HasSuffix(line, "BODY.PEEK[])"):
				fmt.Fprint(w, "* 1 FETCH (UID 1 BODY[] {9}\r\nx")
				return false
			case strings.HasPrefix(line, "UID FETCH"):
				fmt.Fprint(w, "* 1 FETCH (UID 1 RFC822.SIZE 1)\r\n")
				return false
			}
			return true
		})
		c := fetch.New(Schemes(nil)...)
		for range 2 {
			d, err := c.Get(t.Context(), uri.MustParse("imap://ann:pw@"+addr+path), nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			d.Body.Read(make([]byte, 1))
			d.Body.Close()
		}
		c.Close()
		if n := sessions.Load(); n != 2 {
			t.Errorf("%s: got %d sessions, want 2", path, n)
		}
	}
}
