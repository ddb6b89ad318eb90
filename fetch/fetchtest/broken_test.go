package fetchtest

import (
	"bufio"
	"context"
	"io"
	"iter"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A flaw is a broken handler, the rule that it breaks, and what the report must say.
type flaw struct {
	name, rule, text string
	scheme           fetch.Scheme
	cases            []Case
}

// flaws returns handlers with one fault each.
func flaws() []flaw {
	return []flaw{
		{"no name", "scheme", "no Names", fetch.Scheme{Plan: pond(nil).Plan}, nil},
		{"no Read", "scheme", "Read is nil: set it", pondWith(func(s *fetch.Scheme) { s.Read = nil }), pondCases()},
		{"no MayReferTo", "scheme", "MayReferTo is nil", pondWith(func(s *fetch.Scheme) { s.Does.Refers = true }), pondCases()},
		{"no Summary", "scheme", "Summary or Spec is empty", pondWith(func(s *fetch.Scheme) { s.Summary = "" }), pondCases()},
		{"no DefaultPort", "claims", "Rules.DefaultPort is 0: set it", pondWith(func(s *fetch.Scheme) { s.Rules.DefaultPort = 0 }), pondCases()},
		{"no plan", "plan", "Plan must return a Plan or an error", planned(func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }), pondCases()},
		{"no Shape", "plan", "Plan.Shape is empty: set it", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Shape = "" }), pondCases()},
		{"not Hierarchical", "claims", "Rules.Hierarchical is false", pondWith(func(s *fetch.Scheme) { s.Rules.Hierarchical = false }), directoryCases()},
		{"Refers not set", "claims", "Does.Refers is false: set it", unclaimed(), unfollowed()},
		{"a plan that dials", "env", "Plan must do no I/O", onPlan(func(*fetch.Plan, *fetch.Options) { dialSomebody() }), pondCases()},
		{"a plan that opens a file", "env", "calls os.ReadFile while planning", onPlan(func(*fetch.Plan, *fetch.Options) { os.ReadFile("/dev/null") }), pondCases()},
		{"a run that dials", "env", "connect by Env.Dial", onRun(func(*fetch.Plan) { dialSomebody() }), pondCases()},
		{"a run that looks a name up", "env", "connect by Env.Dial", onRun(func(*fetch.Plan) { net.LookupHost("localhost") }), pondCases()},
		{"a run that changes Addr", "again", "running changes p.Addr", onRun(func(p *fetch.Plan) { p.Addr = strings.ToUpper(p.Addr) }), pondCases()},
		{"a run that changes Options", "again", "running changes p.Options.Accept", onRun(func(p *fetch.Plan) { p.Options.Accept = []string{"text/plain"} }), pondCases()},
		{"nil and nil", "dialogue", "Run must return one of them", pond(func(*fetch.Conn, *fetch.Plan) (*fetch.Document, error) { return nil, nil }), pondCases()},
		{"a range ignored", "range", "Options.Range is ignored", ignoring(func(o *fetch.Options) { o.Range = fetch.Range{} }), pondCases()},
		{"metadata ignored", "range", "Options.Op is ignored", ignoring(func(o *fetch.Options) { o.Op = fetch.Retrieve }), pondCases()},
		{"the user name sent", "user", "use URI.WithoutUserinfo", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps[0].Args[0] = p.URI.String() }), uriCases()},
		{"a reader without a bound", "memory", "is endless", pond(readAnyLine), pondCases()},
		{"memory for an announced length", "memory", "do not allocate what a peer announces", pond(readAnnounced), countedCases()},
		{"a close that drains", "closing", "do not read the rest", onDocument(drain), pondCases()},
		{"no BeginReply before a document", "cut", "call Conn.BeginReply before BeginBody", pond(readAtOnce), plainCases()},
		{"no BeginReply before an error", "replies", "call Conn.BeginReply before each reply", pond(readErrorSlowly), errorCases()},
		{"no BeginBody", "dialogue", "call Conn.BeginBody before it", pond(readInReply), pondCases()},
		{"no BeginPart", "replies", "call Conn.BeginPart", pond(readTrailerSlowly), countedCases()},
		{"no End", "document", "EndTerminated (by a mark) or EndClosed", onDocument(func(d *fetch.Document) { d.End = "" }), pondCases()},
		{"terminated by nothing", "cut", "set Document.End to EndClosed", onDocument(func(d *fetch.Document) { d.End = fetch.EndTerminated }), pondCases()},
		{"declared by nothing", "document", "or End to EndTerminated or EndClosed", onDocument(func(d *fetch.Document) { d.End = fetch.EndDeclared }), pondCases()},
		{"no media type", "document", "set the media type", onDocument(func(d *fetch.Document) { d.Type = "" }), pondCases()},
		{"a referral followed", "dialogue", "c.Policy.NoFollow = true", referring(), pondCases()},
		{"an entry without a kind", "reading", "set Entry.Kind", onEntries(func(e *fetch.Entry) { e.Kind = "" }), directoryCases()},
		{"an entry that is relative", "reading", "resolve it with the URI of the listing", onEntries(func(e *fetch.Entry) { e.URI = uri.MustParse("one") }), directoryCases()},
		{"a referral that is relative", "document", "resolve it with p.URI.Resolve", referringTo("b"), unfollowed()},
		{"a referral followed by itself", "dialogue", "nor follow referrals", followingItself(), pondCases()},
		{"a dot taken for the close", "document", "set End to EndTerminated", pond(readDotted), dottedCases()},
		{"an error lost", "cut", "without an error", onCounted(loseErrors), countedCases()},
		{"a kind invented", "cut", "want connection, truncated", onCounted(inventKind), countedCases()},
	}
}

