package fetchtest

import (
	"bufio"
	"context"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

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
		d.Body = fetch.NewBody(r, c.Close)
	}
	return d, err
}

func readAtOnce(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) { return rest(c, p), nil }

func readInReply(c *fetch.Conn, p *fetch.Plan) (*fetch.Document, error) {
	c.BeginReply()
	if _, err := c.ReadLine(); err != nil {
		return nil, err
	}
	return rest(c, p), nil
}
