package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const sesame = "open sesame"

// parroting returns a Client whose server echoes its input in pieces of n bytes, which arrive as such.
func parroting(h probe, n int) *fetch.Client {
	c := fetch.New(scheme("a", h))
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		pieces := make(chan []byte, 64<<10) // the client sends everything before it receives anything
		go func() {
			defer close(pieces)
			for {
				b := make([]byte, n)
				k, err := far.Read(b)
				if err != nil {
					return
				}
				pieces <- b[:k]
			}
		}()
		go func() {
			for b := range pieces {
				far.Write(b)
			}
		}()
		return near, nil
	}
	return c
}

// A secret is masked in the trace in both directions, however it is cut into pieces. Only raw bytes of the server are unchanged: they may
// belong to a document, which a trace never changes.
func TestPromise7SecretsAcrossPieces(t *testing.T) {
	for _, rec := range []fetch.RecordMode{fetch.RecordOctets, fetch.RecordLines} {
		for size := 1; size < 14; size++ {
			text := "PASS " + sesame + "\r\nand " + sesame + " again, op\r\n"
			h := probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
				c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: rec})
				if err != nil {
					return nil, err
				}
				for rest := text; rest != ""; {
					n := min(size, len(rest))
					if _, err := io.WriteString(c.Unchecked(), rest[:n]); err != nil {
						return nil, err
					}
					rest = rest[n:]
				}
				b := make([]byte, len(text))
				c.BeginReply()
				_, err = io.ReadFull(c, b)
				return fetch.NewDocument(io.NopCloser(strings.NewReader(string(b)))), err
			}}
			var tr traced
			got, err := get(t, parroting(h, size), "a://h/", &fetch.Options{Trace: tr.take,
				Login: fetch.Login{User: "ali", Password: sesame, Set: true}})
			if err != nil || got != text {
				t.Fatalf("got %q, %v, want %q", got, err, text)
			}
			for _, dir := range []byte{fetch.FromClient, fetch.FromServer} {
				want := strings.ReplaceAll(text, sesame, "***")
				if dir == fetch.FromServer && rec == fetch.RecordOctets {
					want = text
				}
				if got := tr.data(dir); got != want {
					t.Errorf("size %d, %c, recorded %v: the trace is %q, not %q", size, dir, rec, got, want)
				}
			}
		}
	}
}