// TestBroken is not a test of this package: TestBrokenHandlersAreReported runs it in another process and examines its failures.
func TestBroken(t *testing.T) {
	if os.Getenv("FETCHTEST_BROKEN") == "" {
		t.Skip("for TestBrokenHandlersAreReported")
	}
	for _, f := range flaws() {
		t.Run(f.name, func(t *testing.T) { Test(t, f.scheme, f.cases...) })
	}
	t.Run("none", func(t *testing.T) { Test(t, pond(nil), pondCases()...) })
	t.Run("none, directory", func(t *testing.T) { Test(t, pond(nil), directoryCases()...) })
	t.Run("none, counted", func(t *testing.T) { Test(t, pond(readCounted), countedCases()...) })
	t.Run("none, error", func(t *testing.T) { Test(t, pond(nil), errorCases()...) })
}

// TestBrokenHandlersAreReported: Test reports each fault at the line that calls it, with the name of the rule and what to do.
func TestBrokenHandlersAreReported(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$", "-test.v")
	cmd.Env = append(os.Environ(), "FETCHTEST_BROKEN=1")
	out, _ := cmd.Output() // it fails
	source, err := os.ReadFile("broken_test.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), "Test(t, f.scheme, f.cases...)")
	line := "broken_test.go:" + strconv.Itoa(1+strings.Count(before, "\n"))
	reports := map[string]string{}
	test := ""
	for l := range strings.Lines(string(out)) {
		if _, name, ok := strings.Cut(l, "=== RUN   TestBroken/"); ok {
			test, _, _ = strings.Cut(strings.TrimSpace(name), "/")
			reports[test] += ""
		} else if !strings.Contains(l, "--- ") && l != "FAIL\n" {
			reports[test] += l
		}
	}
	for _, f := range flaws() {
		got, want := reports[strings.ReplaceAll(f.name, " ", "_")], line+`: rule "`+f.rule+`": `+rules()[f.rule]
		if !strings.Contains(got, want) || !strings.Contains(got, f.text) {
			t.Errorf("%s: got the report\n%s\nwant one with %q and %q", f.name, got, want, f.text)
		}
	}
	for name, got := range reports {
		if strings.HasPrefix(name, "none") && got != "" {
			t.Errorf("%s: got the report\n%s\nwant none for a handler that is right", name, got)
		}
	}
	if len(reports) != len(flaws())+5 {
		t.Errorf("got %d reports, want %d; the output ends with\n%s", len(reports), len(flaws())+5, out[max(0, len(out)-2000):])
	}
}

// pond is a handler of a protocol in which the client sends GET and a name. The server answers with a line that begins with a plus or a minus
// sign, and with the document, whose end is the close. A name that ends with a slash is a directory of names. read replaces the reading.
func pond(read func(*fetch.Conn, *fetch.Plan) (*fetch.Document, error)) fetch.Scheme {
	if read == nil {
		read = readPond
	}
	run := func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
		if err != nil {
			return nil, err
		}
		if err := c.Send(p.When("")...); err != nil {
			return nil, err
		}
		return read(c, p)
	}
	return fetch.Scheme{
		Names: []string{"pond"}, Rules: uri.Rules{DefaultPort: 7171, Hierarchical: true}, Does: fetch.Does{Retrieves: true},
		Summary: "a pond", Spec: "fetchtest",
		Read: func(u uri.URI, _ uri.Mode) (any, error) { return u.Path().Decode(), nil },
		Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
			if err := fetch.CheckWhole("pond", o); err != nil {
				return nil, err
			}
			addr, err := u.HostPort(7171)
			if err != nil {
				return nil, err
			}
			return &fetch.Plan{URI: u, Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Type: "text/plain", Run: run,
				Steps: []fetch.Step{{Verb: "GET", Args: []string{strings.TrimPrefix(u.Path().Decode(), "/")}}}}, nil
		},
	}
}

func pondCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a", Body: "hello\r\nworld\r\n", Script: "C: GET a\nS: + here\nS: hello\nS: world\n*: [end]\n"}}
}

func errorCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a", Err: fetch.ErrNotFound, Script: "C: GET a\nS: - nothing there\n*: [end]\n"}}
}

func directoryCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a/b/", Script: "C: GET a/b/\nS: + here\nS: one\nS: two\n*: [end]\n"}}
}

func countedCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a", Body: "hello\r\n", Script: "C: GET a\nS: + 7\nS: hello\nS: that was all\n"}}
}

func plainCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a", Body: "hello\r\n", Script: "C: GET a\nS: hello\n*: [end]\n"}}
}

func uriCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a", Body: "hello\r\n", Script: "C: GET pond://pond.example/a\nS: + here\nS: hello\n*: [end]\n"}}
}

// readPond reads the reply and returns the document after it.
func readPond(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	c.BeginReply()
	line, err := c.ReadLine()
	return after(c, p, string(line), err)
}

// after returns the document after a reply.
func after(c *fetch.Conn, p *fetch.Plan, line string, err error) (*fetch.Document, error) {
	switch {
	case err != nil:
		return nil, err
	case strings.HasPrefix(line, "-"):
		return nil, fetch.Errorf(fetch.ErrNotFound, "the server reports %q", line)
	case !strings.HasPrefix(line, "+"):
		return nil, fetch.Errorf(fetch.ErrProtocol, "the reply is %q", line)
	}
	c.BeginBody()
	return rest(c, p), nil
}

// rest is the document up to the close.
func rest(c *fetch.Conn, p *fetch.Plan) *fetch.Document {
	d := fetch.NewDocument(c)
	d.Type, d.End = "text/plain", fetch.EndClosed
	if strings.HasSuffix(p.URI.String(), "/") {
		list(d, p.URI, func(*fetch.Entry) {})
	}
	return d
}

