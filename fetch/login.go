package fetch

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// A LoginRequest is the question that Client.Logins answers: who is the user at this server?
type LoginRequest struct {
	URI    uri.URI // that is dereferenced, without a password
	Scheme string  // of URI, as Host and Port, to which the answer belongs
	Host   string  // "" if the URI names none
	Port   int
	User   string // the name in URI or Options, whose password is wanted; "" if any user may be returned
	Realm  string // what the server calls the area that it protects, "" if it does not say. The server has chosen it: filter it before printing
	Proxy  bool   // the server is a proxy that the user has configured: URI is its own, and identities at other servers must not be returned

	// Attempt is 1 for the first question about a request, and one more each time that the server has refused the answer. Logins returns the
	// zero Login when it has no other.
	Attempt int
	// Asked is set if the server has asked for credentials. Otherwise the protocol requires a name before the server can (Scheme.LoginFirst),
	// or what is done cannot be repeated (Send, Attach), except for mail, where the submission server asks.
	Asked bool
}

// maxLogins bounds the attempts of one request.
const maxLogins = 10

// A loginState is what planning knows about the identity of a request, for when the server asks for another.
type loginState struct {
	uri      uri.URI // with its user
	port     int     // of the server, if uri is not that of the request, else 0
	proxy    bool    // the server is a proxy
	open     bool    // neither the URI nor Options nor the scheme's configuration has the password: Logins may be called
	cached   bool    // Login is the answer to an earlier request
	given    Login   // the part of the identity that is known without Logins
	attempts int     // of Logins
}

// fillLogin finds the identity for the server of at. Logins is called only if the server cannot ask for it.
func (c *Client) fillLogin(ctx context.Context, s *Scheme, at loginState, o *Options) error {
	l, known := s.identity(at.uri, o.Login)
	at.given = l
	o.Login, o.login = l, at
	if known || c.Logins == nil || at.uri.Host() == "" && s.Rules.DefaultPort == 0 && !s.LoginFirst { // a scheme without servers, such as mailto
		return nil
	}
	o.login.open = true
	if c.answered.Load() {
		if l, ok := c.answers.Load(c.answerKey(&o.login)); ok {
			o.Login, o.login.cached = l.(Login), true
			return nil
		}
	}
	if s.LoginFirst || o.Op == Send || o.Op == Attach {
		_, err := c.ask(ctx, o, "", false)
		return err
	}
	o.Login = Login{} // a name without a password is not tried before the server has asked
	return nil
}

// identity returns the identity for u that is known without Logins: the URI's own, or else the given one, or else one from the scheme's
// configuration. known is set if it is complete.
func (s *Scheme) identity(u uri.URI, given Login) (l Login, known bool) {
	user, password, has := u.User()
	if _, named := u.Userinfo(); named {
		switch {
		case has:
			return Login{User: user, Password: password, Set: true}, true
		case given.Set && (given.User == user || given.User == ""):
			given.User = user
			return given, true
		}
		given = Login{User: user, Set: true}
	}
	if given.Set && (given.Password != "" || given.Empty && given.User != "") {
		return given, true
	}
	if s.Login != nil {
		if l := s.Login(u); l.fits(given) {
			return l, true
		}
	}
	return given, false
}

// ask calls Logins and sets o.Login to the answer. It returns false if there is none.
func (c *Client) ask(ctx context.Context, o *Options, realm string, asked bool) (bool, error) {
	o.login.attempts++
	given := o.login.given
	l, err := c.Logins(ctx, c.loginRequest(&o.login, realm, asked))
	if err != nil {
		return false, loginError(err)
	}
	if !l.fits(given) {
		return false, nil
	}
	if given.name() != "" {
		l.User = given.User // with its mechanism
	}
	o.Login = l
	return true, nil
}

