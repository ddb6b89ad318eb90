package mail_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

func outbox(t *testing.T, o *mailtest.Options) *mailtest.Outbox {
	t.Helper()
	b, err := mailtest.ListenSMTP(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func send(t *testing.T, b *mailtest.Outbox, u string, msg io.Reader, o *fetch.Options) (*fetch.Receipt, error) {
	t.Helper()
	c := fetch.New(mail.Schemes(&mail.Config{Submission: b.URL, From: "me@here.example"})...)
	defer c.Close()
	c.TLS = &tls.Config{RootCAs: b.Roots()}
	return c.Send(t.Context(), uri.MustParse(u), msg, o)
}

func TestSendFromURI(t *testing.T) {
	for name, o := range map[string]*mailtest.Options{"clear": nil, "TLS": {TLS: true}, "STARTTLS": {StartTLS: true, PasswordsTLS: true}} {
		b := outbox(t, o)
		r, err := send(t, b,
			"mailto:bob@lab.test,nobody@lab.test?subject=caf%C3%A9&cc=%C3%84nn%20%3Cc@d.example%3E&body=one%0a.%0aMAIL%20FROM:%3Cevil@x%3E%0d%0A.%0Dgr%C3%BCn&bcc=v@x&from=e@x&x-y=z",
			nil, &fetch.Options{Login: ann})
		if err != nil || len(r.Accepted) != 3 || len(r.Refused) != 1 || r.Refused["nobody@lab.test"] == "" {
			t.Fatalf("%s: got %v %+v, want three recipients accepted and nobody refused\n%s", name, err, r, b.Transcript())
		}
		list := b.Messages()
		if len(list) != 1 || list[0].From != "me@here.example" || strings.Join(list[0].To, " ") != "bob@lab.test c@d.example v@x" {
			t.Fatalf("%s: got %+v, want one message from me@here.example to bob@lab.test, c@d.example and v@x", name, list)
		}
		text := list[0].Text
		for _, want := range []string{"From: <me@here.example>\r\n", "Subject: =?utf-8?q?caf=C3=A9?=\r\n", "Cc: =?utf-8?q?=C3=84nn?= <c@d.example>\r\n",
			"Date: ", "Message-ID: <", "MIME-Version: 1.0\r\n",
			"\r\n\r\none\r\n.\r\nMAIL FROM:<evil@x>\r\n.\r\ngr=C3=BCn\r\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "v@x") || strings.Contains(text, "e@x") && !strings.Contains(text, "<evil@x>") ||
			strings.Contains(strings.ToLower(text), "x-y") {
			t.Errorf("%s: got unsafe fields, want none in\n%s", name, text)
		}
	}
}

func TestSendMessage(t *testing.T) {
	b := outbox(t, nil)
	_, err := send(t, b, "mailto:bob@lab.test", strings.NewReader("Subject: x\nBcc: secret@x,\n more@x\nResent-Bcc: more@x\nMessage-ID: <own@x>\n\n.dot\n..\n"+
		"end"), nil)
	if err != nil || len(b.Messages()) != 1 {
		t.Fatal(err)
	}
	text := b.Messages()[0].Text
	if !strings.HasPrefix(text, "Subject: x\r\nMessage-ID: <own@x>\r\nFrom: <me@here.example>\r\nDate: ") ||
		!strings.HasSuffix(text, "\r\n\r\n.dot\r\n..\r\nend\r\n") || strings.Contains(text, "more@x") {
		t.Errorf("got %q, want the added fields, all dots, and no Bcc", text)
	}
	for bad, want := range map[string]fetch.Kind{"no header\n\nx": fetch.ErrLocal, "Subject : x\n:y\n\n": fetch.ErrLocal, " first\nSubject: x\n\n": fetch.ErrLocal,
		strings.Repeat("X: y\n", 100000): fetch.ErrLimit} {
		if _, err := send(t, b, "mailto:bob@lab.test", strings.NewReader(bad), nil); fetch.KindOf(err) != want {
			t.Errorf("%.40q: got %v, want %v", bad, err, want)
		}
	}
	if n := len(b.Messages()); n != 1 {
		t.Errorf("got %d messages, want 1", n)
	}
}

func TestSendManners(t *testing.T) {
	set := func(k, v string) map[string][]string { return map[string][]string{k: {v}} }
	for _, c := range []struct {
		name   string
		server *mailtest.Options
		to     string
		o      fetch.Options
		kind   fetch.Kind
		not    string
	}{
		{"all refused", nil, "nobody@x", fetch.Options{}, fetch.ErrRefused, "DATA"},
		{"TLS required, not offered", nil, "bob@x", fetch.Options{Set: set("mailto.ssl", "require")}, fetch.ErrTLS, "MAIL"},
		{"TLS required", &mailtest.Options{StartTLS: true}, "bob@x", fetch.Options{Set: set("mailto.ssl", "require")}, "", ""},
		{"password required", &mailtest.Options{StartTLS: true, PasswordsTLS: true}, "bob@x", fetch.Options{}, fetch.ErrAuth, "DATA"},
		{"no password without TLS", &mailtest.Options{PasswordsTLS: true}, "bob@x", fetch.Options{Login: ann}, fetch.ErrAuth, "AUTH PLAIN"},
		{"wrong password", nil, "bob@x", fetch.Options{Login: fetch.Login{User: "ann", Password: "no", Set: true}}, fetch.ErrAuth, "MAIL"},
		{"dry run", nil, "bob@x", fetch.Options{Set: set("mailto.dry-run", "yes")}, "", "EHLO"},
		{"no sender", nil, "bob@x", fetch.Options{Set: set("mailto.from", "x y")}, fetch.ErrLocal, "EHLO"},
		{"beyond US-ASCII", nil, "b%C3%BC@x", fetch.Options{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := outbox(t, c.server)
			_, err := send(t, b, "mailto:"+c.to+"?subject=x", nil, &c.o)
			if fetch.KindOf(err) != c.kind || c.not != "" && strings.Contains(strings.Join(b.Transcript(), "\n"), c.not) {
				t.Errorf("got %v, want %q, and no %q\n%s", err, c.kind, c.not, b.Transcript())
			}
		})
	}
}

// TestLostReply loses the reply to a message, which may have been accepted: the outcome is unknown, and it is not sent again.
func TestLostReply(t *testing.T) {
	addr, calls := smtpServer(t, "250 x", "")
	c := fetch.New(mail.Schemes(&mail.Config{Submission: addr, From: "a@b"})...)
	defer c.Close()
	_, err := c.Send(t.Context(), uri.MustParse("mailto:x@y?body=z"), nil, nil)
	if fetch.KindOf(err) != fetch.ErrTransfer || !strings.Contains(err.Error(), "unknown whether accepted") || len(calls) != 1 {
		t.Errorf("got %v, %d connections, want %v, with %q, and 1", err, len(calls), fetch.ErrTransfer, "unknown whether accepted")
	}
}

// TestOldServer sends US-ASCII to a server without extensions, and nothing that does not fit into it.
func TestOldServer(t *testing.T) {
	for in, want := range map[string]string{
		"Subject: grün\n\ngrün\n":                                   "\r\n\r\ngr=C3=BCn\r\n.\r\n",
		"MIME-Version: 1.0\n\ngrün\n":                               "",
		"To: jörg@x\n\ny\n":                                         "",
		"Resent-To: jörg <j@x>\n\ny\n":                              "Resent-To: =?utf-8?q?j=C3=B6rg?= <j@x>\r\n",
		"Content-Type: text/plain; name=\"grün\"\n\ny\n":            "\r\nContent-Type: text/plain; name*=utf-8''gr%C3%BCn\r\n",
		"Content-Type: text/plain; grün\n\ny\n":                     "",
		"MIME-Version: 1.0\nContent-Transfer-Encoding: 8bit\n\nü\n": "",
	} {
		addr, transcripts := smtpServer(t, "250 x", "250 ok")
		c := fetch.New(mail.Schemes(&mail.Config{Submission: addr, From: "a@b"})...)
		_, err := c.Send(t.Context(), uri.MustParse("mailto:x@y"), strings.NewReader(in), nil)
		c.Close()
		text := <-transcripts
		if want == "" && (fetch.KindOf(err) != fetch.ErrRefused || strings.Contains(text, "\r\n.\r\n")) || want != "" &&
			(err != nil || !strings.Contains(text, want)) {
			t.Errorf("%q: got %v, want %q\n%s", in, err, want, text)
		}
		if strings.IndexFunc(text, func(c rune) bool { return c >= 0x80 }) >= 0 {
			t.Errorf("%q: got 8-bit characters, want none in\n%s", in, text)
		}
	}
}

// smtpServer starts a server that replies to EHLO with ehlo, to a message with accepted, and to other commands with 250. It closes the
// connection instead of an empty reply. transcripts yields what each client has sent when its connection ends.
func smtpServer(t *testing.T, ehlo, accepted string) (addr string, transcripts <-chan string) {
	t.Helper()
	out := make(chan string, 10)
	s, err := loopback.Listen("", func(c net.Conn) {
		io.WriteString(c, "220 x\r\n")
		var all strings.Builder
		defer func() { out <- all.String() }()
		data := false
		for in := bufio.NewReader(c); ; {
			line, err := in.ReadString('\n')
			all.WriteString(line)
			reply := "250 x"
			switch {
			case err != nil:
				return
			case data && line != ".\r\n":
				continue
			case data:
				reply, data = accepted, false
			case line == "DATA\r\n":
				reply, data = "354 go", true
			case strings.HasPrefix(line, "EHLO"):
				reply = ehlo
			}
			if reply == "" {
				return
			}
			io.WriteString(c, reply+"\r\n")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Addr(), out
}

// TestHELO sends HELO to a server that refuses EHLO. Such a server offers no TLS: if TLS is required, nothing is sent.
func TestHELO(t *testing.T) {
	for ssl, kind := range map[string]fetch.Kind{"require": fetch.ErrTLS, "try": ""} {
		addr, transcripts := smtpServer(t, "502 what?", "250 ok")
		c := fetch.New(mail.Schemes(&mail.Config{Submission: addr, From: "a@b"})...)
		_, err := c.Send(t.Context(), uri.MustParse("mailto:x@y?body=z"), nil, &fetch.Options{Set: map[string][]string{"mailto.ssl": {ssl}}})
		c.Close()
		text := <-transcripts
		if fetch.KindOf(err) != kind || !strings.Contains(text, "\r\nHELO [127.0.0.1]\r\n") || strings.Contains(text, "MAIL") == (kind != "") {
			t.Errorf("%s: got %v, want %q, HELO, and MAIL only if it succeeds\n%s", ssl, err, kind, text)
		}
	}
}
