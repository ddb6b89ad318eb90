package mail

import (
	"context"
	"encoding/base64"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/emersion/go-sasl"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
)

// connect opens an authenticated connection, another one for each login that the server refuses: many servers close it.
func (r *submission) connect(ctx context.Context, p *fetch.Plan, env *fetch.Env, id *fetch.Identity) (c *smtpConn, err error) {
	err = eachLogin(ctx, id, func() (err error) {
		if c, err = r.open(ctx, p, env); err != nil {
			return err
		}
		if err = c.authenticate(ctx, id); err != nil {
			c.Close()
		}
		return err
	})
	return c, err
}

// authenticate sends the identity. A server that offers AUTH asks for one: many do not reply 530 to MAIL without it, but refuse the recipients
// with a code that has many meanings.
func (s *smtpConn) authenticate(ctx context.Context, id *fetch.Identity) error {
	if !id.Login().Set && (s.supportsAuth("PLAIN") || s.supportsAuth("LOGIN")) {
		if _, err := id.Ask(ctx, ""); err != nil {
			return err
		}
	}
	if err := checkLogin(id.Login()); err != nil {
		return err
	}
	return s.auth(id.Login())
}

// open opens the connection and starts TLS.
func (r *submission) open(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*smtpConn, error) {
	conn, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	c := &smtpConn{Conn: conn, env: env, plan: p, name: addressLiteral(conn.LocalAddr())}
	return c, c.open(ctx)
}

// addressLiteral returns this host's address for EHLO (RFC 5321 section 4.1.3), which does not disclose its name.
func addressLiteral(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	switch {
	case !ok:
		return "[127.0.0.1]"
	case t.IP.To4() == nil:
		return "[IPv6:" + t.IP.String() + "]"
	}
	return "[" + t.IP.String() + "]"
}

// auth authenticates the user (RFC 4954).
func (s *smtpConn) auth(l fetch.Login) error {
	if !l.Set {
		return nil
	}
	var c sasl.Client
	switch {
	case s.supportsAuth("PLAIN"):
		c = sasl.NewPlainClient("", l.User, l.Password)
	case s.supportsAuth("LOGIN"):
		c = &loginClient{user: l.User, password: l.Password}
	default:
		return fetch.Errorf(fetch.ErrAuth, "the server offers neither AUTH PLAIN nor LOGIN on this connection")
	}
	mechanism, first, _ := c.Start() // neither fails
	line := "AUTH " + mechanism
	if len(first) > 0 {
		s.env.Hide(base64.StdEncoding.EncodeToString(first))
		line += " " + base64.StdEncoding.EncodeToString(first)
	}
	step, _ := stepOf(s.plan.Steps, "AUTH")
	step.Args = []string{l.User, l.Password} // encoded in line
	encoded := func(b []byte, _ []fetch.Step) []byte { return append(append(b, line...), "\r\n"...) }
	if err := s.SendAs(encoded, step); err != nil {
		return err
	}
	s.BeginReply()
	return s.authReplies(c)
}

// supportsAuth reports whether the server offers a SASL mechanism.
func (s *smtpConn) supportsAuth(mechanism string) bool {
	return slices.ContainsFunc(strings.Fields(s.extensions["AUTH"]), func(m string) bool { return strings.EqualFold(m, mechanism) })
}

// authReplies responds to the challenges of the server.
func (s *smtpConn) authReplies(c sasl.Client) error {
	a, err := s.reply()
	for {
		switch {
		case err != nil:
			return err
		case a.code == 235:
			return nil
		case a.code != 334:
			return asking(a.err())
		}
		response, bad := base64.StdEncoding.DecodeString(a.text())
		if bad == nil {
			response, bad = c.Next(response)
		}
		if bad != nil {
			s.respond("*") // cancel (RFC 4954 section 4)
			return fetch.Errorf(fetch.ErrProtocol, "%s", clip(bad.Error()))
		}
		a, err = s.respond(base64.StdEncoding.EncodeToString(response))
	}
}