// No error contains a secret, wherever it comes from, nor does its cause.
func TestPromise7SecretsInErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"plain", fmt.Errorf("the password %q is wrong", sesame)},
		{"with a kind", fetch.Errorf(fetch.ErrAuth, "530 %s is no password", sesame)},
		{"wrapped", fetch.Errorf(fetch.ErrAuth, "refused: %w", fmt.Errorf("cause: %s", sesame))},
		{"joined", errors.Join(errors.New("a"), errors.New(sesame))},
		{"hidden", fetch.Errorf(fetch.ErrAuth, "digest c0ffee")},
		{"setting", fetch.Errorf(fetch.ErrAuth, "token t0ken")},
		{"a step's argument", fetch.Errorf(fetch.ErrAuth, "argument arg00")},
		{"a hint", &fetch.Error{Kind: fetch.ErrAuth, Text: "no", Hint: "try " + sesame}},
		{"a hint below", fmt.Errorf("a: %w", &fetch.Error{Kind: fetch.ErrAuth, Text: "no", Hint: "try " + sesame})},
		{"a cause that the text does not show", &fetch.Error{Kind: fetch.ErrAuth, Text: "no", Err: errors.New(sesame)}},
		{"a hint of a cause", &fetch.Error{Kind: fetch.ErrAuth, Text: "no", Err: &fetch.Error{Kind: fetch.ErrTLS, Text: "no", Hint: sesame}}},
		{"joined below", fetch.Errorf(fetch.ErrTruncated, "no: %w", errors.Join(io.ErrUnexpectedEOF, errors.New(sesame)))},
		{"the caller's end", fmt.Errorf("while saying %s: %w", sesame, context.Canceled)},
		{"its hint", &fetch.Error{Text: "no", Hint: sesame, Err: context.Canceled}},
		{"a question", &fetch.Error{Kind: fetch.ErrAuth, Text: "no", Question: sesame}},
		{"a realm below", fmt.Errorf("a: %w", &fetch.Error{Kind: fetch.ErrAuth, Text: "no", Realm: sesame})},
		{"of a busy server", &fetch.Error{Kind: fetch.ErrUnavailable, Text: "421 too many, " + sesame, Busy: true, NotFollowed: true}},
		{"two lines", fetch.Errorf(fetch.ErrAuth, "no\n%s", sesame)},
	} {
		h := giving("")
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Steps: []fetch.Step{{Verb: "PASS", Args: []string{"arg00"}, Secret: true}}}, nil
		}
		h.run = func(_ context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			env.Hide("c0ffee")
			return nil, tt.err
		}
		_, err := get(t, fetch.New(scheme("a", h)), "a://h/", &fetch.Options{
			Login: fetch.Login{User: "u", Password: sesame, Set: true}, Set: map[string][]string{"a.token": {"t0ken"}}})
		for _, text := range texts(err) {
			for _, s := range []string{sesame, "c0ffee", "t0ken", "arg00"} {
				if strings.Contains(text, s) {
					t.Errorf("%s: %q shows %q", tt.name, text, s)
				}
			}
		}
		for _, known := range []error{context.Canceled, io.ErrUnexpectedEOF} {
			if errors.Is(tt.err, known) && !errors.Is(err, known) {
				t.Errorf("%s: %v is no longer %v", tt.name, err, known)
			}
		}
		if fetch.KindOf(tt.err) != "" && fetch.KindOf(err) != fetch.KindOf(tt.err) {
			t.Errorf("%s: the kind became %q", tt.name, fetch.KindOf(err))
		}
		given, _ := errors.AsType[*fetch.Error](tt.err)
		if e, ok := errors.AsType[*fetch.Error](err); ok && given != nil && (e.Busy != given.Busy || e.NotFollowed != given.NotFollowed) {
			t.Errorf("%s: got Busy %t, NotFollowed %t; want %t, %t", tt.name, e.Busy, e.NotFollowed, given.Busy, given.NotFollowed)
		}
	}
}

