package fetch_test

import (
	"context"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// What a server repeats is blanked in its replies and headers. A secret that may be an ordinary word changes none of what steers a conversation.
func TestPromise7SecretsInReplies(t *testing.T) {
	for _, tt := range []struct{ secret, line, want string }{
		{"html", "Content-Type: text/html; charset=utf-8\r\n", "Content-Type: text/html; charset=utf-8\r\n"},
		{"text", "content-type: text/plain\r\n", "content-type: text/plain\r\n"},
		{"y", "Content-Type: y/y\r\n", "Content-Type: y/y\r\n"},
		{"application", "Content-Type: application/json\r\n", "Content-Type: application/json\r\n"},
		{"gzip", "Content-Encoding: gzip\r\n", "Content-Encoding: gzip\r\n"},
		{"12", "Content-Length: 12\r\n", "Content-Length: 12\r\n"},
		{"chunked", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n"},
		{"lab", "Location: http://lab.example/lab\r\n", "Location: http://lab.example/lab\r\n"},
		{"lab", "Content-Disposition: attachment; filename=lab.pdf\r\n", "Content-Disposition: attachment; filename=lab.pdf\r\n"},
		{"Basic", "WWW-Authenticate: Basic realm=\"Basic\"\r\n", "WWW-Authenticate: Basic realm=\"***\"\r\n"},
		{"e", "X-Yellow: lemon, e, tree\r\n", "X-Yellow: lemon, ***, tree\r\n"},
		{"OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n"},
		{"403", "HTTP/1.1 403 no 403 here\r\n", "HTTP/1.1 403 no *** here\r\n"},
		{"lab", "HTTP/1.1 403 not with lab\r\n", "HTTP/1.1 403 not with ***\r\n"},
		{"Passive", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n"},
		{"127", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n", "227 Entering Passive Mode (127,0,0,1,4,1)\r\n"},
		{"530", "530 Login incorrect: 530\r\n", "530 Login incorrect: ***\r\n"},
		{"lab", "530 lab, labs and collab\r\n", "530 ***, labs and collab\r\n"},
		{"PLAIN", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n", "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"},
		{"lab", "* NO lab is wrong\r\n", "* NO *** is wrong\r\n"},
		{"~", "X-Told: ann:~\r\n", "X-Told: ann:***\r\n"},
		// A secret that is no ordinary word is blanked wherever it stands.
		{"T0ken-Abc", "Content-Type: xT0ken-Abcx\r\n", "Content-Type: x***x\r\n"},
		{"T0ken-Abc", "X-T0ken-Abc: 1\r\n", "X-***: 1\r\n"},
		{"T0ken-Abc", "Location: http://h/?T0ken-Abc\r\n", "Location: http://h/?***\r\n"},
		{"T0ken-Abc", "HTTP/1.1 200 T0ken-Abc\r\n", "HTTP/1.1 200 ***\r\n"},
		{"T0ken-Abc", "230 hello T0ken-Abc\r\n", "230 hello ***\r\n"},
		{"open sesame", "331 User open sesame\r\n", "331 User ***\r\n"},
		{"OpenSesame", "200 OpenSesame\r\n", "200 ***\r\n"},
		{"correcthorsebattery", "200 correcthorsebattery\r\n", "200 ***\r\n"},
	} {
		var s fetch.Secrets
		s.Add(tt.secret)
		if got := s.MaskReply(tt.line); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.secret, tt.line, got, tt.want)
		}
	}
}

// The fields of a Document say what they said, whatever word the password is.
func TestPromise7CommonWordsInDocuments(t *testing.T) {
	h := giving("")
	h.run = func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader("This is the lab.\n")))
		d.Type, d.TypeReason, d.Protocol, d.Status, d.Reason = "text/html", "Content-Type", "HTTP/1.1", 200, "OK"
		d.Header = textproto.MIMEHeader{"Content-Type": {"text/html"}, "X-Said": {"text, html and y"}}
		return d, nil
	}
	for _, word := range []string{"text", "html", "y", "T", "OK", "1", "Content-Type", "HTTP", "lab"} {
		d, err := get2(t, fetch.New(scheme("a", h)), word)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		if err != nil || string(b) != "This is the lab.\n" || d.Type != "text/html" || d.TypeReason != "Content-Type" || d.Protocol != "HTTP/1.1" || d.Reason != "OK" || d.Header.Get("Content-Type") != "text/html" {
			t.Errorf("%q: %q, %v, %+v", word, b, err, d)
		}
		if word == "html" && d.Header.Get("X-Said") != "text, *** and y" {
			t.Errorf("%q is shown in %q", word, d.Header.Get("X-Said"))
		}
	}
}

