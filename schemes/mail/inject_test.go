package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

// One address of a URI is one mailbox of a command and of a header (RFC 5321 section 4.1.2), or it is rejected: %2C stays data, and is
// rejected unless it is quoted.
func TestPromise3Recipients(t *testing.T) {
	for text, want := range map[string]string{
		"mailto:a%2cX%40x.example@b.example":       "",
		"mailto:%22a%2cX%40x.example%22@b.example": `TO:<"a,X@x.example"@b.example>`,
		"mailto:a@b.example,c@d.example":           "TO:<a@b.example> TO:<c@d.example>",
		"mailto:%40x.example%3aa@b.example":        "", // a source route
		"mailto:g%3aa@b.example%3b":                "", // a group
		"mailto:%22a@b.example":                    "",
		"mailto:%22a%22b%22@b.example":             "",
		"mailto:%22a%5c%22@b.example":              "",
		"mailto:%22a%5c%5c%22@b.example":           `TO:<"a\\"@b.example>`,
		"mailto:a%20b@c.example":                   "",
		"mailto:a..b@c.example":                    "",
		"mailto:a@b..example":                      "",
		"mailto:a@b.example%09":                    "",
		"mailto:a@b.example%20NOTIFY=NEVER":        "",
		"mailto:a%3e@b.example":                    "",
		"mailto:a(c)@b.example":                    "",
		"mailto:a@[192.0.2.1]":                     "TO:<a@[192.0.2.1]>",
		"mailto:a@b.example?cc=c%2cd%40e.example":  "", // the comma divides: "c" is not an address
		"mailto:?to=a%2cX%40x.example@b.example":   "",
	} {
		c := fetch.New(Schemes(&Config{Submission: "smtp://127.0.0.1"})...)
		p, err := c.Plan(uri.MustParse(text), &fetch.Options{Op: fetch.Send, Set: map[string][]string{"mailto.from": {"me@x.example"}}})
		if want == "" {
			if !errors.Is(err, fetch.ErrRefusedURL) {
				t.Errorf("%s: got %v, want %s", text, err, fetch.ErrRefusedURL)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: got %v, want %s", text, err, want)
			continue
		}
		var got []string
		for _, s := range p.Steps {
			if s.Verb == "RCPT" {
				got = append(got, s.Args...)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// A login that no SASL mechanism can carry is rejected before any server is contacted, or if the server has asked for it, before it is sent.
func TestPromise3LoginsOfMail(t *testing.T) {
	server, err := mailtest.ListenSMTP(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, bad := range []string{"\x00", "\x01", "\r\n", "\n", "\x7f"} {
		for _, l := range []fetch.Login{{User: "a" + bad + "b", Password: "p", Set: true},
			{User: "a", Password: "p" + bad + "auth=x", Set: true}} {
			c := fetch.New(Schemes(&Config{Submission: "smtp://127.0.0.1"})...)
			for _, auth := range []string{"", ";AUTH=PLAIN", ";AUTH=OAUTHBEARER"} {
				named := fetch.Login{User: l.User + auth, Password: l.Password, Set: true}
				u := "imap://h.example/INBOX"
				if auth != "" {
					u = "imap://" + uri.EscapeBut(l.User, "-._~") + auth + "@h.example/INBOX"
				}
				if _, err := c.Plan(uri.MustParse(u), &fetch.Options{Login: named}); !errors.Is(err, fetch.ErrRefusedURL) {
					t.Errorf("%s with %+q: got %v, want %s", u, [2]string{named.User, named.Password}, err, fetch.ErrRefusedURL)
				}
			}
			_, err := c.Send(t.Context(), uri.MustParse("mailto:a@b.example"), strings.NewReader("Subject: x\r\n\r\nx\r\n"),
				&fetch.Options{Login: l, Set: map[string][]string{"mailto.from": {"me@x.example"}}})
			if !errors.Is(err, fetch.ErrRefusedURL) {
				t.Errorf("mailto with %q: got %v, want %s", [2]string{l.User, l.Password}, err, fetch.ErrRefusedURL)
			}
			c = fetch.New(Schemes(&Config{Submission: server.URL})...)
			c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return l, nil }
			_, err = c.Send(t.Context(), uri.MustParse("mailto:a@b.example"), strings.NewReader("Subject: x\r\n\r\nx\r\n"),
				&fetch.Options{Set: map[string][]string{"mailto.from": {"me@x.example"}}})
			if !errors.Is(err, fetch.ErrRefusedURL) {
				t.Errorf("mailto with netrc's %q: got %v, want %s", [2]string{l.User, l.Password}, err, fetch.ErrRefusedURL)
			}
		}
	}
	if sent := strings.Join(server.Transcript(), "\n"); !strings.Contains(sent, "EHLO ") || strings.Contains(sent, "AUTH PLAIN ") {
		t.Errorf("got %s, want EHLO and not AUTH", sent)
	}
	if got, want := saslName("a,b=c"), "a=2Cb=3Dc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A lone CR within the header of a message is rejected: some servers treat it as the end of a line, which would hide a Bcc from us.
func TestPromise3LinesOfMessages(t *testing.T) {
	for _, head := range []string{"Subject: a\rBcc: x@y.example\r\n", "Subject: a\r\n b\rBcc: x@y.example\n", "A: b\x00\n"} {
		if m, err := complete(strings.NewReader(head+"From: a@b.example\r\n\r\nx"), ""); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("%q: got %+v, %v, want %s", head, m, err, fetch.ErrLocal)
		}
	}
	m, err := complete(strings.NewReader("From: a@b.example\r\nBcc: x@y.example\r\n\r\na\r.\rb\n.c"), "")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	io.Copy(lineproto.NewTextWriter(&b), m.reader())
	if got := b.String(); strings.Contains(got, "Bcc") || !strings.HasSuffix(got, "\r\n\r\na\r\n.\r\nb\r\n.c") {
		t.Errorf("got %q, want every line with its CRLF, and no Bcc", got)
	}
}

// The library may only send the planned command, once and whole.
func TestPromise3CommandsOfTheLibrary(t *testing.T) {
	for x, good := range map[[2]string]bool{
		{"LOGIN", "T1 LOGIN a b\r\nT2 LOGIN a b\r\n"}:              false,
		{"LOGIN", "T1 LOGIN {3+}\r\na\r\n {1}\r\nb\r\n"}:           true,
		{"AUTHENTICATE", "T1 AUTHENTICATE PLAIN AAA=\r\n"}:         true,
		{"AUTHENTICATE", "T1 AUTHENTICATE PLAIN\r\nAGE=\r\n*\r\n"}: true,
		{"LOGIN", "T1 LOGIN a b\nT2 EXAMINE INBOX\r\n"}:            false,
		{"LOGIN", "T1 LOGIN a b\r\nX STORE 1\r\n"}:                 false,
		{"LOGIN", "T1 LOGIN a b\r\nT2 STORE 1 x\r\n"}:              false,
		{"", "T1 CAPABILITY\r\n"}:                                  false,
		{"EXAMINE", "T1 EXAMINE INBOX\r\n"}:                        true,
		{"EXAMINE", "T1 EXAMINED INBOX\r\n"}:                       false,
		{"EXAMINE", "T1 SELECT INBOX\r\n"}:                         false,
		{"EXAMINE", "T1 EXAMINE a\rb\r\n"}:                         false,
		{"EXAMINE", "T1 EXAMINE a\x00b\r\n"}:                       false,
		{"LOGIN", "T1 LOGIN a b\r\nAGE=\r\n"}:                      false,
		{"UID FETCH", "T1 UID FETCH 1 (UID)\r\n"}:                  true,
		{"EXAMINE", "T1 EXAMINE {1}\r\nab\r\nT2 DELETE\r\n"}:       false,
	} {
		for n := 1; n <= len(x[1]); n += 5 {
			o, rest, err := outgoing{planned: x[0]}, x[1], error(nil)
			for rest != "" && err == nil {
				k := min(n, len(rest))
				err = o.next([]byte(rest[:k]))
				rest = rest[k:]
			}
			if (err == nil) != good || err != nil && fetch.KindOf(err) != fetch.ErrProtocol {
				t.Errorf("%q by %d: got %v, want good %v", x, n, err, good)
			}
		}
	}
}

// Whatever a value of the URI, of a login or of a server's mailbox contains, an IMAP server gets the announced commands, each once and in
// order, and no others.
func TestPromise3CommandsOfIMAP(t *testing.T) {
	for _, end := range []string{"", "\r\n", "\n", "\r", "\x00", `"`, `\`, "\t", "\x01", "{5}", "{5+}\r\n", "\xff", "*", ")", "%"} {
		value := "a" + end + "T9 DELETE INBOX"
		escaped := uri.EscapeBut(value, "-._~")
		login := fetch.Login{User: value, Password: value, Set: true}
		for _, c := range []struct {
			uri   string
			o     fetch.Options
			known bool
		}{
			{uri: "imap://u:p@127.0.0.1/" + escaped},
			{uri: "imap://u:p@127.0.0.1/INBOX?" + escaped},
			{uri: "imap://u:p@127.0.0.1/INBOX", o: fetch.Options{Search: []string{value}}},
			{uri: "imap://u:p@127.0.0.1/INBOX/;UID=1/;SECTION=" + escaped},
			{uri: "imap://" + escaped + ":" + escaped + "@127.0.0.1/INBOX"},
			{uri: "imap://" + escaped + ";AUTH=PLAIN:" + escaped + "@127.0.0.1/INBOX"},
			{uri: "imap://u;AUTH=" + escaped + ":p@127.0.0.1/INBOX"},
			{uri: "imap://127.0.0.1/INBOX", o: fetch.Options{Login: login}},
			{uri: "mid:" + escaped + "@h.example", known: true},
			{uri: "mid:x@h.example"},
			{uri: "mailto:" + escaped + "@h.example"},
			{uri: "mailto:x@h.example", known: true},
		} {
			u, err := uri.Parse(c.uri)
			if err != nil {
				continue
			}
			s := &imapPeer{mailbox: value}
			client := fetch.New(Schemes(&Config{Sources: []Source{{URI: "imap://127.0.0.1/"}}})...)
			client.Dialer, client.Timeouts.Idle = s.dial, 300*time.Millisecond
			if client.Logins = nil; c.known {
				client.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return login, nil }
			}
			var announced []string
			c.o.Trace = func(e fetch.Event) {
				if e.Step != nil {
					announced = append(announced, e.Step.Verb)
				}
			}
			if d, _ := client.Get(t.Context(), u, &c.o); d != nil {
				if d.Entries != nil {
					for range d.Entries {
					}
				}
				io.Copy(io.Discard, d.Body)
				d.Body.Close()
			}
			client.Close()
			got, want := sequence(s.commands()), sequence(announced)
			if !slices.Equal(got, want[:min(len(got), len(want))]) || len(want) > len(got)+1 { // the last may have been rejected
				t.Errorf("%s, %q known %v: got the commands %q, want %q", c.uri, value, c.known, got, want)
			}
		}
	}
}

// sequence omits CAPABILITY, which the library also sends after a login, and repeated FETCH commands.
func sequence(verbs []string) []string {
	return slices.Compact(slices.DeleteFunc(verbs, func(v string) bool { return v == "CAPABILITY" }))
}

// imapPeer is a server that parses commands by the grammar of RFC 9051 only.
type imapPeer struct {
	mailbox string
	verbs   []string
	done    chan struct{}
}

func (s *imapPeer) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	theirs.SetDeadline(time.Now().Add(2 * time.Second))
	before, done := s.done, make(chan struct{})
	s.done = done
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		defer theirs.Close()
		s.serve(theirs)
	}()
	return ours, nil
}

func (s *imapPeer) commands() []string {
	if s.done != nil {
		<-s.done
	}
	return s.verbs
}

func (s *imapPeer) serve(c net.Conn) {
	in := bufio.NewReader(c)
	io.WriteString(c, "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] hello\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		tag, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		for part := rest; ; { // a literal, and the rest of the command on the next line
			size, ok := literal(part)
			if !ok {
				break
			}
			io.WriteString(c, "+ go\r\n")
			if _, err := io.CopyN(io.Discard, in, size); err != nil {
				return
			}
			if part, err = in.ReadString('\n'); err != nil {
				return
			}
			part = strings.TrimRight(part, "\r\n")
		}
		verb, args, _ := strings.Cut(rest, " ")
		if verb == "UID" {
			second, _, _ := strings.Cut(args, " ")
			verb += " " + second
		}
		if strings.ContainsAny(strings.TrimSuffix(line, "\r\n"), "\r\n\x00") || !strings.HasSuffix(line, "\r\n") {
			verb += " with a line end in it"
		}
		s.verbs = append(s.verbs, verb)
		switch verb {
		case "CAPABILITY":
			io.WriteString(c, "* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n")
		case "LIST":
			fmt.Fprintf(c, "* LIST () \"/\" {%d}\r\n%s\r\n* LIST () \"/\" INBOX\r\n", len(s.mailbox), s.mailbox)
		case "EXAMINE":
			io.WriteString(c, "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n")
		case "UID SEARCH":
			io.WriteString(c, "* SEARCH\r\n")
		case "UID FETCH":
			fmt.Fprintf(c, "%s NO not there\r\n", tag)
			continue
		}
		if _, err := fmt.Fprintf(c, "%s OK done\r\n", tag); err != nil {
			return
		}
	}
}

// literal parses {n} or {n+} at the end of a line.
func literal(line string) (int64, bool) {
	i := strings.LastIndexByte(line, '{')
	if i < 0 || !strings.HasSuffix(line, "}") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(line[i+1:len(line)-1], "+"), 10, 32)
	return n, err == nil
}
