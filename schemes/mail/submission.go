package mail

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"example.org/deref/fetch"
)

// submission is a connection to a server that takes messages.
type submission struct {
	*smtp.Client
	env  *fetch.Env
	plan *fetch.Plan
	conn *smtpConn

	reports reports
}

// connect opens the connection, begins TLS and says who the user is.
func (h mailto) connect(ctx context.Context, p *fetch.Plan, env *fetch.Env, login fetch.Login) (*submission, error) {
	wishes, err := reportsOf(p.Options)
	if err != nil {
		return nil, err
	}
	conn, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	c := &smtpConn{Conn: conn, name: literalOf(conn.LocalAddr())}
	if err := c.open(ctx, env, p); err != nil {
		return nil, err
	}
	s := &submission{Client: smtp.NewClient(c), env: env, plan: p, conn: c, reports: wishes}
	if err := s.Hello(c.name); err != nil {
		return nil, s.fail(err)
	}
	return s, s.auth(login)
}

// literalOf names this host by its address: RFC 5321 section 4.1.3. Its name is nobody's business.
func literalOf(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	switch {
	case !ok:
		return "[127.0.0.1]"
	case t.IP.To4() == nil:
		return "[IPv6:" + t.IP.String() + "]"
	}
	return "[" + t.IP.String() + "]"
}

// auth says who the user is: RFC 4954.
func (s *submission) auth(l fetch.Login) error {
	if !l.Set {
		return nil
	}
	var c sasl.Client
	switch {
	case s.SupportsAuth("PLAIN"):
		c = sasl.NewPlainClient("", l.User, l.Password)
	case s.SupportsAuth("LOGIN"):
		c = &loginClient{user: l.User, password: l.Password}
		s.env.Hide(base64.StdEncoding.EncodeToString([]byte(l.Password)))
	default:
		return fetch.Errorf(fetch.ErrAuth, "the server takes no password on this connection")
	}
	if _, first, err := c.Start(); err == nil && len(first) > 0 {
		s.env.Hide(base64.StdEncoding.EncodeToString(first))
	}
	s.say("AUTH")
	return s.fail(s.Auth(c))
}

// say announces the next step of a verb.
func (s *submission) say(verb string) {
	for _, st := range s.plan.Steps {
		if st.Verb == verb {
			s.env.Say(st)
			return
		}
	}
}

// submit hands the message over. Recipients that are refused do not keep it from the others.
func (s *submission) submit(recipients []string, m *message) (*fetch.Receipt, error) {
	utf8 := m.utf8 || hasEight(m.from) || slices.ContainsFunc(recipients, hasEight)
	if err := s.fits(m, utf8); err != nil {
		return nil, err
	}
	s.say("MAIL")
	if err := s.Mail(m.from, &smtp.MailOptions{UTF8: utf8, Size: m.size, Return: s.reports.ret, EnvelopeID: s.reports.envid}); err != nil {
		return nil, s.fail(err)
	}
	out, err := s.name(recipients)
	if err != nil {
		return out, err
	}
	reply, err := s.data(m)
	if err != nil {
		return nil, err
	}
	out.Reply = clip(reply)
	s.conn.Write([]byte("QUIT\r\n")) // nobody waits for the answer
	return out, nil
}

// name says who the message goes to. The Receipt stands beside the error where the server has answered all of them with no.
func (s *submission) name(recipients []string) (*fetch.Receipt, error) {
	out := &fetch.Receipt{Refused: map[string]string{}}
	var first error
	for _, a := range recipients {
		s.env.Say(s.reports.rcptStep(a))
		err := s.Rcpt(a, &smtp.RcptOptions{Notify: s.reports.notify})
		no, answered := errors.AsType[*smtp.SMTPError](err)
		switch {
		case err == nil:
			out.Accepted = append(out.Accepted, a)
		case answered:
			out.Refused[a] = clip(no.Error())
			if first == nil {
				first = s.fail(err)
			}
		default:
			return nil, s.fail(err)
		}
	}
	if len(out.Accepted) == 0 {
		return out, first
	}
	return out, nil
}

// fits reports what the server cannot do for the message.
func (s *submission) fits(m *message, utf8 bool) error {
	if ok, _ := s.Extension("SMTPUTF8"); utf8 && !ok {
		return fetch.Errorf(fetch.ErrRefused, "the server takes no addresses beyond US-ASCII (SMTPUTF8)")
	}
	if ok, _ := s.Extension("DSN"); s.reports.wanted() && !ok {
		return fetch.Errorf(fetch.ErrUnsupported, "the server reports no deliveries (DSN)")
	}
	if most, ok := s.MaxMessageSize(); ok && most > 0 && m.size > int64(most) {
		return fetch.Errorf(fetch.ErrRefused, "the server takes messages of at most %d octets", most)
	}
	return nil
}

// data sends the message. From the last dot on nobody knows what became of it, until the reply is there.
func (s *submission) data(m *message) (string, error) {
	s.say("DATA")
	w, err := s.Data()
	if err != nil {
		return "", s.fail(err)
	}
	if s.plan.Options != nil && m.given {
		s.env.Say(fetch.Step{Data: "<message>", If: ifMessage})
	}
	out := bufio.NewWriterSize(w, 32<<10)
	in := m.reader()
	if eight, _ := s.Extension("8BITMIME"); m.given && !eight {
		in = newSevenBit(in)
	}
	if _, err = io.Copy(onlyWriter{out}, in); err == nil {
		err = out.Flush()
	}
	if err != nil {
		if fetch.KindOf(err) == "" {
			err = fetch.Errorf(fetch.ErrLocal, "the message cannot be read: %w", err)
		}
		return "", err // without the last dot it is none
	}
	reply, err := w.CloseWithResponse()
	if err == nil {
		return reply.StatusText, nil
	}
	if _, answered := errors.AsType[*smtp.SMTPError](err); answered {
		return "", s.fail(err)
	}
	return "", &fetch.Error{Kind: fetch.ErrTransfer, Text: "unknown whether accepted: the reply to the message was lost: " + clip(err.Error()), Err: err,
		Hint: "it is not sent again: look whether it has arrived"}
}

type onlyWriter struct{ io.Writer }

func hasEight(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) >= 0
}

// fail gives a reply its kind: RFC 5321 section 4.2.1, RFC 4954 section 6.
func (s *submission) fail(err error) error {
	if err == nil {
		return nil
	}
	no, ok := errors.AsType[*smtp.SMTPError](err)
	switch {
	case !ok && fetch.KindOf(err) != "":
		return err
	case !ok:
		return unfinishedOr(err)
	}
	return replyError(no.Code, no.Message)
}

func replyError(code int, text string) error {
	kind := fetch.ErrProtocol
	switch {
	case code == 530 || code == 534 || code == 535 || code == 538:
		kind = fetch.ErrAuth
	case code/100 == 4:
		kind = fetch.ErrUnavailable
	case code/100 == 5:
		kind = fetch.ErrRefused
	}
	return fetch.Errorf(kind, "the server answers %d %s", code, clip(text))
}

// unfinishedOr is a broken connection, or else a broken protocol.
func unfinishedOr(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return unfinished(io.EOF)
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s", clip(err.Error()))
}
