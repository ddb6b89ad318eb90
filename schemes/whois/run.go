package whois

import (
	"bufio"
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
)

// headLen is how much is read before the document begins: where a server refers to another, or finds nothing, it says so here.
const headLen = 16 << 10

// Run says the line and reads the beginning of the answer.
func (h handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordTexts})
	if err != nil {
		return nil, err
	}
	if err := c.Send(p.When("")...); err != nil {
		return nil, err
	}
	if h.name == "whois++" {
		return h.templates(p, env, c)
	}
	return text(p, c)
}

// text is the answer of RFC 3912: all of it up to the close.
func text(p *fetch.Plan, c *fetch.Conn) (*fetch.Document, error) {
	in := bufio.NewReaderSize(c, headLen)
	head, err := in.Peek(headLen)
	if err != nil && err != io.EOF {
		return nil, err
	}
	d := fetch.NewDocument(body{in, c})
	d.Type, d.TypeReason, d.End = p.Type, "whois gives text", fetch.EndClosed
	d.Referrals = referrals(p, wholeLines(string(head)))
	if len(d.Referrals) == 0 && err == io.EOF {
		if err := failure(string(head)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// body reads what was read ahead, then the connection.
type body struct {
	io.Reader
	io.Closer
}

// wholeLines leaves out a last line that has no end: it may be the beginning of another.
func wholeLines(s string) string { return s[:strings.LastIndexByte(s, '\n')+1] }

// failure finds in an answer that is whole that there is none. RFC 3912 has no codes, so only what whole families of servers say
// is known here, and only where it is the first that they say.
//
// QUIRK: % and # begin the comments of the registries' servers. "%ERROR:101: no entries found" is the RIPE database's, 201 and 202
// its refusals; "% This query returned 0 objects." IANA's; "No match for" Verisign's and the InterNIC's before it.
func failure(whole string) error {
	if strings.TrimSpace(whole) == "" {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection without an answer")
	}
	for line := range strings.Lines(wholeLines(whole)) {
		line = strings.TrimSpace(line)
		kind := judge(strings.ToLower(strings.TrimLeft(line, "% ")))
		switch {
		case kind != "":
			return fetch.Errorf(kind, "the server says: %s", line)
		case line == "" || line[0] == '%' || line[0] == '#':
		default:
			return nil
		}
	}
	return nil
}

// judge says what a line of a server means, in lower case and without its mark.
func judge(line string) fetch.Kind {
	for _, known := range []struct {
		begins string
		kind   fetch.Kind
	}{
		{"no match for ", fetch.ErrNotFound},
		{"no match!!", fetch.ErrNotFound},
		{"not found", fetch.ErrNotFound},
		{"no entries found", fetch.ErrNotFound},
		{"no data found", fetch.ErrNotFound},
		{"no object found", fetch.ErrNotFound},
		{"domain not found", fetch.ErrNotFound},
		{"this query returned 0 objects", fetch.ErrNotFound},
		{"error:101:", fetch.ErrNotFound},
		{"error:201:", fetch.ErrRefused},
		{"error:202:", fetch.ErrRefused},
		{"query rate limit exceeded", fetch.ErrUnavailable},
		{"limit exceeded", fetch.ErrUnavailable},
	} {
		if strings.HasPrefix(line, known.begins) {
			return known.kind
		}
	}
	return ""
}
