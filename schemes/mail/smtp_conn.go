package mail

import (
	"bufio"
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// An smtpConn is a connection to an SMTP server (RFC 5321). github.com/emersion/go-smtp contains a server, too, whose regular expressions it
// compiles whenever a program starts.
type smtpConn struct {
	*fetch.Conn
	env        *fetch.Env
	plan       *fetch.Plan
	name       string            // the client's name in EHLO
	extensions map[string]string // of the last reply to EHLO: keywords in upper case, and their parameters
}

// open reads the greeting, sends EHLO and, if it is offered or required, STARTTLS (RFC 3207).
func (s *smtpConn) open(ctx context.Context) error {
	s.BeginReply()
	greeting, err := s.reply()
	if err != nil {
		return err
	}
	if greeting.code != 220 {
		return greeting.err()
	}
	if strings.TrimSpace(greeting.lines[0]) == "" {
		s.env.Deviates("RFC 5321 section 4.2", "the greeting", "no domain after the code")
	}
	if err := s.hello(); err != nil {
		return err
	}
	step, planned := stepOf(s.plan.Steps, "STARTTLS")
	if !planned {
		return nil
	}
	if !s.offers("STARTTLS") {
		if step.If == "" {
			return fetch.Errorf(fetch.ErrTLS, "the server does not offer STARTTLS, which is required")
		}
		return nil
	}
	a, err := s.command(step, "")
	switch {
	case err != nil:
		return err
	case a.code != 220:
		return fetch.Errorf(fetch.ErrTLS, "the server offers STARTTLS and refuses it: %d %s", a.code, clip(a.text()))
	}
	if err := s.env.StartTLS(ctx, s.Conn); err != nil {
		return err
	}
	return s.hello() // the reply before TLS does not count (RFC 3207 section 4.2)
}

// hello sends EHLO, and HELO to a server that does not know EHLO (RFC 5321 section 3.2).
func (s *smtpConn) hello() error {
	s.extensions = nil
	a, err := s.command(fetch.Step{Verb: "EHLO", Args: []string{s.name}}, "")
	if err == nil && (a.code == 500 || a.code == 502) {
		s.env.Deviates("RFC 5321 section 2.2.1", "the reply to EHLO", "%d instead of 250", a.code)
		a, err = s.command(fetch.Step{Verb: "HELO", Args: []string{s.name}, If: ifOld}, "")
	}
	if err == nil && a.code != 250 {
		err = a.err()
	}
	if err == nil {
		s.extensions = a.extensions()
	}
	return err
}

// command sends a step and reads the reply. extra holds parameters that depend on the server's extensions; they follow the first argument.
func (s *smtpConn) command(step fetch.Step, extra string) (smtpReply, error) {
	form := func(b []byte, steps []fetch.Step) []byte {
		last := steps[0]
		if extra != "" {
			last.Args = append([]string{last.Args[0] + extra}, last.Args[1:]...)
		}
		return fetch.Lines(b, []fetch.Step{last})
	}
	if err := s.SendAs(form, step); err != nil {
		return smtpReply{}, err
	}
	s.BeginReply()
	return s.reply()
}

// respond sends another line of the last step, and reads the reply.
func (s *smtpConn) respond(line string) (smtpReply, error) {
	if err := s.Continue(line); err != nil {
		return smtpReply{}, err
	}
	s.BeginReply()
	return s.reply()
}

// message sends in with CRLF line ends and doubled dots, and then the final dot (RFC 5321 section 4.5.2). The server ignores a message without
// the dot. complete reports whether the dot may have been sent.
func (s *smtpConn) message(to io.Writer, in io.Reader) (a smtpReply, complete bool, err error) {
	out := bufio.NewWriterSize(to, 32<<10)
	w := lineproto.NewDotWriter(out)
	if _, err = io.Copy(lineproto.NewTextWriter(w), in); err != nil {
		return a, false, err
	}
	if err = w.Close(); err == nil {
		err = out.Flush()
	}
	if err != nil {
		return a, true, err
	}
	s.BeginReply()
	a, err = s.reply()
	return a, true, err
}

// An smtpReply is a reply (RFC 5321 section 4.2).
type smtpReply struct {
	code  int
	lines []string
}

func (a smtpReply) text() string { return strings.Join(a.lines, " ") }

// err returns the error that a reply means.
func (a smtpReply) err() error {
	return fetch.Errorf(smtpReplies.Fault(a.code), "the server answers %d %s", a.code, clip(a.text()))
}

// extensions parses the reply to EHLO (RFC 5321 section 4.1.1.1).
func (a smtpReply) extensions() map[string]string {
	found := map[string]string{}
	for _, l := range a.lines[min(1, len(a.lines)):] {
		word, rest, _ := strings.Cut(l, " ")
		found[strings.ToUpper(word)] = rest
	}
	return found
}

// maxReplyLines bounds a reply, in addition to Limits.Reply.
const maxReplyLines = 500

// reply reads a reply.
func (s *smtpConn) reply() (a smtpReply, err error) {
	for len(a.lines) < maxReplyLines {
		line, err := s.ReadLine()
		if err != nil {
			return a, err
		}
		if s.BareLF() {
			s.env.Deviates("RFC 5321 section 2.3.8", "a line of a reply", bareLF)
		}
		code, more, text, ok := lineproto.CutReply(string(line))
		if !ok || code < 200 || a.code != 0 && code != a.code {
			return a, fetch.Errorf(fetch.ErrProtocol, "not an SMTP reply: %q", clip(string(line)))
		}
		a.code = code
		if a.lines = append(a.lines, text); !more {
			return a, nil
		}
	}
	return a, fetch.Errorf(fetch.ErrLimit, "the reply has more than %d lines", maxReplyLines)
}
