package mail

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// opening is a connection before the library has it: it leaves greeting, capabilities and TLS to us.
type opening struct {
	*caller
	conn    *fetch.Conn
	caps    []string
	preauth bool
}

// open connects, hears the greeting, begins TLS and says who the user is.
func (c *caller) open(ctx context.Context) (*session, error) {
	conn, err := c.env.Dial(ctx, "tcp", c.addr, &fetch.DialOptions{TLS: c.tls == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	o := &opening{caller: c, conn: conn}
	if err := o.greeting(); err != nil {
		return nil, err
	}
	if err := o.capability(); err != nil {
		return nil, err
	}
	if err := o.secure(ctx); err != nil {
		return nil, err
	}
	s := newSession(ctx, c.env, conn, o.hail())
	if !o.preauth {
		if err := o.identify(s); err != nil {
			s.Close()
			return nil, err
		}
	}
	conn.Record(fetch.RecordTexts) // from here on messages stand among the replies, and no credentials
	return s, nil
}

// hail is the greeting that the library is told.
func (o *opening) hail() string {
	word := "OK"
	if o.preauth {
		word = "PREAUTH"
	}
	return "* " + word + " [CAPABILITY " + strings.Join(o.caps, " ") + "] ready\r\n"
}

func (o *opening) line() (string, error) {
	line, err := o.conn.ReadLine()
	if err != nil {
		return "", unfinished(err)
	}
	return string(line), nil
}

// greeting is RFC 9051 section 7.1: OK, PREAUTH or BYE.
func (o *opening) greeting() error {
	o.conn.BeginReply()
	line, err := o.line()
	if err != nil {
		return err
	}
	word, text := status(line)
	switch {
	case !strings.HasPrefix(line, "* "):
	case word == "OK":
		return nil
	case word == "PREAUTH":
		o.preauth = true
		return nil
	case word == "BYE":
		return fetch.Errorf(fetch.ErrUnavailable, "the server says: %s", clip(text))
	}
	return fetch.Errorf(fetch.ErrProtocol, "%q is no greeting of IMAP", clip(line))
}

// status takes "* OK text" apart, or "tag OK text".
func status(line string) (word, text string) {
	_, rest, _ := strings.Cut(line, " ")
	word, text, _ = strings.Cut(rest, " ")
	return strings.ToUpper(word), text
}

// maxLines bounds the untagged responses to one of our own commands; servers send a handful.
const maxLines = 100

// ask says one of our own commands, and hears the responses to it.
func (o *opening) ask(s fetch.Step, tag string, untagged func(line string)) (word, text string, err error) {
	tagged := func(b []byte, steps []fetch.Step) []byte { return fetch.Lines(append(append(b, tag...), ' '), steps) }
	o.conn.BeginReply()
	if err := o.conn.SendAs(tagged, s); err != nil {
		return "", "", err
	}
	for range maxLines {
		line, err := o.line()
		if err != nil {
			return "", "", err
		}
		word, text = status(line)
		switch {
		case strings.HasPrefix(line, tag+" "):
			return word, text, nil
		case strings.HasPrefix(line, "* ") && word == "BYE":
			return "", "", fetch.Errorf(fetch.ErrUnavailable, "the server says: %s", clip(text))
		case strings.HasPrefix(line, "* "):
			untagged(line)
		default:
			return "", "", fetch.Errorf(fetch.ErrProtocol, "%q is no reply to %s", clip(line), s.Verb)
		}
	}
	return "", "", fetch.Errorf(fetch.ErrLimit, "more than %d responses to %s", maxLines, s.Verb)
}

// capability asks what the server can do.
func (o *opening) capability() error {
	step, _ := o.step("CAPABILITY")
	o.caps = nil
	word, text, err := o.ask(step, "D1", func(line string) {
		if rest, ok := cutPrefixFold(line, "* CAPABILITY "); ok {
			for _, w := range strings.Fields(rest) {
				if isAtom(w) && len(o.caps) < maxLines {
					o.caps = append(o.caps, strings.ToUpper(w))
				}
			}
		}
	})
	if err != nil {
		return err
	}
	if word != "OK" || len(o.caps) == 0 {
		return fetch.Errorf(fetch.ErrProtocol, "the server does not say what it can do: %s", clip(word+" "+text))
	}
	return nil
}

func (o *opening) offers(word string) bool { return slices.Contains(o.caps, word) }

// isAtom judges RFC 9051 section 9, atom.
func isAtom(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`(){%*"\]`, c) }) < 0
}

// secure says STARTTLS where it is offered or required: RFC 9051 section 6.2.1. Nothing that the server said before it counts after
// it. A connection that begins with PREAUTH cannot be made secure any more (RFC 9051 section 7.1.4).
func (o *opening) secure(ctx context.Context) error {
	step, planned := o.step("STARTTLS")
	if !planned {
		return nil
	}
	required := o.ssl == "require"
	switch {
	case required && o.preauth:
		return fetch.Errorf(fetch.ErrTLS, "the server begins with PREAUTH, which leaves no way to TLS")
	case required && !o.offers("STARTTLS"):
		return fetch.Errorf(fetch.ErrTLS, "the server does not offer STARTTLS, which is required")
	case o.preauth || !o.offers("STARTTLS"):
		return nil
	}
	word, text, err := o.ask(step, "D2", func(string) {})
	if err != nil {
		return err
	}
	if word != "OK" {
		return fetch.Errorf(fetch.ErrTLS, "the server offers STARTTLS and refuses it: %s", clip(text))
	}
	if err := o.env.StartTLS(ctx, o.conn); err != nil {
		return err
	}
	o.tls = fetch.ExplicitTLS
	return o.capability()
}

// identify says who the user is, as the Plan has it.
func (o *opening) identify(s *session) error {
	step, ok := o.identity()
	user, _, _ := cutFold(o.login.User, ";AUTH=")
	switch {
	case !ok:
		return nil
	case step.Verb == "AUTHENTICATE":
		return o.authenticate(s, step, user)
	case o.login.Password == "":
		return &fetch.Error{Kind: fetch.ErrAuth, Text: "no password is known for the user", Hint: "-u USER:PASSWORD or --netrc says it"}
	case o.offers("LOGINDISABLED"):
		return &fetch.Error{Kind: fetch.ErrAuth, Text: "the server forbids LOGIN on this connection (LOGINDISABLED)", Hint: "the password was not sent; imaps: or a server with STARTTLS takes it"}
	}
	if err := o.env.Announce(step); err != nil {
		return err
	}
	return s.login(user, o.login.Password)
}

// authenticate is SASL, RFC 9051 section 6.2.2.
func (o *opening) authenticate(s *session, step fetch.Step, user string) error {
	mech := strings.ToUpper(step.Args[0])
	if !o.offers("AUTH=" + mech) {
		e := fetch.Errorf(fetch.ErrAuth, "the server does not offer the authentication %s", mech)
		if mech == "ANONYMOUS" {
			e = fetch.Errorf(fetch.ErrAuth, "the server wants a user, and lets nobody in without one")
			e.Hint = "-u USER:PASSWORD, --netrc or imap://user@host say who it is"
		}
		return e
	}
	if err := o.env.Announce(step); err != nil {
		return err
	}
	return s.authenticate(o.env, mech, user, o.login.Password)
}

// clip keeps what a server says short.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
