package dict

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// A session is one request on a connection.
type session struct {
	*request
	conn *fetch.Conn
	env  *fetch.Env
	plan *fetch.Plan
}

// run sends all commands in one write, after the greeting if there is a login, and reads up to the beginning of the document.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	s := &session{r, c, env, p}
	if err := s.open(); err != nil {
		return nil, err
	}
	first, err := s.reply()
	if err != nil {
		return nil, err
	}
	return s.document(first)
}

// open sends the commands, logs in, and reads the replies before that to the request.
func (s *session) open() error {
	auth := loginName(s.plan.Options.Login) != ""
	if !auth {
		s.conn.BeginReply() // the greeting: the commands do not wait for it
		if err := s.send(""); err != nil {
			return err
		}
	}
	greeting, err := s.reply()
	if err != nil {
		return err
	}
	if greeting.code != 220 {
		return greeting.failure()
	}
	if !hasMessageID(greeting.text) {
		s.env.Deviates("RFC 2229 section 3.1", "the greeting", "no <msg-id> at its end")
	}
	if auth {
		if err := s.send(greeting.text); err != nil {
			return err
		}
	}
	client, err := s.reply()
	if err == nil && client.code != 250 && client.code/10 == 50 {
		s.env.Deviates("RFC 2229 section 3.6", "the reply to CLIENT", "%d instead of 250", client.code)
	}
	switch {
	case err != nil:
		return err
	case client.code != 250 && client.code/10 != 50: // a server need not know CLIENT
		return client.failure()
	case !auth:
		return nil
	}
	return s.authenticated()
}

// hasMessageID reports whether a greeting ends with "<local-part@domain>". The capabilities before it are optional.
func hasMessageID(greeting string) bool {
	last := greeting[strings.LastIndexByte(greeting, ' ')+1:]
	return strings.HasPrefix(last, "<") && strings.HasSuffix(last, ">") && strings.Contains(last, "@")
}

func (s *session) authenticated() error {
	r, err := s.reply()
	if err != nil || r.code == 230 {
		return err
	}
	if r.code/10 == 53 {
		e := fetch.Errorf(fetch.ErrAuth, "the server refuses the login: %d %s", r.code, r.text)
		e.Asks = true
		return e
	}
	return r.failure()
}

// send sends the plan's steps in one write.
func (s *session) send(greeting string) error {
	steps := slices.Clone(s.plan.When(""))
	for i := range steps {
		step := &steps[i]
		if step.Verb == authStep {
			digest, err := s.digest(greeting)
			if err != nil {
				return err
			}
			step.Args = []string{step.Args[0], digest}
		}
	}
	return s.conn.Send(steps...)
}

// digest hashes the password with the message identifier at the end of the greeting (RFC 2229 §3.11).
func (s *session) digest(greeting string) (string, error) {
	i := strings.LastIndexByte(greeting, '<')
	if i < 0 || !strings.HasSuffix(greeting, ">") {
		return "", fetch.Errorf(fetch.ErrAuth, "the greeting has no message identifier, which the login needs")
	}
	sum := md5.Sum([]byte(greeting[i:] + s.plan.Options.Login.Password))
	digest := hex.EncodeToString(sum[:])
	s.env.Hide(digest)
	return digest, nil
}

// A reply is a line with a code (RFC 2229 section 2.4.1).
type reply struct {
	code int
	text string
}

func (s *session) reply() (reply, error) {
	s.conn.BeginReply()
	return s.readReply()
}

func (s *session) readReply() (reply, error) {
	line, err := s.conn.ReadLine()
	if err != nil {
		return reply{}, err
	}
	code, more, text, ok := lineproto.CutReply(string(line))
	if !ok || more {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "not a reply line: %q", line)
	}
	return reply{code, strings.TrimSpace(text)}, nil
}

// failure returns the error that an unexpected reply means.
func (r reply) failure() error {
	kind := outcomes.Fault(r.code)
	e := fetch.Errorf(kind, "the server replied %d %s", r.code, r.text)
	e.Asks = kind == fetch.ErrAuth || r.code == 530 // to a client that has not logged in
	e.Busy = kind == fetch.ErrUnavailable           // both codes are about the server: RFC 2229 section 2.4.2
	return e
}
