package whois

import (
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/urifield"
)

// runTemplates sends the line and reads the beginning of the response (RFC 1835): templates and system messages, up to the message that ends
// the response. A response that consists only of servers to ask is a referral to them.
func (r *request) runTemplates(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := lineproto.Send(ctx, p, env, fetch.RecordTexts)
	if err != nil {
		return nil, err
	}
	a := &answer{conn: c, env: env}
	head, err := a.head(env.Limits().Reply)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(fetch.NewBody(pieces.NewReader(a.next), c.Close))
	d.Type, d.TypeReason, d.End = p.Type, "whois++ sends text", fetch.EndTerminated
	l := lister{p.URI, r.line, env.Limits().Reply}
	if a.refers {
		d.Referrals = l.servers(strings.NewReader(head))
	}
	d.ListWith(l.entries)
	return d, nil
}

// An answer reads the lines of the templates.
type answer struct {
	conn   *fetch.Conn
	env    *fetch.Env
	lines  []byte // not returned by next yet
	any    bool   // there is a template
	refers bool   // all templates so far are servers to ask
	cut    bool   // the server omitted hits
	over   bool
}

// head reads up to the first line that is not part of a list of servers to ask, and returns that list.
func (a *answer) head(most int) (string, error) {
	for {
		err := a.fill()
		switch {
		case err == io.EOF && a.any:
			return string(a.lines), nil
		case err == io.EOF:
			return "", fetch.Errorf(fetch.ErrNotFound, "the server found nothing")
		case err != nil:
			return "", err
		case !a.refers:
			return "", nil
		case most >= 0 && len(a.lines) > most:
			return "", fetch.Errorf(fetch.ErrLimit, "the list of servers to ask is longer than %d bytes", most)
		}
	}
}

// next returns the list that head has read, and then one line after the other.
func (a *answer) next() (lines []byte, err error) {
	if len(a.lines) == 0 {
		err = a.fill()
	}
	lines, a.lines = a.lines, a.lines[:0]
	return lines, err
}

// fill reads up to the next line that belongs to a template. The lines that it skips are limited like a reply.
func (a *answer) fill() error {
	a.conn.BeginPart()
	for !a.over {
		b, err := a.conn.ReadLine()
		if err != nil {
			return err
		}
		line := string(b)
		if code, text, ok := parseMessage(line); ok {
			if code == 0 {
				a.env.Deviates("RFC 1835 section 2.4.4", "a system message", "no number")
			}
			if err := a.message(code, text); err != nil {
				return err
			}
			continue
		}
		if a.any || strings.TrimSpace(line) != "" {
			a.add(line)
			return nil
		}
	}
	if a.cut {
		return fetch.Errorf(fetch.ErrLimit, "the server has more hits than it sent")
	}
	return io.EOF
}

func (a *answer) add(line string) {
	kind, isHead := headline(line)
	a.strict(line, isHead)
	if !a.any {
		a.refers = isHead && isServers(kind)
	} else if isHead && !isServers(kind) && kind != "END" {
		a.refers = false
	}
	a.any = true
	a.lines = append(append(a.lines, line...), "\r\n"...)
}

// strict reports a line that is not in the form of RFC 1835.
func (a *answer) strict(line string, isHead bool) {
	const rule, where = "RFC 1835 section 2.4.3", "a line of a template"
	switch name, _, _ := strings.Cut(strings.TrimLeft(line, " +-"), ":"); {
	case len(line) > mostLine:
		a.env.Deviates(rule, where, "more than %d bytes with its end", mostLine+2)
	case !isHead && line != "" && !strings.ContainsRune(" +-", rune(line[0])):
		a.env.Deviates(rule, where, "neither a blank nor + nor - in the first column")
	case attribute(name) == "next-servers":
		a.env.Deviates("RFC 1835 section 2.4.3.5", "a list of servers", "Next-Servers instead of Host-Name and Host-Port")
	}
}

// mostLine is the length of the longest line in a response, without CRLF.
const mostLine = 79

// parseMessage parses "% 226 Transaction complete". A "%" without a number is a comment, whose code is 0.
func parseMessage(line string) (code int, text string, ok bool) {
	rest, ok := strings.CutPrefix(line, "%")
	if !ok {
		return 0, "", false
	}
	rest = strings.TrimLeft(rest, " ")
	number, text, _ := strings.Cut(strings.Replace(rest, "-", " ", 1), " ")
	code, digits := urifield.Digits(number)
	if !digits || len(number) != 3 {
		return 0, rest, true
	}
	return code, text, true
}

// message handles a system message.
func (a *answer) message(code int, text string) error {
	switch {
	case code == 110, code == 204: // too many hits
		a.cut = true
		return nil
	case code == 201, code == 203, code == 226:
		a.over = true
		return nil
	case code < 400, code == 600: // 600 is text for humans
		return nil
	}
	kind := messages.Fault(code)
	if a.any {
		kind = fetch.ErrTransfer
	}
	return fetch.Errorf(kind, "the server replied %d %s", code, text)
}