// texts returns the texts of err, of its hint, and of all errors that it wraps.
func texts(err error) []string {
	if err == nil {
		return nil
	}
	list := []string{err.Error(), fmt.Sprintf("%+v", err)}
	if e, ok := err.(*fetch.Error); ok {
		list = append(list, e.Hint, e.Question, e.Realm)
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		list = append(list, texts(x.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			list = append(list, texts(e)...)
		}
	}
	return list
}

func TestPromise7SecretsInPlanErrors(t *testing.T) {
	h := giving("")
	h.plan = func(_ uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		return nil, fmt.Errorf("bad login %s", o.Login.Password)
	}
	_, err := fetch.New(scheme("a", h)).Plan(uri.MustParse("a://u:open%20sesame@h/"), nil)
	wantKind(t, err, fetch.ErrRefusedURL)
	if strings.Contains(fmt.Sprint(err), sesame) {
		t.Errorf("got %v, want it without %q", err, sesame)
	}
}

// Of a secret step, only the verb is announced and shown.
func TestPromise7SecretSteps(t *testing.T) {
	step := fetch.Step{Verb: "PASS", Args: []string{sesame}, Data: "more", Secret: true}
	h := giving("x")
	h.run = func(_ context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		return fetch.NewDocument(nil), env.Announce(step)
	}
	h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{Steps: []fetch.Step{step}}, nil }
	c := fetch.New(scheme("a", h))
	var tr traced
	if _, err := get(t, c, "a:x", &fetch.Options{Trace: tr.take}); err != nil {
		t.Fatal(err)
	}
	p, err := c.Plan(uri.MustParse("a:x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := p.MarshalJSON()
	if text := tr.text.String() + string(j); err != nil || strings.Contains(text, "sesame") || strings.Contains(text, "more") ||
		!strings.Contains(text, "PASS") {
		t.Errorf("%v: %s", err, text)
	}
}

// A secret that a server repeats is masked in every field of the Document except Body and Referrals, which are unchanged.
func TestPromise7SecretsInDocuments(t *testing.T) {
	kept := textproto.MIMEHeader{"X-Said": {"you said " + sesame, "more"}, "X-" + sesame: {"1"}}
	h := changed("the body: "+sesame, func(_ *fetch.Plan, d *fetch.Document) {
		d.Header, d.Reason, d.TypeReason, d.Protocol = kept, "OK "+sesame, sesame, sesame+"/1.0"
		d.Validator = fetch.Validator{Tag: `"` + sesame + `"`, Modified: sesame}
		d.Referrals = []fetch.Referral{{URI: uri.MustParse("a:y"), Reason: "since " + sesame}}
	})
	c := fetch.New(scheme("a", h))
	c.Policy.NoFollow = true
	d := mustGet(t, c, "a://h/", &fetch.Options{Login: fetch.Login{User: "u", Password: sesame, Set: true}})
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	d.Body = nil
	if text := fmt.Sprintf("%+v", d); err != nil || strings.Contains(text, "sesame") || string(b) != "the body: "+sesame {
		t.Errorf("%v: %q, %s", err, b, text)
	}
	if d.Header.Get("X-Said") != "you said ***" || d.Reason != "OK ***" || kept.Get("X-Said") != "you said "+sesame {
		t.Errorf("%v %v %q", kept, d.Header, d.Reason)
	}
}

// If the connection ends within a secret, the part that has arrived is not shown.
func TestPromise7SecretsAtTheEnd(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"so: open sesa", "so: ***"}, {"so: open s", "so: ***"}, {"so: ope", "so: ope"}, {"so: opes", "so: opes"},
	} {
		for _, rec := range []fetch.RecordMode{fetch.RecordOctets, fetch.RecordLines, fetch.RecordHead} {
			h := connecting(&fetch.DialOptions{Record: rec}, func(c *fetch.Conn) error {
				defer c.Close()
				_, err := io.WriteString(c.Unchecked(), tt.said)
				return err
			})
			var tr traced
			_, err := get(t, parroting(h, 100), "a://h/",
				&fetch.Options{Trace: tr.take, Login: fetch.Login{User: "ali", Password: sesame, Set: true}})
			if err != nil {
				t.Fatal(err)
			}
			if got := tr.data(fetch.FromClient); got != tt.want {
				t.Errorf("%q, recorded %v: %q, want %q", tt.said, rec, got, tt.want)
			}
		}
	}
}

// In a trace of lines, a secret of several lines is masked, and so is one in a line that is too long to be buffered.
func TestPromise7SecretsAcrossLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ secret, said, want string }{
		{"open\nsesame", "x open\nsesame y\nopen\nz\n", "x *** y\nopen\nz\n"},
		{"open\r\n", "open\r\nx\n", "***x\n"},
		{sesame, strings.Repeat("x", 64<<10-5) + sesame + "y\n", strings.Repeat("x", 64<<10-5) + "***y\n"},
	} {
		h := connecting(&fetch.DialOptions{Record: fetch.RecordLines}, func(c *fetch.Conn) (err error) {
			defer c.Close()
			for rest := tt.said; rest != "" && err == nil; {
				n := min(64<<10, len(rest))
				_, err = io.WriteString(c.Unchecked(), rest[:n])
				rest = rest[n:]
			}
			return err
		})
		var tr traced
		_, err := get(t, parroting(h, 100), "a://h/",
			&fetch.Options{Trace: tr.take, Login: fetch.Login{User: "ali", Password: tt.secret, Set: true}})
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.data(fetch.FromClient); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.secret, got[max(0, len(got)-80):], tt.want[max(0, len(tt.want)-80):])
		}
	}
}