func list(d *fetch.Document, base uri.URI, change func(*fetch.Entry)) {
	d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			s := bufio.NewScanner(r)
			for s.Scan() {
				e := fetch.Entry{URI: uri.MustParse(base.String() + s.Text()), Title: s.Text(), Kind: fetch.KindFile, Size: -1}
				change(&e)
				if !yield(e, nil) {
					return
				}
			}
			if s.Err() != nil {
				yield(fetch.Entry{}, s.Err())
			}
		}
	})
}

// readCounted reads a document of declared length and the line after it.
func readCounted(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	return counting(c, p, c.BeginPart)
}

func readTrailerSlowly(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	return counting(c, p, func() {})
}

func counting(c *fetch.Conn, p *fetch.Plan, beforeTrailer func()) (*fetch.Document, error) {
	c.BeginReply()
	line, err := c.ReadLine()
	d, err := after(c, p, string(line), err)
	if err != nil {
		return nil, err
	}
	if d.Size, err = strconv.ParseInt(strings.TrimPrefix(string(line), "+ "), 10, 64); err != nil {
		return nil, fetch.Errorf(fetch.ErrProtocol, "%w", err)
	}
	d.End, d.Entries = fetch.EndDeclared, nil
	d.Body = &trailed{Reader: io.LimitReader(c, d.Size), c: c, left: d.Size, before: beforeTrailer}
	return d, nil
}

// trailed is a Body of left bytes, and a line after them.
type trailed struct {
	io.Reader
	c      *fetch.Conn
	left   int64
	before func()
	done   bool
}

func (b *trailed) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	switch b.left -= int64(n); {
	case err != io.EOF || b.done:
		return n, err
	case b.left > 0:
		return n, io.ErrUnexpectedEOF
	}
	b.before()
	if _, err := b.c.ReadLine(); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return n, err
	}
	b.done = true
	return n, io.EOF
}

func (b *trailed) Close() error { return b.c.Close() }

// readAnnounced allocates the declared length.
func readAnnounced(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	d, err := readCounted(c, p)
	if err != nil {
		return nil, err
	}
	b := make([]byte, max(0, min(d.Size, 1<<40)))
	n, err := io.ReadFull(d.Body, b)
	if err != nil {
		return nil, err
	}
	if _, err := d.Body.Read(make([]byte, 1)); err != io.EOF {
		return nil, err
	}
	d.Body = io.NopCloser(strings.NewReader(string(b[:n])))
	return d, nil
}

// readAnyLine reads the reply by a reader of its own, which has no limit.
func readAnyLine(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	r := bufio.NewReader(c)
	line, err := r.ReadString('\n')
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	d, err := after(c, p, line, err)
	if err == nil {
		d.Body = closers{r, func() { c.Close() }}
	}
	return d, err
}

func readAtOnce(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) { return rest(c, p), nil }

func readErrorSlowly(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	line, err := c.ReadLine()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return after(c, p, string(line), err)
}

func readInReply(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	c.BeginReply()
	if _, err := c.ReadLine(); err != nil {
		return nil, err
	}
	return rest(c, p), nil
}

// pondWith changes the Scheme.
func pondWith(change func(*fetch.Scheme)) fetch.Scheme {
	s := pond(nil)
	change(&s)
	return s
}

func planned(plan func(uri.URI, *fetch.Options) (*fetch.Plan, error)) fetch.Scheme {
	return pondWith(func(s *fetch.Scheme) { s.Plan = plan })
}

// onPlan changes the plans.
func onPlan(change func(*fetch.Plan, *fetch.Options)) fetch.Scheme {
	good := pond(nil).Plan
	return planned(func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		p, err := good(u, o)
		if err == nil {
			change(p, o)
		}
		return p, err
	})
}

// ignoring plans with options that ignore has changed.
func ignoring(ignore func(*fetch.Options)) fetch.Scheme {
	good := pond(nil).Plan
	return planned(func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		without := *o
		ignore(&without)
		return good(u, &without)
	})
}

