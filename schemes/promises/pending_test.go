package promises_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

const (
	ftpScript = `
*: [connected to 127.0.0.1:21]
S: 220 ready
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE a
C: MDTM a
C: EPSV
C: RETR a
S: 331 Any password
S: 230 Logged in
S: 200 IMAGE
S: 550 no SIZE
S: 213 19941220120000
S: 229 Entering Extended Passive Mode (|||2121|)
*2: [connected to 127.0.0.1:2121]
S: 150 Opening
S2: a\n\
*2: [end]
S: 226 Transfer complete
C: QUIT
`
	newsScript = `
*: [connected to 127.0.0.1:119]
S: 200 ready
C: CAPABILITIES
S: 101 Capability list:
S: VERSION 2
S: READER
S: .
C: ARTICLE <a@b>
S: 220 0 <a@b>
S: From: a@b
S:
S: text
S: .
`
	dictScript = `
*: [connected to 127.0.0.1:2628]
C: CLIENT deref
C: DEFINE ! a
C: QUIT
S: 220 ready <auth> <1@h>
S: 250 ok
S: 150 1 definitions
S: 151 a web "the Web"
S: text
S: .
S: 250 ok
S: 221 bye
`
	httpScript = `
*: [connected to 127.0.0.1:80]
C: GET /a HTTP/1.1
C: Host: h
C: User-Agent: deref
C: Accept: */*
C:
S: HTTP/1.1 200 OK
S: Content-Length: 5
S:
S: abc
`
	fingerScript = `
*: [connected to 127.0.0.1:79]
C: a
S: text
*: [end]
`
	ldapScript = `
*: [connected to 127.0.0.1:389]
S: x
`
	imapScript = `
*: [connected to 127.0.0.1:143]
S: * OK ready
C: D1 CAPABILITY
S: * CAPABILITY IMAP4rev1
S: D1 OK
C: D2 LOGIN user secret
S: D2 OK
`
	smtpScript = `
*: [connected to 127.0.0.1:587]
S: 220 ready
C: EHLO [127.0.0.1]
S: 250-h
S: 250 SIZE
C: MAIL FROM:<a@b>
S: 250 ok
C: RCPT TO:<b@c>
S: 250 ok
C: DATA
S: 354 go on
S: 250 ok
`
)

// stalledAt returns the script in which the server is silent before its first line that begins with at.
func stalledAt(t *testing.T, script, at string) *dialogue.Script {
	t.Helper()
	var b strings.Builder
	found := at == ""
	for line := range strings.Lines(script) {
		if !found && strings.HasPrefix(line, at) {
			dir, _, _ := strings.Cut(line, ":")
			b.WriteString("*" + dir[1:] + ": [delay 999s]\n")
			found = true
		}
		b.WriteString(line)
	}
	s, err := dialogue.Parse(b.String())
	if err != nil || !found {
		t.Fatalf("got %v and a line %q: %v, want a script with it", err, at, found)
	}
	return s
}

