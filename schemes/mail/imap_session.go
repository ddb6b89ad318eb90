package mail

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"strings"
	"sync"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"example.org/deref/fetch"
)

// session is an authenticated IMAP session. Only this file, imap_fetch.go and imap_search.go call the library, which is a beta.
type session struct {
	guard  *guard
	client *imapclient.Client
	broken bool // closed, or in the middle of a response that nobody will read
	used   bool // by an earlier request

	mu    sync.Mutex   // held while one goroutine takes what the library's reader passes on
	drain func() error // takes the rest of the current responses
}

func newSession(ctx context.Context, env *fetch.Env, conn *fetch.Conn, greeting, caps string) *session {
	g := newGuard(conn, env, greeting, caps)
	g.serve(ctx, env)
	return &session{guard: g, client: imapclient.New(g, nil)}
}

// Close closes the connection and ends the library's reader, which blocks until its output is read.
func (s *session) Close() error {
	s.guard.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	if s.drain != nil {
		s.drain()
		s.drain = nil
	}
	return s.client.Close()
}

// take calls f unless the session is closed. f may wait for the server.
func (s *session) take(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return net.ErrClosed
	}
	return s.guard.call(f)
}

// wait sends one planned command by f, which waits for the response. name stands for the command in errors.
func (s *session) wait(verb, name string, f func() error) error {
	s.guard.plan(verb)
	return s.fail(s.guard.call(f), name)
}

// fail sets the Kind of an error of the library. The reason why the connection ended outranks the library's error.
func (s *session) fail(err error, command string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return statusError(string(e.Type), string(e.Code), e.Text, command)
	}
	bye, ended := s.guard.state()
	switch {
	case bye != "" && (ended == nil || ended == io.EOF || errors.Is(ended, io.ErrUnexpectedEOF)):
		return errBye(bye)
	case ended == io.EOF:
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection within a response: %w", io.ErrUnexpectedEOF)
	case ended != nil:
		return ended
	case fetch.KindOf(err) != "":
		return err
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s", clip(err.Error()))
}

func errBye(text string) error {
	return fetch.Errorf(fetch.ErrUnavailable, "the server closes the session: %s", clip(text))
}

// statusError returns the error for NO and BAD, with its Kind.
func statusError(status, code, text, command string) error {
	kind, _ := imapReplies.Kind(code)
	switch {
	case status == "BAD":
		kind = fetch.ErrProtocol
	case kind == fetch.ErrAuth, kind == fetch.ErrUnavailable:
	case command == "LOGIN":
		kind = fetch.ErrAuth
	case kind == "" && command == "EXAMINE" && code == "":
		kind = fetch.ErrNotFound
	case kind == "":
		kind = fetch.ErrRefused
	}
	if code != "" {
		text = "[" + code + "] " + text
	}
	return fetch.Errorf(kind, "the server answers %s to %s: %s", status, command, clip(text))
}

// each yields the values of next, and then the error of the command. It reports whether more commands may follow. next renews the
// guard's bounds, since the bytes of the values before were requested.
func each[T any](s *session, err error, command string, yield func(T, error) bool, next func() (T, bool, error)) bool {
	var none T
	for more := true; err == nil && more; {
		var v T
		err = s.take(func() (err error) {
			if v, more, err = next(); err != nil {
				// QUIRK: after an error within a literal the library's reader goes on by itself; draining it would read the same
				// buffer concurrently.
				s.drain = nil
			}
			if err != nil || more {
				return err
			}
			err, s.drain = s.drain(), nil
			return err
		})
		if err == nil && more && !yield(v, nil) {
			return false
		}
	}
	if err != nil {
		yield(none, s.fail(err, command))
	}
	return err == nil
}

func (s *session) login(user, password string) error {
	return asking(s.wait("LOGIN", "LOGIN", func() error { return s.client.Login(user, password).Wait() }))
}

// asking marks the refusal of a login as one that another login may change.
func asking(err error) error {
	if e, ok := err.(*fetch.Error); ok && e.Kind == fetch.ErrAuth {
		e.Asks = true
	}
	return err
}

// eachLogin calls attempt until the server accepts the login of id, and changes that if another one may help.
func eachLogin(ctx context.Context, id *fetch.Identity, attempt func() error) error {
	for {
		err := attempt()
		if err == nil {
			id.Accept()
			return nil
		}
		if e, ok := err.(*fetch.Error); !ok || !e.Asks {
			return err
		}
		if other, failed := id.Ask(ctx, ""); failed != nil || !other {
			return cmp.Or(failed, err)
		}
	}
}

// authenticate uses one of the mechanisms that need at most one response from the client.
func (s *session) authenticate(env *fetch.Env, mech, user, secret string) error {
	var c sasl.Client
	switch mech {
	case "ANONYMOUS":
		c = sasl.NewAnonymousClient("")
	case "EXTERNAL":
		c = sasl.NewExternalClient(user)
	case "PLAIN":
		c = sasl.NewPlainClient("", user, secret)
	case "LOGIN":
		c = &loginClient{user: user, password: secret}
	case "OAUTHBEARER":
		c = sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{Username: saslName(user), Token: secret})
	default:
		return fetch.Errorf(fetch.ErrUnsupported, "authentication by %s is not supported", mech)
	}
	if _, first, err := c.Start(); err == nil && mech != "ANONYMOUS" && len(first) > 0 {
		env.Hide(base64.StdEncoding.EncodeToString(first))
	}
	return s.wait("AUTHENTICATE", "LOGIN", func() error { return s.client.Authenticate(c) })
}

// loginClient is the SASL mechanism LOGIN (draft-murchison-sasl-login), which ignores the texts of both challenges. The library's client
// compares them with those of one server.
type loginClient struct {
	user, password string
	challenges     int
}

func (c *loginClient) Start() (string, []byte, error) { return "LOGIN", nil, nil }
func (c *loginClient) Next([]byte) ([]byte, error) {
	c.challenges++
	switch c.challenges {
	case 1:
		return []byte(c.user), nil
	case 2:
		return []byte(c.password), nil
	}
	return nil, errors.New("too many challenges from the server")
}

// checkLogin rejects control characters in logins: in SASL PLAIN NUL separates the identities (RFC 4616 section 2), in OAUTHBEARER SOH ends
// a field (RFC 7628 section 3.1), and SASLprep forbids all control characters (RFC 4013 section 2.3).
func checkLogin(l fetch.Login) error {
	switch {
	case hasControls(l.User):
		return fetch.Errorf(fetch.ErrRefusedURL, "the user name contains a control character")
	case hasControls(l.Password):
		return fetch.Errorf(fetch.ErrRefusedURL, "the password contains a control character")
	}
	return nil
}

// saslName escapes the characters that end a name in the GS2 header (RFC 5801 section 4). The library does not.
func saslName(user string) string {
	return strings.NewReplacer("=", "=3D", ",", "=2C").Replace(user)
}
