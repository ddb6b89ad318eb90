package mail_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/netip"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

// A client that is silent, or sends a byte now and then, is disconnected in the end.
func TestSMTPPatience(t *testing.T) {
	const idle = time.Minute
	for _, drips := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var memory fetchtest.Network
			b := loopback.Must(mailtest.ListenSMTP(&mailtest.Options{Network: &memory, Idle: idle}))
			defer b.Close()
			c, err := memory.Dial(t.Context(), "tcp", netip.Addr{}, b.Addr)
			if err != nil {
				t.Fatal(err)
			}
			var dripping sync.WaitGroup
			defer dripping.Wait()
			defer c.Close()
			if drips {
				dripping.Go(func() {
					for {
						if _, err := c.Write([]byte("N")); err != nil {
							return
						}
						time.Sleep(idle / 5)
					}
				})
			}
			began := time.Now()
			io.ReadAll(c) // until the server ends the session
			if took := time.Since(began); took != idle {
				t.Errorf("drips %v: got an end after %s, want %s", drips, took, idle)
			}
		})
	}
}

// TestSMTPCommands sends every command that a server must know (RFC 5321 section 4.5.1).
func TestSMTPCommands(t *testing.T) {
	b := outbox(t, nil)
	c, err := textproto.Dial("tcp", b.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, x := range []struct {
		line string
		code int
	}{
		{"", 220}, {"HELO me.example", 250}, {"EHLO me.example", 250}, {"VRFY tim", 252}, {"NOOP",
			250}, {"MAIL FROM:<a@site.example> SIZE=10 BODY=8BITMIME", 250},
		{"RCPT TO:<tim@site.example> NOTIFY=NEVER", 250}, {"RSET", 250}, {"DATA", 503}, {"XYZZY", 500}, {"QUIT", 221},
	} {
		if x.line != "" {
			if err := c.PrintfLine("%s", x.line); err != nil {
				t.Fatal(err)
			}
		}
		if code, text, err := c.ReadResponse(x.code); err != nil {
			t.Errorf("%q: %d %s, want %d", x.line, code, text, x.code)
		}
	}
}

// TestSubmissionAsksForLogin: a server that offers AUTH asks for a login, and again when it refuses one. A password that the user has set is
// not replaced, and a server that does not offer AUTH asks for nothing.
func TestSubmissionAsksForLogin(t *testing.T) {
	wrong := fetch.Login{User: ann.User, Password: "guess", Set: true}
	for _, tt := range []struct {
		name      string
		server    *mailtest.Options
		user      string // in the URI of the server
		o         fetch.Login
		answers   []fetch.Login
		questions int
		kind      fetch.Kind
	}{
		{name: "required", server: &mailtest.Options{StartTLS: true, PasswordsTLS: true}, answers: []fetch.Login{wrong, ann}, questions: 2},
		{name: "a named user", server: &mailtest.Options{StartTLS: true, PasswordsTLS: true}, user: ann.User, answers: []fetch.Login{wrong, ann}, questions: 2},
		{name: "not required", answers: nil, questions: 2}, // by each request, and then it goes on without
		{name: "wrong", answers: []fetch.Login{wrong}, questions: 2, kind: fetch.ErrAuth},
		{name: "not offered", server: &mailtest.Options{PasswordsTLS: true}, answers: []fetch.Login{ann}, kind: fetch.ErrAuth},
		{name: "given", o: ann},
		{name: "given, and wrong", o: wrong, answers: []fetch.Login{ann}, kind: fetch.ErrAuth},
	} {
		b := outbox(t, tt.server)
		server := b.URL
		if tt.user != "" {
			server = strings.Replace(server, "://", "://"+tt.user+"@", 1)
		}
		c := fetch.New(mail.Schemes(&mail.Config{Submission: server, From: "me@here.example"})...)
		c.TLS = &tls.Config{RootCAs: b.Roots()}
		var asked []fetch.LoginRequest
		c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
			asked = append(asked, r)
			if r.Attempt > len(tt.answers) {
				return fetch.Login{}, nil
			}
			return tt.answers[r.Attempt-1], nil
		}
		var err error
		for range 2 { // an accepted answer is known the second time
			if _, err = c.Send(t.Context(), uri.MustParse("mailto:bob@x?body=y"), nil, &fetch.Options{Login: tt.o}); err != nil {
				break
			}
		}
		c.Close()
		if fetch.KindOf(err) != tt.kind || len(asked) != tt.questions {
			t.Errorf("%s: got %v and the questions %+v, want the kind %q and %d\n%s", tt.name, err, asked, tt.kind, tt.questions, b.Transcript())
		}
		at := uri.MustParse(b.URL)
		for _, r := range asked {
			if r.Scheme != "smtp" || r.Host != "127.0.0.1" || r.Port != at.PortNumber(0) || !r.Asked || r.User != tt.user {
				t.Errorf("%s: got the question %+v, want one for %q of the server", tt.name, r, tt.user)
			}
		}
	}
}

// TestSourcesAskForLogin: an IMAP source asks for a login, which the protocol requires, and again when it refuses one.
func TestSourcesAskForLogin(t *testing.T) {
	s := serve(t, nil)
	c := client(t, s, &mail.Config{Sources: places(s.URL)})
	var asked []fetch.LoginRequest
	c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
		asked = append(asked, r)
		return fetch.Login{User: ann.User, Password: []string{"guess", ann.Password}[min(r.Attempt, 2)-1], Set: true}, nil
	}
	for range 2 { // the answer is known the second time
		if _, body, err := get(t, c, "mid:plain.1@site.example", nil); err != nil || body == "" { // refers to imap://ann@...
			t.Fatalf("got %q, %v, want a message", body, err)
		}
	}
	if len(asked) != 2 || asked[0].Asked || !asked[1].Asked || asked[1].Attempt != 2 || asked[1].Scheme != "imap" || asked[1].Port != uri.MustParse(s.URL).PortNumber(0) {
		t.Errorf("got the questions %+v, want two, the second because the server refused the first", asked)
	}
}

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}