func (c *Client) loginRequest(l *loginState, realm string, asked bool) LoginRequest {
	u := l.uri
	r := LoginRequest{URI: u.WithoutPassword(), Scheme: u.Scheme(), Host: u.Hostname(), Port: l.port, User: l.given.name(), Realm: oneLine(realm),
		Proxy: l.proxy, Attempt: l.attempts, Asked: asked}
	s, _ := c.Schemes.Lookup(u.Scheme())
	if addr, err := u.HostPort(s.Rules.DefaultPort); err == nil && l.port == 0 {
		_, port, _ := net.SplitHostPort(addr)
		r.Port, _ = strconv.Atoi(port)
	}
	return r
}

// answerKey identifies the answers of Logins. It returns "" if they are for no server.
func (c *Client) answerKey(l *loginState) string {
	origin := c.Schemes.Origin(l.uri)
	if l.port != 0 {
		origin = l.uri.Scheme() + "://" + strings.ToLower(net.JoinHostPort(l.uri.Hostname(), strconv.Itoa(l.port)))
	}
	if l.proxy {
		origin = "proxy " + origin
	}
	if origin == "" {
		return ""
	}
	return origin + " " + l.given.User
}

// withLogin runs p, and again with other identities while the server asks for them. It returns the Plan that was carried out last.
func (w *walk) withLogin(ctx context.Context, p *Plan, s *Scheme) (*Plan, *Document, error) {
	c := w.client
	d, err := c.run(ctx, p, s, w)
	for err != nil || d.Refusal != nil {
		o := p.Options
		failed := err
		if err == nil {
			failed = d.Refusal
		}
		refusal, ok := failed.(*Error)
		if !ok || !refusal.Asks || !o.login.open || o.login.attempts >= maxLogins {
			break
		}
		next, unasked := c.withOtherLogin(ctx, p, s, refusal.Realm)
		if next == nil && unasked == nil {
			break
		}
		if d != nil {
			d.Body.Close()
		}
		if unasked != nil {
			return p, nil, unasked
		}
		p = next
		d, err = c.run(ctx, p, s, w)
	}
	if err == nil && d.Refusal == nil {
		c.remember(p.Options)
	}
	return p, d, err
}

// remember stores an answer of Logins that the server has accepted: for the URI that was asked about, and for those that name its user.
func (c *Client) remember(o *Options) {
	asked := o.login
	if asked.attempts == 0 || !o.Login.Set {
		return
	}
	for _, given := range []Login{asked.given, {User: o.Login.User}} {
		asked.given = given
		if key := c.answerKey(&asked); key != "" {
			c.answers.Store(key, o.Login)
			c.answered.Store(true)
		}
	}
}

// askAgain asks Logins after the server has refused o.Login, or has asked for one. It returns false if there is no other.
func (c *Client) askAgain(ctx context.Context, o *Options, realm string) (bool, error) {
	if o.login.cached {
		c.answers.Delete(c.answerKey(&o.login))
		o.login.cached = false
	}
	before := o.Login
	ok, err := c.ask(ctx, o, realm, true)
	if !ok && !before.Set {
		o.Login, ok = o.login.given, o.login.given.Set // the name alone
	}
	return ok && o.Login != before, err
}

// withOtherLogin asks Logins for another identity, and returns p's Plan with it. It returns nil if there is none, or if it would change nothing.
func (c *Client) withOtherLogin(ctx context.Context, p *Plan, s *Scheme, realm string) (*Plan, error) {
	o := p.Options.Clone()
	before := o.Login
	if ok, err := c.askAgain(ctx, o, realm); err != nil || !ok {
		return nil, err
	}
	state := o.login
	next, err := c.planWith(ctx, s, state.uri, o, outermost)
	if err != nil {
		return nil, err
	}
	if !before.Set && slices.EqualFunc(p.Steps, next.Steps, func(a, b Step) bool {
		return a.Verb == b.Verb && a.Data == b.Data && slices.Equal(a.Args, b.Args) && a.If == b.If
	}) {
		return nil, nil // the protocol has no use for it
	}
	return next, nil
}
