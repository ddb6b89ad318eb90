package mail

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/crlf"
	"example.org/deref/schemes/internal/dot"
)

// smtpConn is a connection to a server that takes messages: RFC 5321. github.com/emersion/go-smtp is as large again with its server, and compiles
// that one's regular expressions whenever a program starts.
type smtpConn struct {
	*fetch.Conn
	name       string            // what we call ourselves
	extensions map[string]string // of the last reply to EHLO: keywords in upper case, and what follows them
}

// open hears the greeting, says EHLO and, where it is offered or required, STARTTLS: RFC 3207.
func (c *smtpConn) open(ctx context.Context, env *fetch.Env, p *fetch.Plan) error {
	c.BeginReply()
	greeting, err := c.reply()
	if err != nil {
		return err
	}
	if greeting.code != 220 {
		return greeting.refusal()
	}
	if err := c.hello(); err != nil {
		return err
	}
	steps := append(p.When(ifTLS), p.When("")...)
	step, planned := stepOf(steps, "STARTTLS")
	if !planned {
		return nil
	}
	if _, offered := c.extensions["STARTTLS"]; !offered {
		if step.If == "" {
			return fetch.Errorf(fetch.ErrTLS, "the server does not offer STARTTLS, which is required")
		}
		return nil
	}
	a, err := c.command(step, "")
	switch {
	case err != nil:
		return err
	case a.code != 220:
		return fetch.Errorf(fetch.ErrTLS, "the server offers STARTTLS and refuses it: %d %s", a.code, clip(a.text()))
	}
	if err := env.StartTLS(ctx, c.Conn); err != nil {
		return err
	}
	return c.hello() // what was said in clear does not count
}

func stepOf(list []fetch.Step, verb string) (fetch.Step, bool) {
	for _, s := range list {
		if s.Verb == verb {
			return s, true
		}
	}
	return fetch.Step{}, false
}

// hello says EHLO, and HELO to a server that does not know it: RFC 5321 section 3.2.
func (c *smtpConn) hello() error {
	c.extensions = nil
	a, err := c.command(fetch.Step{Verb: "EHLO", Args: []string{c.name}}, "")
	if err == nil && (a.code == 500 || a.code == 502) {
		a, err = c.command(fetch.Step{Verb: "HELO", Args: []string{c.name}, If: ifOld}, "")
	}
	if err == nil && a.code != 250 {
		err = a.refusal()
	}
	if err == nil {
		c.extensions = a.extensions()
	}
	return err
}

// command says a step and hears the reply to it. extra are the parameters that the server's extensions want: they stand behind the first
// argument.
func (c *smtpConn) command(step fetch.Step, extra string) (smtpReply, error) {
	form := func(b []byte, steps []fetch.Step) []byte {
		s := steps[0]
		if extra != "" {
			s.Args = append([]string{s.Args[0] + extra}, s.Args[1:]...)
		}
		return fetch.Lines(b, []fetch.Step{s})
	}
	if err := c.SendAs(form, step); err != nil {
		return smtpReply{}, err
	}
	c.BeginReply()
	return c.reply()
}

// more says another line of the last step, and hears the reply to it.
func (c *smtpConn) more(line string) (smtpReply, error) {
	if err := c.Continue(line); err != nil {
		return smtpReply{}, err
	}
	c.BeginReply()
	return c.reply()
}

// message sends the octets of in, their line ends as CRLF and their dots doubled, and then the dot: RFC 5321 section 4.5.2. Until the dot is
// said it is no message; told reports whether it may have been.
func (c *smtpConn) message(to io.Writer, in io.Reader) (a smtpReply, told bool, err error) {
	out := bufio.NewWriterSize(to, 32<<10)
	w := dot.NewWriter(out)
	if _, err = io.Copy(crlf.NewWriter(w), in); err != nil {
		return a, false, err
	}
	if err = w.Close(); err == nil {
		err = out.Flush()
	}
	if err != nil {
		return a, true, err
	}
	c.BeginReply()
	a, err = c.reply()
	return a, true, err
}

// An smtpReply is one of RFC 5321 section 4.2.
type smtpReply struct {
	code  int
	lines []string
}

func (a smtpReply) text() string { return strings.Join(a.lines, " ") }

// refusal is the error that a reply stands for: RFC 5321 section 4.2.1, RFC 4954 section 6.
func (a smtpReply) refusal() error {
	kind := fetch.ErrProtocol
	switch {
	case a.code == 530 || a.code == 534 || a.code == 535 || a.code == 538:
		kind = fetch.ErrAuth
	case a.code/100 == 4:
		kind = fetch.ErrUnavailable
	case a.code/100 == 5:
		kind = fetch.ErrRefused
	}
	return fetch.Errorf(kind, "the server answers %d %s", a.code, clip(a.text()))
}

// extensions reads the reply to EHLO: RFC 5321 section 4.1.1.1.
func (a smtpReply) extensions() map[string]string {
	known := map[string]string{}
	for _, l := range a.lines[min(1, len(a.lines)):] {
		word, rest, _ := strings.Cut(l, " ")
		known[strings.ToUpper(word)] = rest
	}
	return known
}

// maxReplyLines bounds a reply beside Limits.Reply.
const maxReplyLines = 500

// reply reads one.
func (c *smtpConn) reply() (a smtpReply, err error) {
	for len(a.lines) < maxReplyLines {
		line, err := c.ReadLine()
		if err != nil {
			return a, unfinished(err)
		}
		code, err := strconv.Atoi(string(line[:min(3, len(line))]))
		if err != nil || code < 200 || code > 599 || a.code != 0 && code != a.code || len(line) > 3 && line[3] != ' ' && line[3] != '-' {
			return a, fetch.Errorf(fetch.ErrProtocol, "%q is no reply of SMTP", clip(string(line)))
		}
		a.code = code
		a.lines = append(a.lines, string(line[min(4, len(line)):]))
		if len(line) < 4 || line[3] == ' ' {
			return a, nil
		}
	}
	return a, fetch.Errorf(fetch.ErrLimit, "a reply of more than %d lines", maxReplyLines)
}
