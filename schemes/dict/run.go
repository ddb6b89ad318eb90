package dict

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
)

// A talk is a conversation with a server.
type talk struct {
	conn *fetch.Conn
	env  *fetch.Env
	plan *fetch.Plan
}

// Run says all in one flight, or after the greeting where that is needed, and reads up to where the document begins.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := read(p.URI)
	if err != nil {
		return nil, err
	}
	r.ask(p.Options.Search)
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	t := &talk{c, env, p}
	if err := t.open(); err != nil {
		return nil, err
	}
	first, err := t.reply()
	if err != nil {
		return nil, err
	}
	return t.document(r, first)
}

// open greets, identifies and reads what comes before the answer to the command.
func (t *talk) open() error {
	auth := loginName(t.plan.Options.Login) != ""
	if !auth {
		if err := t.say(""); err != nil {
			return err
		}
	}
	greeting, err := t.reply()
	if err != nil {
		return err
	}
	if greeting.code != 220 {
		return greeting.failure()
	}
	if auth {
		if err := t.say(greeting.text); err != nil {
			return err
		}
	}
	switch client, err := t.reply(); {
	case err != nil:
		return err
	case client.code != 250 && client.code/10 != 50: // a server need not know CLIENT
		return client.failure()
	case !auth:
		return nil
	}
	return t.authenticated()
}

func (t *talk) authenticated() error {
	r, err := t.reply()
	if err != nil || r.code == 230 {
		return err
	}
	if r.code/10 == 53 {
		return fetch.Errorf(fetch.ErrAuth, "the server refuses the login: %d %s", r.code, r.text)
	}
	return r.failure()
}

// say sends the plan's steps in one write.
func (t *talk) say(greeting string) error {
	steps := slices.Clone(t.plan.When(""))
	for i := range steps {
		s := &steps[i]
		if s.Verb == authStep {
			digest, err := t.digest(greeting)
			if err != nil {
				return err
			}
			s.Args = []string{s.Args[0], digest}
		}
	}
	return t.conn.Send(steps...)
}

// digest proves the password by the message identifier at the end of the greeting (RFC 2229 §3.11).
func (t *talk) digest(greeting string) (string, error) {
	i := strings.LastIndexByte(greeting, '<')
	if i < 0 || !strings.HasSuffix(greeting, ">") {
		return "", fetch.Errorf(fetch.ErrAuth, "the server's greeting has nothing to log in with")
	}
	sum := md5.Sum([]byte(greeting[i:] + t.plan.Options.Login.Password))
	digest := hex.EncodeToString(sum[:])
	t.env.Hide(digest)
	return digest, nil
}

// line reads one line; a connection that ends is broken, since the protocol says when it is over.
func (t *talk) line() (string, error) {
	b, err := t.conn.ReadLine()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", err
	}
	return string(b), nil
}

// A reply is a line with a code (RFC 2229 §2.4.2).
type reply struct {
	code int
	text string
}

func (t *talk) reply() (reply, error) {
	t.conn.BeginReply()
	line, err := t.line()
	if err != nil {
		return reply{}, err
	}
	return parseReply(line)
}

func parseReply(line string) (reply, error) {
	if len(line) >= 3 && (len(line) == 3 || line[3] == ' ') {
		if code, ok := reading.Digits(line[:3]); ok && code >= 100 {
			return reply{code, strings.TrimSpace(line[3:])}, nil
		}
	}
	return reply{}, fetch.Errorf(fetch.ErrProtocol, "the server's line is no reply: %q", line)
}

// failure is what a reply says that was not hoped for.
func (r reply) failure() error {
	kind := fetch.ErrProtocol
	switch r.code {
	case 420, 421:
		kind = fetch.ErrUnavailable
	case 500, 501, 502, 503:
		kind = fetch.ErrUnsupported
	case 530, 531:
		kind = fetch.ErrRefused
	case 532:
		kind = fetch.ErrAuth
	case 550, 551, 552, 554, 555:
		kind = fetch.ErrNotFound
	}
	e := fetch.Errorf(kind, "the server says %d %s", r.code, r.text)
	e.Busy = kind == fetch.ErrUnavailable // both codes are about the server: RFC 2229 section 7.1.3
	return e
}
