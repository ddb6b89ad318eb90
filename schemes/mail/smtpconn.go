package mail

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// smtpConn is the connection below the library. The library would make TLS of its own, so the greeting, the first EHLO and STARTTLS are
// said before it; it is told what has been heard.
type smtpConn struct {
	*fetch.Conn
	name string
	told []byte // heard, and not yet read by the library
	ehlo []byte // the reply to EHLO, for the library's own
}

// Read gives what was heard first.
func (c *smtpConn) Read(p []byte) (int, error) {
	if n := copy(p, c.told); n > 0 {
		c.told = c.told[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// Write answers the library's EHLO if it has been said.
func (c *smtpConn) Write(p []byte) (int, error) {
	if c.ehlo != nil && bytes.HasPrefix(p, []byte("EHLO ")) {
		c.told, c.ehlo = append(c.told, c.ehlo...), nil
		return len(p), nil
	}
	c.Turn()
	return c.Conn.Write(p)
}

// open hears the greeting, says EHLO and, where it is offered or required, STARTTLS: RFC 3207.
func (c *smtpConn) open(ctx context.Context, env *fetch.Env, p *fetch.Plan) error {
	c.Turn()
	greeting, err := c.reply()
	if err != nil {
		return err
	}
	if greeting.code != 220 {
		return replyError(greeting.code, greeting.text())
	}
	c.told = []byte("220 heard\r\n")
	hello, err := c.hello(env)
	if err != nil {
		return err
	}
	steps := append(p.When(ifTLS), p.When("")...)
	step, planned := stepOf(steps, "STARTTLS")
	if !planned {
		return nil
	}
	if hello.code != 250 || !hello.offers("STARTTLS") { // after another code the library tries HELO
		if step.If == "" {
			return fetch.Errorf(fetch.ErrTLS, "the server does not offer STARTTLS, which is required")
		}
		return nil
	}
	env.Say(step)
	if _, err := c.Conn.Write([]byte("STARTTLS\r\n")); err != nil {
		return err
	}
	c.Turn()
	a, err := c.reply()
	switch {
	case err != nil:
		return err
	case a.code != 220:
		return fetch.Errorf(fetch.ErrTLS, "the server offers STARTTLS and refuses it: %d %s", a.code, clip(a.text()))
	}
	if err := env.StartTLS(ctx, c.Conn); err != nil {
		return err
	}
	_, err = c.hello(env) // what was said in clear does not count
	return err
}

func stepOf(list []fetch.Step, verb string) (fetch.Step, bool) {
	for _, s := range list {
		if s.Verb == verb {
			return s, true
		}
	}
	return fetch.Step{}, false
}

// hello says EHLO and keeps the reply for the library.
func (c *smtpConn) hello(env *fetch.Env) (smtpReply, error) {
	env.Say(fetch.Step{Verb: "EHLO", Args: []string{c.name}})
	if _, err := c.Conn.Write([]byte("EHLO " + c.name + "\r\n")); err != nil {
		return smtpReply{}, err
	}
	c.Turn()
	a, err := c.reply()
	c.ehlo = a.raw
	return a, err
}

// An smtpReply is one of RFC 5321 section 4.2.
type smtpReply struct {
	code  int
	lines []string
	raw   []byte
}

func (a smtpReply) text() string { return strings.Join(a.lines, " ") }

func (a smtpReply) offers(word string) bool {
	for _, l := range a.lines[min(1, len(a.lines)):] {
		if strings.EqualFold(l, word) {
			return true
		}
	}
	return false
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
		a.code, a.raw = code, append(append(a.raw, line...), "\r\n"...)
		a.lines = append(a.lines, string(line[min(4, len(line)):]))
		if len(line) < 4 || line[3] == ' ' {
			return a, nil
		}
	}
	return a, fetch.Errorf(fetch.ErrLimit, "a reply of more than %d lines", maxReplyLines)
}
