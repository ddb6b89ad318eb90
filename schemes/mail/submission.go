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
)

// submission is a connection to a server that takes messages.
type submission struct {
	*smtpConn
	env  *fetch.Env
	plan *fetch.Plan

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
	s := &submission{smtpConn: &smtpConn{Conn: conn, name: literalOf(conn.LocalAddr())}, env: env, plan: p, reports: wishes}
	if err := s.open(ctx, env, p); err != nil {
		return nil, err
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
	case s.takes("PLAIN"):
		c = sasl.NewPlainClient("", l.User, l.Password)
	case s.takes("LOGIN"):
		c = &loginClient{user: l.User, password: l.Password}
	default:
		return fetch.Errorf(fetch.ErrAuth, "the server takes no password on this connection")
	}
	mechanism, first, err := c.Start()
	if err != nil {
		return fetch.Errorf(fetch.ErrAuth, "%w", err)
	}
	line := "AUTH " + mechanism
	if len(first) > 0 {
		s.env.Hide(base64.StdEncoding.EncodeToString(first))
		line += " " + base64.StdEncoding.EncodeToString(first)
	}
	step, _ := stepOf(s.plan.Steps, "AUTH")
	step.Args = []string{l.User, l.Password} // what the line says in base64
	said := func(b []byte, _ []fetch.Step) []byte { return append(append(b, line...), "\r\n"...) }
	if err := s.SendAs(said, step); err != nil {
		return err
	}
	s.BeginReply()
	return s.answer(c)
}

// takes reports whether the server knows the mechanism of authentication.
func (s *submission) takes(mechanism string) bool {
	return slices.ContainsFunc(strings.Fields(s.extensions["AUTH"]), func(m string) bool { return strings.EqualFold(m, mechanism) })
}

// answer says AUTH and answers what the server asks.
func (s *submission) answer(c sasl.Client) error {
	a, err := s.reply()
	for {
		switch {
		case err != nil:
			return err
		case a.code == 235:
			return nil
		case a.code != 334:
			return a.refusal()
		}
		answer, bad := base64.StdEncoding.DecodeString(a.text())
		if bad == nil {
			answer, bad = c.Next(answer)
		}
		if bad != nil {
			s.more("*") // RFC 4954 section 4: nothing comes of it
			return fetch.Errorf(fetch.ErrProtocol, "%s", clip(bad.Error()))
		}
		a, err = s.more(base64.StdEncoding.EncodeToString(answer))
	}
}

// submit hands the message over. Recipients that are refused do not keep it from the others.
func (s *submission) submit(recipients []string, m *message) (*fetch.Receipt, error) {
	utf8 := m.utf8 || hasEight(m.from) || slices.ContainsFunc(recipients, hasEight)
	if err := s.fits(m, utf8); err != nil {
		return nil, err
	}
	if a, err := s.command(s.reports.mailStep(m.from), s.extra(m.size, utf8)); err != nil || a.code != 250 {
		return nil, orRefusal(a, err)
	}
	out, err := s.nameAll(recipients)
	if err != nil {
		return out, err
	}
	reply, err := s.data(m)
	if err != nil {
		return nil, err
	}
	out.Reply = clip(reply)
	s.Send(fetch.Step{Verb: "QUIT"}) // nobody waits for the answer
	return out, nil
}

// orRefusal is err, or else what a reply that is not the hoped for stands for.
func orRefusal(a smtpReply, err error) error {
	if err != nil {
		return err
	}
	return a.refusal()
}

// extra is what the server's extensions want of MAIL, besides the reports: RFC 6152, 1870, 6531.
func (s *submission) extra(size int64, utf8 bool) (words string) {
	if s.offers("8BITMIME") {
		words += " BODY=8BITMIME"
	}
	if s.offers("SIZE") && size != 0 {
		words += " SIZE=" + strconv.FormatInt(size, 10)
	}
	if utf8 {
		words += " SMTPUTF8" // fits has looked
	}
	return words
}

func (s *submission) offers(extension string) bool {
	_, ok := s.extensions[extension]
	return ok
}

// nameAll says who the message goes to. The Receipt stands beside the error where the server has answered all of them with no.
func (s *submission) nameAll(recipients []string) (*fetch.Receipt, error) {
	out := &fetch.Receipt{Refused: map[string]string{}}
	var first error
	for _, to := range recipients {
		a, err := s.command(s.reports.rcptStep(to), "")
		switch {
		case err != nil:
			return nil, err
		case a.code/10 == 25:
			out.Accepted = append(out.Accepted, to)
		default:
			out.Refused[to] = clip(strconv.Itoa(a.code) + " " + a.text())
			if first == nil {
				first = a.refusal()
			}
		}
	}
	if len(out.Accepted) == 0 {
		return out, first
	}
	return out, nil
}

// fits reports what the server cannot do for the message.
func (s *submission) fits(m *message, utf8 bool) error {
	if utf8 && !s.offers("SMTPUTF8") {
		return fetch.Errorf(fetch.ErrRefused, "the server takes no addresses beyond US-ASCII (SMTPUTF8)")
	}
	if s.reports.wanted() && !s.offers("DSN") {
		return fetch.Errorf(fetch.ErrUnsupported, "the server reports no deliveries (DSN)")
	}
	if most, err := strconv.ParseInt(s.extensions["SIZE"], 10, 64); err == nil && most > 0 && m.size > most {
		return fetch.Errorf(fetch.ErrRefused, "the server takes messages of at most %d octets", most)
	}
	return nil
}

// data sends the message. From the last dot on nobody knows what became of it, until the reply is there.
func (s *submission) data(m *message) (string, error) {
	if a, err := s.command(fetch.Step{Verb: "DATA"}, ""); err != nil || a.code != 354 {
		return "", orRefusal(a, err)
	}
	to, err := s.Unchecked(), error(nil)
	if s.plan.Options != nil && m.given {
		to, err = s.SendBody(fetch.Step{Data: "<message>", If: ifMessage})
	}
	if err != nil {
		return "", err
	}
	in := m.reader()
	if m.given && !s.offers("8BITMIME") {
		in = newSevenBit(in)
	}
	a, told, err := s.message(to, in)
	switch {
	case err != nil && !told: // without the last dot it is none
		if fetch.KindOf(err) == "" {
			err = fetch.Errorf(fetch.ErrLocal, "the message cannot be read: %w", err)
		}
		return "", err
	case err != nil:
		return "", &fetch.Error{Kind: fetch.ErrTransfer, Text: "unknown whether accepted: the reply to the message was lost: " + clip(err.Error()), Err: err,
			Hint: "it is not sent again: look whether it has arrived"}
	case a.code != 250:
		return "", a.refusal()
	}
	return a.text(), nil
}

func hasEight(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) >= 0
}