func get2(t *testing.T, c *fetch.Client, password string) (*fetch.Document, error) {
	t.Helper()
	return c.Get(t.Context(), uri.MustParse("a://h/"), &fetch.Options{Login: fetch.Login{User: "x", Password: password, Set: true}})
}

// A trace has documents as they came: the lines of a stream and the octets of a server. It has the server's replies without secrets, also where
// both come in one piece. Whoever records is told once that a document repeats a secret.
func TestPromise7TracesOfDocuments(t *testing.T) {
	const secret = "T0ken-Abcdef"
	for _, tt := range []struct {
		name, sent, want string
		rec              fetch.RecordMode
		repeated         int
	}{
		{"lines", "200 " + secret + "\nfirst " + secret + "\nlast " + secret, "200 ***\nfirst " + secret + "\nlast " + secret, fetch.RecordLines, 1},
		{"texts", "200 " + secret + "\nfirst " + secret + "\n", "200 " + secret + "\nfirst " + secret + "\n", fetch.RecordTexts, 1},
		{"octets", "200 x\n" + secret, "200 x\n" + secret, fetch.RecordOctets, 1},
		{"a head", "200 x\r\nX: " + secret + "\r\n\r\n" + secret + "\n" + secret, "200 x\r\nX: ***\r\n\r\n" + secret + "\n" + secret, fetch.RecordHead, 1},
		{"none", "200 " + secret + "\nfirst\n", "200 ***\nfirst\n", fetch.RecordLines, 0},
	} {
		s := listen(t, tt.sent)
		h := probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			c, err := env.Dial(ctx, "tcp", net.JoinHostPort("127.0.0.1", s.port()), &fetch.DialOptions{Record: tt.rec})
			if err != nil {
				return nil, err
			}
			c.BeginReply()
			if _, err := c.ReadLine(); err != nil {
				return nil, err
			}
			c.BeginBody()
			return fetch.NewDocument(c), nil
		}}
		c := fetch.New(scheme("a", h))
		times := 0
		c.Repeated = func(u uri.URI) { times++ }
		var tr traced
		if _, err := get(t, c, "a://h/", &fetch.Options{Trace: tr.take, Login: fetch.Login{User: "u", Password: secret, Set: true}}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var b strings.Builder
		for _, e := range tr.all {
			if e.Dir == fetch.FromServer {
				b.Write(e.Data)
				if strings.Contains(string(e.Data), secret) && !e.Body {
					t.Errorf("%s: %q is not marked as of a document", tt.name, e.Data)
				}
			}
		}
		if b.String() != tt.want || times != tt.repeated {
			t.Errorf("%s: %q, told %d times; want %q, %d", tt.name, b.String(), times, tt.want, tt.repeated)
		}
	}
}

// A step of the Plan that is no secret stands in the trace as the server is sent it: its words are the URI's own.
func TestPromise7CommonWordsInCommands(t *testing.T) {
	steps := []fetch.Step{{Verb: "CWD", Args: []string{"lab"}}, {Verb: "PASS", Args: []string{"lab"}, Secret: true}}
	h := probe{plan: func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		addr, err := u.HostPort(7000)
		return &fetch.Plan{Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Steps: steps}, err
	}, run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
		if err != nil {
			return nil, err
		}
		defer c.Close()
		_, err = io.WriteString(c.Unchecked(), "PASS lab\r\nCWD lab\r\nCWD lab2 lab\r\n")
		return fetch.NewDocument(nil), err
	}}
	var tr traced
	if _, err := get(t, fetch.New(scheme("a", h)), "a://"+parrot(t, 100)+"/", &fetch.Options{Trace: tr.take, Login: fetch.Login{User: "u", Password: "lab", Set: true}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range tr.all {
		if e.Dir == fetch.FromClient {
			b.Write(e.Data)
		}
	}
	if want := "PASS ***\r\nCWD lab\r\nCWD ***2 ***\r\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
