package mail

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// A handshake sets up a connection before the library gets it: the library leaves greeting, capabilities and STARTTLS to us.
type handshake struct {
	*imapServer
	conn    *fetch.Conn
	caps    []string
	preauth bool
}

// open connects, reads the greeting, starts TLS and logs in.
func (s *imapServer) open(ctx context.Context) (*session, error) {
	conn, err := s.env.Dial(ctx, "tcp", s.addr, &fetch.DialOptions{TLS: s.tls == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	h := &handshake{imapServer: s, conn: conn}
	if err := h.readGreeting(); err != nil {
		return nil, err
	}
	if err := h.capability(); err != nil {
		return nil, err
	}
	if err := h.startTLS(ctx); err != nil {
		return nil, err
	}
	greeting := "OK"
	if h.preauth {
		greeting = "PREAUTH"
	}
	ss := newSession(ctx, s.env, conn, greeting, "[CAPABILITY "+strings.Join(h.caps, " ")+"]")
	if !h.preauth {
		if err := h.logIn(ss); err != nil {
			ss.Close()
			return nil, err
		}
	}
	conn.Record(fetch.RecordTexts) // from here on responses contain messages, and no credentials
	return ss, nil
}

// readGreeting reads OK, PREAUTH or BYE (RFC 9051 section 7.1).
func (h *handshake) readGreeting() error {
	h.conn.BeginReply()
	p, err := h.readLine()
	if err != nil {
		return err
	}
	line := string(p)
	word, text := cutStatus(line)
	switch {
	case !strings.HasPrefix(line, "* "):
	case word == "OK":
		return nil
	case word == "PREAUTH":
		h.preauth = true
		return nil
	case word == "BYE":
		return errBye(text)
	}
	return fetch.Errorf(fetch.ErrProtocol, "not an IMAP greeting: %q", clip(line))
}

// readLine reads a line before the library does.
func (h *handshake) readLine() ([]byte, error) {
	p, err := h.conn.ReadLine()
	if err == nil && h.conn.BareLF() {
		h.env.Deviates(imapLineRule, imapLine, bareLF)
	}
	return p, err
}

// cutStatus splits "* OK text" or "tag OK text".
func cutStatus(line string) (word, text string) {
	_, rest, _ := strings.Cut(line, " ")
	word, text, _ = strings.Cut(rest, " ")
	return strings.ToUpper(word), text
}

// maxLines bounds the untagged responses to one of our own commands. Servers send a handful.
const maxLines = 100

// command sends a step and reads its responses.
func (h *handshake) command(s fetch.Step, tag string, untagged func(line string)) (word, text string, err error) {
	tagged := func(b []byte, steps []fetch.Step) []byte { return fetch.Lines(append(append(b, tag...), ' '), steps) }
	if err := h.conn.SendAs(tagged, s); err != nil {
		return "", "", err
	}
	h.conn.BeginReply()
	for range maxLines {
		p, err := h.readLine()
		if err != nil {
			return "", "", err
		}
		line := string(p)
		word, text = cutStatus(line)
		switch {
		case strings.HasPrefix(line, tag+" "):
			return word, text, nil
		case strings.HasPrefix(line, "* ") && word == "BYE":
			return "", "", errBye(text)
		case strings.HasPrefix(line, "* "):
			untagged(line)
		default:
			return "", "", fetch.Errorf(fetch.ErrProtocol, "not a response to %s: %q", s.Verb, clip(line))
		}
	}
	return "", "", fetch.Errorf(fetch.ErrLimit, "more than %d responses to %s", maxLines, s.Verb)
}

// capability queries the server's capabilities.
func (h *handshake) capability() error {
	step, _ := stepOf(h.steps, "CAPABILITY")
	h.caps = nil
	word, text, err := h.command(step, "D1", func(line string) {
		if rest, ok := cutPrefixFold(line, "* CAPABILITY "); ok {
			for _, w := range strings.Fields(rest) {
				if isAtom(w) && len(h.caps) < maxLines {
					h.caps = append(h.caps, strings.ToUpper(w))
				}
			}
		}
	})
	if err != nil {
		return err
	}
	if word != "OK" || len(h.caps) == 0 {
		return fetch.Errorf(fetch.ErrProtocol, "no CAPABILITY response: %s", clip(word+" "+text))
	}
	if !h.offers("IMAP4REV2") && !h.offers("IMAP4REV1") {
		h.env.Deviates("RFC 9051 section 6.1.1", "the response to CAPABILITY", "neither IMAP4rev2 nor IMAP4rev1")
	}
	return nil
}

func (h *handshake) offers(word string) bool { return slices.Contains(h.caps, word) }

// isAtom reports whether s is an atom (RFC 9051 section 9).
func isAtom(s string) bool {
	special := func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`(){%*"\]`, c) }
	return s != "" && strings.IndexFunc(s, special) < 0
}

// startTLS sends STARTTLS if it is offered or required (RFC 9051 section 6.2.1). The capabilities before it do not count after it. A
// connection that begins with PREAUTH cannot start TLS (RFC 9051 section 7.1.4).
func (h *handshake) startTLS(ctx context.Context) error {
	step, planned := stepOf(h.steps, "STARTTLS")
	if !planned {
		return nil
	}
	required := step.If == ""
	switch {
	case required && h.preauth:
		return fetch.Errorf(fetch.ErrTLS, "the server begins with PREAUTH, which excludes STARTTLS")
	case required && !h.offers("STARTTLS"):
		return fetch.Errorf(fetch.ErrTLS, "the server does not offer STARTTLS, which is required")
	case h.preauth || !h.offers("STARTTLS"):
		return nil
	}
	word, text, err := h.command(step, "D2", func(string) {})
	if err != nil {
		return err
	}
	if word != "OK" {
		return fetch.Errorf(fetch.ErrTLS, "the server offers STARTTLS and refuses it: %s", clip(text))
	}
	if err := h.env.StartTLS(ctx, h.conn); err != nil {
		return err
	}
	return h.capability()
}

// logIn authenticates the user as planned.
func (h *handshake) logIn(s *session) error {
	step, ok := h.loginStep()
	user := withoutAuth(h.login.User)
	switch {
	case !ok:
		return nil
	case step.Verb == "AUTHENTICATE":
		return h.authenticate(s, step, user)
	case h.login.Password == "":
		return &fetch.Error{Kind: fetch.ErrAuth, Text: "the password of the user is missing", Hint: hint.Password, Asks: true}
	case h.offers("LOGINDISABLED"):
		return &fetch.Error{
			Kind: fetch.ErrAuth, Text: "the server forbids LOGIN on this connection (LOGINDISABLED)",
			Hint: "the password was not sent; use imaps: or a server with STARTTLS",
		}
	}
	if err := h.env.Announce(step); err != nil {
		return err
	}
	return s.login(user, h.login.Password)
}

// authenticate authenticates by SASL (RFC 9051 section 6.2.2).
func (h *handshake) authenticate(s *session, step fetch.Step, user string) error {
	mech := strings.ToUpper(step.Args[0])
	switch {
	case !h.offers("AUTH="+mech) && mech == "ANONYMOUS":
		return &fetch.Error{
			Kind: fetch.ErrAuth, Text: "the server requires a user, and does not admit anonymous ones",
			Hint: hint.Login, Asks: true,
		}
	case !h.offers("AUTH=" + mech):
		return fetch.Errorf(fetch.ErrAuth, "the server does not offer authentication by %s", mech)
	}
	if err := h.env.Announce(step); err != nil {
		return err
	}
	return asking(s.authenticate(h.env, mech, user, h.login.Password))
}

// clip shortens a server's text for an error.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
