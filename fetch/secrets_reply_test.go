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

// The fields of a Document do not change, whatever word the password is, or the name of the user in a secret step.
func TestPromise7CommonWordsInDocuments(t *testing.T) {
	h := changed("This is the lab.\n", func(_ *fetch.Plan, d *fetch.Document) {
		d.Type, d.TypeReason, d.Protocol, d.Status, d.Reason = "text/html", "Content-Type", "HTTP/1.1", 200, "OK"
		d.Header = textproto.MIMEHeader{"Content-Type": {"text/html"}, "X-Said": {"text, html and y"}, "From": {"x@h.example"}}
	})
	for _, word := range []string{"text", "html", "y", "T", "OK", "1", "Content-Type", "HTTP", "lab"} {
		o := &fetch.Options{Login: fetch.Login{User: "x", Password: word, Set: true}}
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Steps: []fetch.Step{{Verb: "LOGIN", Args: []string{"x", word}, Secret: true}}}, nil
		}
		d := mustGet(t, fetch.New(scheme("a", h)), "a://h/", o)
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		if err != nil || string(b) != "This is the lab.\n" || d.Type != "text/html" || d.TypeReason != "Content-Type" ||
			d.Protocol != "HTTP/1.1" || d.Reason != "OK" || d.Header.Get("Content-Type") != "text/html" || d.Header.Get("From") != "x@h.example" {
			t.Errorf("%q: %q, %v, %+v", word, b, err, d)
		}
		if word == "html" && d.Header.Get("X-Said") != "text, *** and y" {
			t.Errorf("%q is shown in %q", word, d.Header.Get("X-Said"))
		}
	}
}

// A trace contains documents unchanged, and the server's replies without secrets, even if both arrive in one piece. The Recorder is
// notified once that a document repeats a secret.
func TestPromise7TracesOfDocuments(t *testing.T) {
	const secret = "T0ken-Abcdef"
	for _, tt := range []struct {
		name, sent, want string
		rec              fetch.RecordMode
		repeated         int
	}{
		{"lines", "200 " + secret + "\nfirst " + secret + "\nlast " + secret, "200 ***\nfirst " + secret + "\nlast " + secret, fetch.RecordLines,
			1},
		{"texts", "200 " + secret + "\nfirst " + secret + "\n", "200 " + secret + "\nfirst " + secret + "\n", fetch.RecordTexts, 1},
		{"octets", "200 x\n" + secret, "200 x\n" + secret, fetch.RecordOctets, 1},
		{"a head", "200 x\r\nX: " + secret + "\r\n\r\n" + secret + "\n" + secret, "200 x\r\nX: ***\r\n\r\n" + secret + "\n" + secret,
			fetch.RecordHead, 1},
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
		for _, e := range tr.all {
			if e.Dir == fetch.FromServer && strings.Contains(string(e.Data), secret) && !e.Body {
				t.Errorf("%s: %q is not marked as of a document", tt.name, e.Data)
			}
		}
		if got := tr.data(fetch.FromServer); got != tt.want || times != tt.repeated {
			t.Errorf("%s: %q, told %d times; want %q, %d", tt.name, got, times, tt.want, tt.repeated)
		}
	}
}

// A step of the Plan that is not secret appears unchanged in the trace, since its words are those of the URI.
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
	if _, err := get(t, parroting(h, 100), "a://h/",
		&fetch.Options{Trace: tr.take, Login: fetch.Login{User: "u", Password: "lab", Set: true}}); err != nil {
		t.Fatal(err)
	}
	if got, want := tr.data(fetch.FromClient), "PASS ***\r\nCWD lab\r\nCWD ***2 ***\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
