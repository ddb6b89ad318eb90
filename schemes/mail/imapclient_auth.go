package mail

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/emersion/go-sasl"

	"example.org/deref/fetch"
)

func (s *session) login(user, password string) error {
	s.guard.grant(0)
	err := s.guard.call(func() error { return s.client.Login(user, password).Wait() })
	return s.fail(err, "LOGIN")
}

// authenticate speaks one of the mechanisms that need no more than one answer.
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
		return fetch.Errorf(fetch.ErrUnsupported, "the authentication %s is not spoken here", mech)
	}
	if _, first, err := c.Start(); err == nil && mech != "ANONYMOUS" && len(first) > 0 {
		env.Hide(base64.StdEncoding.EncodeToString(first))
	}
	s.guard.grant(0)
	return s.fail(s.guard.call(func() error { return s.client.Authenticate(c) }), "LOGIN")
}

// loginClient is the mechanism LOGIN: two questions, whatever they say (draft-murchison-sasl-login). The library's compares the
// questions with those of one server.
type loginClient struct {
	user, password string
	asked          int
}

func (c *loginClient) Start() (string, []byte, error) { return "LOGIN", nil, nil }
func (c *loginClient) Next([]byte) ([]byte, error) {
	c.asked++
	switch c.asked {
	case 1:
		return []byte(c.user), nil
	case 2:
		return []byte(c.password), nil
	}
	return nil, errors.New("the server asks on and on")
}

// checkLogin refuses what no login of mail can send, whoever named it: in SASL PLAIN NUL parts the identities (RFC 4616 section 2), in
// OAUTHBEARER SOH ends a field (RFC 7628 section 3.1), and SASLprep allows no control character at all (RFC 4013 section 2.3).
func checkLogin(l fetch.Login) error {
	control := func(s string) bool {
		return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
	}
	switch {
	case control(l.User):
		return fetch.Errorf(fetch.ErrRefusedURL, "the user name holds a control character")
	case control(l.Password):
		return fetch.Errorf(fetch.ErrRefusedURL, "the password holds a control character")
	}
	return nil
}

// saslName escapes what ends a name in the header of GS2: RFC 5801 section 4. The library does not.
func saslName(user string) string {
	return strings.NewReplacer("=", "=3D", ",", "=2C").Replace(user)
}
