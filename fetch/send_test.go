package fetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A value that only a reply supplies passes the same check as the Plan's, directly before the socket: nothing of the write is sent or
// announced, the kind is that of a peer that breaks the protocol, and the message does not claim that nobody was contacted.
func TestPromise3SecondCheck(t *testing.T) {
	good, quoted := fetch.Step{Verb: "GROUP", Args: []string{"a.b"}}, fetch.Step{Verb: "SAY", Args: []string{`a"b`}}
	for _, end := range []string{"\r\n", "\n", "\r", "\x00"} {
		bad := fetch.Step{Verb: "GROUP", Args: []string{"a" + end + "QUIT"}}
		frame := func(b []byte, _ []fetch.Step) []byte { return append(b, "GROUP a"+end+"QUIT\r\n"...) }
		for name, send := range map[string]func(*fetch.Conn, *fetch.Env) error{
			"Send":       func(c *fetch.Conn, _ *fetch.Env) error { return c.Send(good, bad) },
			"verb":       func(c *fetch.Conn, _ *fetch.Env) error { return c.Send(fetch.Step{Verb: bad.Args[0]}) },
			"tail":       func(c *fetch.Conn, _ *fetch.Env) error { return c.Send(fetch.Step{Verb: "X", Tail: bad.Args}) },
			"form":       func(c *fetch.Conn, _ *fetch.Env) error { return c.SendAs(frame, good) },
			"more lines": func(c *fetch.Conn, _ *fetch.Env) error { return c.SendAs(doubled(fetch.Lines), good) },
			"SendBody":   func(c *fetch.Conn, _ *fetch.Env) error { _, err := c.SendBody(bad); return err },
			"Continue":   func(c *fetch.Conn, _ *fetch.Env) error { return c.Continue(bad.Args[0]) },
			"Announce":   func(_ *fetch.Conn, e *fetch.Env) error { return e.Announce(good, bad) },
			"grammar":    func(c *fetch.Conn, _ *fetch.Env) error { return c.Send(good, quoted) },
		} {
			var trace traced
			said, err := say(t, send, &trace)
			if !errors.Is(err, fetch.ErrProtocol) || !strings.Contains(fmt.Sprint(err), "value from the server") {
				t.Errorf("%s with %q: got %v, want %s about a value from the server", name, end, err, fetch.ErrProtocol)
			}
			if text := trace.text.String(); said != "" || strings.Contains(text, "GROUP") || strings.Contains(text, "QUIT") {
				t.Errorf("%s with %q: got %q said and the trace %q, want nothing said", name, end, said, text)
			}
		}
	}
}

func doubled(f fetch.Form) fetch.Form {
	return func(b []byte, steps []fetch.Step) []byte { return f(f(b, steps), steps) }
}

// Steps that a scheme's grammar refuses are refused while planning, as far as their words are known then.
func TestPromise3GrammarOfPlans(t *testing.T) {
	h := giving("x")
	h.plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Steps: []fetch.Step{{Verb: "SAY", Args: []string{u.Path().Decode()}}}}, nil
	}
	s := scheme("a", h)
	s.Grammar = noQuotes
	for text, want := range map[string]error{"a:x%22": fetch.ErrRefusedURL, "a:x%0A": fetch.ErrRefusedURL, "a:x": nil} {
		if _, err := fetch.New(s).Plan(uri.MustParse(text), nil); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}

func noQuotes(s *fetch.Step) error {
	if slices.ContainsFunc(s.Args, func(a string) bool { return strings.Contains(a, `"`) }) {
		return errors.New("a quote in an argument")
	}
	return nil
}

// Where lines are recorded, a handler cannot bypass the check with Write.
func TestPromise3NoLineWithoutACheck(t *testing.T) {
	var trace traced
	said, err := say(t, func(c *fetch.Conn, _ *fetch.Env) error { _, err := io.WriteString(c, "QUIT\r\n"); return err }, &trace)
	if !errors.Is(err, fetch.ErrLocal) || said != "" {
		t.Errorf("got %v and %q said, want %s and nothing said", err, said, fetch.ErrLocal)
	}
}

// The steps of one Send are announced in order, and sent in one write.
func TestSendSaysAllAtOnce(t *testing.T) {
	var trace traced
	said, err := say(t, func(c *fetch.Conn, _ *fetch.Env) error {
		if err := c.Send(fetch.Step{Verb: "A", Args: []string{"b", ""}}, fetch.Step{Verb: "C"}); err != nil {
			return err
		}
		return c.SendAs(fetch.LinesWithData, fetch.Step{Verb: "D", Data: "e\r\nf\x00"})
	}, &trace)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := said, "A b \r\nC\r\nD\r\ne\r\nf\x00"; got != want {
		t.Errorf("got %q said, want %q", got, want)
	}
	if text := trace.text.String(); strings.Index(text, "Verb:A") > strings.Index(text, "Verb:C") {
		t.Errorf("got the trace %q, want A before C", text)
	}
}

// say runs send on a connection that records lines, and returns the bytes that reached the other end.
func say(t *testing.T, send func(*fetch.Conn, *fetch.Env) error, trace *traced) (said string, err error) {
	t.Helper()
	h := giving("x")
	h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Network: "tcp", Addr: "127.0.0.1:7000"}, nil
	}
	h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, derr := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
		if derr != nil {
			t.Fatal(derr)
		}
		defer c.Close()
		err = send(c, env)
		return fetch.NewDocument(nil), nil
	}
	s := scheme("a", h)
	s.Grammar = noQuotes
	c := fetch.New(s)
	ours, theirs := net.Pipe()
	c.Dialer = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
	heard := make(chan []byte)
	go func() { b, _ := io.ReadAll(theirs); heard <- b }()
	if _, gerr := get(t, c, "a://127.0.0.1:7000/", &fetch.Options{Trace: trace.take}); gerr != nil {
		t.Fatal(gerr)
	}
	return string(<-heard), err
}

// TestStepsHoldNoSecondLine checks that a line end is refused in every argument, before and after Data.
func TestStepsHoldNoSecondLine(t *testing.T) {
	for _, s := range []fetch.Step{{Verb: "A\n"}, {Verb: "A", Args: []string{"b", "c\rd"}},
		{Verb: "A", Data: "b", Tail: []string{"0", "1\x00"}}} {
		h := giving("")
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{Steps: []fetch.Step{s}}, nil }
		_, err := fetch.New(scheme("a", h)).Plan(uri.MustParse("a://h/"), nil)
		wantKind(t, err, fetch.ErrRefusedURL)
	}
}

// TestStepsAsJSON: the JSON of a secret step contains only its verb.
func TestStepsAsJSON(t *testing.T) {
	s := fetch.Step{Verb: "A", Args: []string{"b"}, Data: "c", Tail: []string{"d"}}
	for want, s := range map[string]fetch.Step{
		`{"verb":"A","args":["b"],"data":"c","tail":["d"]}`: s,
		`{"verb":"A","secret":true}`:                        {Verb: s.Verb, Args: s.Args, Data: s.Data, Tail: s.Tail, Secret: true},
	} {
		h := giving("")
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{Steps: []fetch.Step{s}}, nil }
		p, err := fetch.New(scheme("a", h)).Plan(uri.MustParse("a://h/"), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(p)
		var got struct{ Steps []json.RawMessage }
		if err == nil {
			err = json.Unmarshal(b, &got)
		}
		if err != nil || len(got.Steps) != 1 || string(got.Steps[0]) != want {
			t.Errorf("%s, %v, want %s", b, err, want)
		}
	}
}
