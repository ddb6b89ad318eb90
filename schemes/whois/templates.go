package whois

import (
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
)

// templates is the answer of RFC 1835: lines of templates among system messages, up to the one that says that all is said. An answer
// that is nothing but servers to ask is a referral to them.
func (h handler) templates(p *fetch.Plan, env *fetch.Env, c *fetch.Conn) (*fetch.Document, error) {
	a := &answer{conn: c}
	head, err := a.head(env.Limits().Reply)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(a)
	d.Type, d.TypeReason, d.End = p.Type, "whois++ gives text", fetch.EndTerminated
	l := lister{p.URI, p.Steps[0].Line(), env.Limits().Reply}
	if a.refers {
		d.Referrals = l.servers(strings.NewReader(head))
	}
	d.ListWith(l.entries)
	return d, nil
}

// An answer is the Body: the lines of the templates.
type answer struct {
	conn   *fetch.Conn
	lines  []byte // to be given out
	any    bool   // there is a template
	refers bool   // all templates so far are servers to ask
	cut    bool   // the server has left hits out
	over   bool
}

// head reads up to the first line that is no list of servers to ask, and returns what it has read.
func (a *answer) head(most int) (string, error) {
	for {
		err := a.fill()
		switch {
		case err == io.EOF && a.any:
			return string(a.lines), nil
		case err == io.EOF:
			return "", fetch.Errorf(fetch.ErrNotFound, "the server finds nothing")
		case err != nil:
			return "", err
		case !a.refers:
			return "", nil
		case most >= 0 && len(a.lines) > most:
			return "", fetch.Errorf(fetch.ErrLimit, "the list of servers to ask has more than %d octets", most)
		}
	}
}

func (a *answer) Read(p []byte) (int, error) {
	if len(a.lines) == 0 {
		if err := a.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, a.lines)
	if a.lines = a.lines[n:]; len(a.lines) == 0 {
		a.lines = nil
	}
	return n, nil
}

func (a *answer) Close() error { return a.conn.Close() }

// fill reads up to the next line that belongs to a template. What it passes over on the way is bounded like a reply.
func (a *answer) fill() error {
	a.conn.BeginPart()
	for !a.over {
		b, err := a.conn.ReadLine()
		if err != nil {
			return err
		}
		line := string(b)
		if code, text, ok := message(line); ok {
			if err := a.heed(code, text); err != nil {
				return err
			}
			continue
		}
		if a.any || strings.TrimSpace(line) != "" {
			a.take(line)
			return nil
		}
	}
	if a.cut && a.any {
		return fetch.Errorf(fetch.ErrLimit, "the server has more hits than it gives")
	}
	return io.EOF
}

func (a *answer) take(line string) {
	kind, isHead := headline(line)
	if !a.any {
		a.refers = isHead && isServers(kind)
	} else if isHead && !isServers(kind) && kind != "END" {
		a.refers = false
	}
	a.any = true
	a.lines = append(append(a.lines, line...), "\r\n"...)
}

// message reads "% 226 Transaction complete". A "%" without a number is a comment.
func message(line string) (code int, text string, ok bool) {
	rest, ok := strings.CutPrefix(line, "%")
	if !ok {
		return 0, "", false
	}
	rest = strings.TrimLeft(rest, " ")
	number, text, _ := strings.Cut(strings.Replace(rest, "-", " ", 1), " ")
	code, digits := reading.Digits(number)
	if !digits || len(number) != 3 {
		return 0, rest, true
	}
	return code, text, true
}

// heed takes a system message for what it says.
func (a *answer) heed(code int, text string) error {
	kind := fetch.Kind("")
	switch {
	case code == 110, code == 204: // too many hits
		a.cut = true
	case code == 201, code == 203, code == 226:
		a.over = true
	case code < 400, code == 600: // 600 is text for people
	case a.any:
		kind = fetch.ErrTransfer
	case code == 403, code == 515, code == 516:
		kind = fetch.ErrRefused
	case code == 510:
		kind = fetch.ErrNotFound
	case code == 430, code == 530:
		kind = fetch.ErrAuth
	case code/100 == 4:
		kind = fetch.ErrUnavailable
	case code/100 == 5:
		kind = fetch.ErrUnsupported // a syntax or a search that this server does not know
	default:
		kind = fetch.ErrProtocol
	}
	if kind == "" {
		return nil
	}
	return fetch.Errorf(kind, "the server says %d %s", code, text)
}