// onRun does something before each run.
func onRun(do func(*fetch.Plan)) fetch.Scheme {
	return onPlan(func(p *fetch.Plan, _ *fetch.Options) {
		run := p.Run
		p.Run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			addr := p.Addr
			do(p)
			q := *p
			q.Addr = addr // an address that is changed and used would already break the dialogue
			return run(ctx, &q, env)
		}
	})
}

// onDocument changes the documents.
func onDocument(change func(*fetch.Document)) fetch.Scheme { return onRead(readPond, change) }

// onCounted changes documents of declared length.
func onCounted(change func(*fetch.Document)) fetch.Scheme { return onRead(readCounted, change) }

func onRead(read func(*fetch.Conn, *fetch.Plan) (*fetch.Document, error), change func(*fetch.Document)) fetch.Scheme {
	return pond(func(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
		d, err := read(c, p)
		if err == nil {
			change(d)
		}
		return d, err
	})
}

// onEntries changes the entries of directories.
func onEntries(change func(*fetch.Entry)) fetch.Scheme {
	return pond(func(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
		d, err := readPond(c, p)
		if err == nil {
			list(d, p.URI, change)
		}
		return d, err
	})
}

// referring has a referral in each document.
func referring() fetch.Scheme { return referringTo("pond://pond.example/b") }

func referringTo(to string) fetch.Scheme {
	s := onDocument(func(d *fetch.Document) { d.Referrals = []fetch.Referral{{URI: uri.MustParse(to), Reason: "moved"}} })
	s.Does.Refers, s.MayReferTo = true, []string{"pond"}
	return s
}

// unclaimed refers without Does.Refers.
func unclaimed() fetch.Scheme {
	s := referring()
	s.Does.Refers = false
	return s
}

// unfollowed has a Client that does not follow referrals.
func unfollowed() []Case {
	list := pondCases()
	list[0].Client = func(c *fetch.Client) { c.Policy.NoFollow = true }
	return list
}

// followingItself connects to another server after the first.
func followingItself() fetch.Scheme {
	return onPlan(func(p *fetch.Plan, _ *fetch.Options) {
		run := p.Run
		p.Run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			d, err := run(ctx, p, env)
			if err == nil {
				return run(ctx, p, env)
			}
			return d, err
		}
	})
}

func dottedCases() []Case {
	return []Case{{Name: "case", URI: "pond://pond.example/a", Body: "hello\r\n", Script: "C: GET a\nS: + here\nS: hello\nS: .\n*: [end]\n"}}
}

// readDotted removes the dot at the end.
func readDotted(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	d, err := readPond(c, p)
	if err == nil {
		text := ""
		d.Body = closers{readFunc(func(b []byte) (int, error) {
			for text == "" {
				line, err := c.ReadLine()
				if err != nil || string(line) == "." {
					return 0, io.EOF
				}
				text = string(line) + "\r\n"
			}
			n := copy(b, text)
			text = text[n:]
			return n, nil
		}), func() { c.Close() }}
	}
	return d, err
}

// dialSomebody connects without Env. Nobody listens at that port.
func dialSomebody() {
	if c, err := net.Dial("tcp", "127.0.0.1:1"); err == nil {
		c.Close()
	}
}

// drain makes Close read the document to its end.
func drain(d *fetch.Document) {
	body := d.Body
	d.Body = closers{body, func() {
		io.Copy(io.Discard, body)
		body.Close()
	}}
}

// loseErrors treats a break as the end.
func loseErrors(d *fetch.Document) { onError(d, func(error) error { return io.EOF }) }

// inventKind returns an error that the server has not reported.
func inventKind(d *fetch.Document) {
	onError(d, func(error) error { return fetch.Errorf(fetch.ErrNotFound, "gone") })
}

func onError(d *fetch.Document, change func(error) error) {
	body := d.Body
	d.Body = closers{readFunc(func(p []byte) (int, error) {
		n, err := body.Read(p)
		if err != nil && err != io.EOF {
			err = change(err)
		}
		return n, err
	}), func() { body.Close() }}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
