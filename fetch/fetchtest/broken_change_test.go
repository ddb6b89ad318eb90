package fetchtest

import (
	"context"
	"io"
	"net"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

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
func onDocument(change func(*fetch.Document)) fetch.Scheme {
	return pond(func(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
		d, err := readPond(c, p)
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
		d.Body = fetch.NewBody(readFunc(func(b []byte) (int, error) {
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
		}), c.Close)
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
	d.Body = fetch.NewBody(body, func() error {
		io.Copy(io.Discard, body)
		return body.Close()
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