// A timeout names what was pending, whatever the protocol is: as a value, and in the text. That holds for the deadline of one wait, and for
// the deadline of the request.
func TestTimeoutsNameWhatWasPending(t *testing.T) {
	for _, tt := range []struct {
		uri, script, at string
		op              fetch.Op
		want            string
	}{
		{"ftp://h/a", ftpScript, "S: 220", fetch.Retrieve, "greeting"},
		{"ftp://h/a", ftpScript, "S: 331", fetch.Retrieve, "reply to USER"},
		{"ftp://h/a", ftpScript, "S: 150", fetch.Retrieve, "reply to RETR"},
		{"ftp://h/a", ftpScript, "S2: a", fetch.Retrieve, "document"},
		{"ftp://h/a", ftpScript, "S: 226", fetch.Retrieve, "final reply to RETR"},
		{"news://h/a@b", newsScript, "S: 200", fetch.Retrieve, "greeting"},
		{"news://h/a@b", newsScript, "S: 101", fetch.Retrieve, "reply to CAPABILITIES"},
		{"news://h/a@b", newsScript, "S: 220", fetch.Retrieve, "reply to ARTICLE"},
		{"news://h/a@b", newsScript, "S: text", fetch.Retrieve, "reply to ARTICLE"}, // the article is read with its reply
		{"dict://h/d:a", dictScript, "S: 220", fetch.Retrieve, "greeting"},
		{"dict://h/d:a", dictScript, "S: 250", fetch.Retrieve, "reply to CLIENT"},
		{"dict://h/d:a", dictScript, "S: 150", fetch.Retrieve, "reply to DEFINE"},
		{"http://h/a", httpScript, "S: HTTP", fetch.Retrieve, "reply to GET"},
		{"http://h/a", httpScript, "S: Content", fetch.Retrieve, "reply to GET"},
		{"http://h/a", httpScript, "S: abc", fetch.Retrieve, "document"},
		{"finger://h/a", fingerScript, "S: text", fetch.Retrieve, "reply"},
		{"ldap://h/", ldapScript, "S: x", fetch.Retrieve, "reply to bind"},
		{"imap://user:secret@h/INBOX", imapScript, "S: * OK", fetch.Retrieve, "greeting"},
		{"imap://user:secret@h/INBOX", imapScript, "S: * CAP", fetch.Retrieve, "reply to CAPABILITY"},
		{"imap://user:secret@h/INBOX", imapScript, "S: D2", fetch.Retrieve, "reply to LOGIN"},
		{"mailto:b@c", smtpScript, "S: 220", fetch.Send, "greeting"},
		{"mailto:b@c", smtpScript, "S: 250-h", fetch.Send, "reply to EHLO"},
		{"mailto:b@c", smtpScript, "S: 354", fetch.Send, "reply to DATA"},
	} {
		for name, tune := range map[string]func(*fetch.Client){
			"idle":  func(c *fetch.Client) { c.Timeouts.Idle = 10 * time.Second },
			"total": func(c *fetch.Client) { c.Timeouts.Total, c.Timeouts.Idle = 10*time.Second, -1 },
		} {
			if name == "idle" && strings.HasPrefix(tt.want, "reply to ARTICLE") {
				continue // is requested again on another connection, of which the script has none
			}
			t.Run(tt.uri+" "+tt.at+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := dialogue.NoFaults()
					o.Loose = true // the steps themselves are tested elsewhere
					p, err := dialogue.NewPlayer(stalledAt(t, tt.script, tt.at), &o)
					if err != nil {
						t.Fatal(err)
					}
					c := fetch.New(schemes.All(&schemes.Config{Mail: &mail.Config{Submission: "smtp://h", From: "a@b"}})...)
					p.Attach(c)
					tune(c)
					err = dereference(t.Context(), c, tt.uri, tt.op)
					c.Close()
					p.Close()
					wantPending(t, err, tt.want)
				})
			})
		}
	}
}

func dereference(ctx context.Context, c *fetch.Client, u string, op fetch.Op) error {
	if op == fetch.Send {
		_, err := c.Send(ctx, uri.MustParse(u), nil, nil)
		return err
	}
	d, err := c.Get(ctx, uri.MustParse(u), nil)
	if err != nil {
		return err
	}
	defer d.Body.Close()
	_, err = io.Copy(io.Discard, d.Body)
	return err
}

func wantPending(t *testing.T, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.ErrTimeout || e.Pending.String() != want || !strings.Contains(e.Text, want) {
		t.Errorf("got %v, pending %q, want a timeout with the pending %q, also in its text", err, pendingOf(e), want)
	}
}

func pendingOf(e *fetch.Error) string {
	if e == nil {
		return ""
	}
	return e.Pending.String()
}

// Connecting and the data connection, where there is no script to stall.
func TestTimeoutsNameTheConnection(t *testing.T) {
	for _, tt := range []struct {
		host bool // the server's own connection, not the one for data
		want string
	}{{true, "connection"}, {false, "data connection"}} {
		synctest.Test(t, func(t *testing.T) {
			p, err := dialogue.NewPlayer(stalledAt(t, ftpScript, ""), &dialogue.PlayerOptions{Loose: true, CutAfter: -1, StallAfter: -1, CorruptAt: -1})
			if err != nil {
				t.Fatal(err)
			}
			c := fetch.New(schemes.All(nil)...)
			c.Timeouts.Total = 10 * time.Second
			p.Attach(c)
			dial := c.Dialer
			c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if _, port, _ := net.SplitHostPort(addr); (port == "21") == tt.host {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return dial(ctx, network, addr)
			}
			err = dereference(t.Context(), c, "ftp://h/a", fetch.Retrieve)
			c.Close()
			p.Close()
			wantPending(t, err, tt.want)
		})
	}
}