// submit sends the message to all recipients that the server accepts.
func (s *smtpConn) submit(recipients []string, m *message) (*fetch.Receipt, error) {
	utf8 := m.utf8 || has8bit(m.from) || slices.ContainsFunc(recipients, has8bit)
	if err := s.check(m, utf8); err != nil {
		return nil, err
	}
	if a, err := s.command(mailStep(m.from), s.extra(m.size, utf8)); err != nil || a.code != 250 {
		return nil, replyError(a, err)
	}
	out, err := s.rcptAll(recipients)
	if err != nil {
		return out, err
	}
	reply, err := s.data(m)
	if err != nil {
		return nil, err
	}
	out.Reply = clip(reply)
	s.Send(fetch.Step{Verb: "QUIT"}) // without waiting for the reply
	return out, nil
}

// replyError returns err, or else the error of a reply with an unexpected code.
func replyError(a smtpReply, err error) error {
	if err != nil {
		return err
	}
	return a.err()
}

// extra returns the parameters of MAIL for the server's extensions (RFC 6152, RFC 1870, RFC 6531).
func (s *smtpConn) extra(size int64, utf8 bool) (words string) {
	if s.offers("8BITMIME") {
		words += " BODY=8BITMIME"
	}
	if s.offers("SIZE") && size != 0 {
		words += " SIZE=" + strconv.FormatInt(size, 10)
	}
	if utf8 {
		words += " SMTPUTF8" // offered, or check has failed
	}
	return words
}

func (s *smtpConn) offers(extension string) bool {
	_, ok := s.extensions[extension]
	return ok
}

// rcptAll sends the recipients. It returns the Receipt with the error if the server refuses all of them.
func (s *smtpConn) rcptAll(recipients []string) (*fetch.Receipt, error) {
	out := &fetch.Receipt{Refused: map[string]string{}}
	var first error
	for _, to := range recipients {
		a, err := s.command(rcptStep(to), "")
		switch {
		case err != nil:
			return nil, err
		case a.code/10 == 25:
			if a.code > 251 {
				s.env.Deviates("RFC 5321 section 4.3.2", "the reply to RCPT", "%d instead of 250 or 251", a.code)
			}
			out.Accepted = append(out.Accepted, to)
		default:
			out.Refused[to] = clip(strconv.Itoa(a.code) + " " + a.text())
			if first == nil {
				first = a.err()
			}
		}
	}
	if len(out.Accepted) == 0 {
		return out, first
	}
	return out, nil
}

// check reports why the server cannot accept the message.
func (s *smtpConn) check(m *message, utf8 bool) error {
	if utf8 && !s.offers("SMTPUTF8") {
		return fetch.Errorf(fetch.ErrRefused, "the server does not accept addresses beyond US-ASCII (SMTPUTF8)")
	}
	if most, err := strconv.ParseInt(s.extensions["SIZE"], 10, 64); err == nil && most > 0 && m.size > most {
		return fetch.Errorf(fetch.ErrRefused, "the server accepts messages of at most %d bytes", most)
	}
	return nil
}

// data sends the message. Between the final dot and its reply the outcome is unknown.
func (s *smtpConn) data(m *message) (string, error) {
	if a, err := s.command(fetch.Step{Verb: "DATA"}, ""); err != nil || a.code != 354 {
		return "", replyError(a, err)
	}
	to, err := s.Unchecked(), error(nil)
	if m.given {
		to, err = s.SendBody(fetch.Step{Data: "<message>", If: ifMessage})
	}
	if err != nil {
		return "", err
	}
	in := m.reader()
	if m.given && !s.offers("8BITMIME") {
		in = sevenBit{in}
	}
	a, complete, err := s.message(to, in)
	switch {
	case err != nil && !complete:
		return "", maildoc.Unreadable(err)
	case err != nil:
		return "", &fetch.Error{
			Kind: fetch.ErrTransfer, Text: "unknown whether accepted: the reply to the message was lost: " + clip(err.Error()), Err: err,
			Hint: "the message is not sent again; check whether it has arrived",
		}
	case a.code != 250:
		return "", a.err()
	}
	return a.text(), nil
}

// has8bit reports whether s has characters beyond US-ASCII.
func has8bit(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) >= 0
}
