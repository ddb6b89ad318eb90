package cso

import (
	"context"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// Run says the plan in one flight and waits for the first line that belongs to an entry.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordTexts})
	if err != nil {
		return nil, err
	}
	if err := c.Send(p.When("")...); err != nil {
		return nil, err
	}
	c.BeginReply()
	a := &answer{conn: c}
	if err := a.fill(); err != nil && err != io.EOF {
		return nil, err
	}
	d := fetch.NewDocument(a)
	d.Type, d.TypeReason, d.End = p.Type, "cso gives text", fetch.EndTerminated
	d.ListWith(lister{p.URI, env.Limits().Reply, p.Steps[0].Verb == "fields"}.entries)
	return d, nil
}

// An answer is the Body: the lines of the entries.
type answer struct {
	conn  *fetch.Conn
	entry int    // the number of the entry that the last line was of
	line  []byte // to be given out
	over  bool
}

func (a *answer) Read(p []byte) (int, error) {
	if len(a.line) == 0 {
		if err := a.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, a.line)
	a.line = a.line[n:]
	return n, nil
}

func (a *answer) Close() error { return a.conn.Close() }

// fill reads up to the next line that belongs to an entry. What it passes over on the way is bounded like a reply.
func (a *answer) fill() error {
	a.conn.BeginPart()
	for !a.over {
		b, err := a.conn.ReadLine()
		if err != nil {
			return err
		}
		r, err := parseReply(string(b))
		switch {
		case err != nil:
			return err
		case r.entry > 0 && r.code == 200:
			a.take(r)
			return nil
		case r.code/100 == 1, r.entry > 0 && r.code/100 == 5: // how many there are; a field that an entry does not have
		case r.code == 200 && r.more:
			return fetch.Errorf(fetch.ErrProtocol, "the server's line belongs to no entry: %q", b)
		case r.code != 200:
			return a.failure(r)
		default:
			a.over = !r.more
		}
	}
	return io.EOF
}

func (a *answer) take(r reply) {
	a.line = a.line[:0]
	if a.entry != 0 && a.entry != r.entry {
		a.line = append(a.line, "\r\n"...)
	}
	a.entry = r.entry
	a.line = append(append(a.line, r.text...), "\r\n"...)
}

// A reply is a line: -200:1:   alias: a-lab (RFC 2378 §2.2).
type reply struct {
	more  bool // other lines follow
	code  int
	entry int // its number, 0 none
	text  string
}

func parseReply(line string) (r reply, err error) {
	rest, more := strings.CutPrefix(line, "-")
	code, text, ok := strings.Cut(rest, ":")
	if r.code, err = strconv.Atoi(code); err != nil || !ok || len(code) != 3 || r.code < 100 {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "the server's line is no reply: %q", line)
	}
	r.more, r.text = more, text
	number, text, ok := strings.Cut(r.text, ":")
	if n, err := strconv.Atoi(strings.TrimSpace(number)); more && ok && err == nil && n > 0 {
		r.entry, r.text = n, text
	}
	return r, nil
}

// failure is what a reply says that was not hoped for.
func (a *answer) failure(r reply) error {
	kind := fetch.ErrProtocol
	switch {
	case a.entry > 0 && r.code/100 > 3:
		kind = fetch.ErrTransfer
	case r.code/100 == 4:
		kind = fetch.ErrUnavailable
	case r.code == 501, r.code == 507, r.code == 508:
		kind = fetch.ErrNotFound
	case r.code == 506:
		kind = fetch.ErrAuth
	case r.code == 513, r.code == 514, r.code == 598, r.code == 599:
		kind = fetch.ErrUnsupported
	case r.code/100 == 5:
		kind = fetch.ErrRefused
	}
	return fetch.Errorf(kind, "the server says %d: %s", r.code, strings.TrimSpace(r.text))
}
