package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/policy"
	"example.org/deref/uri"
)

// Plan returns the checked command sequence for u. Nothing is contacted, and no name is resolved; Logins may be called.
func (c *Client) Plan(u uri.URI, o *Options) (*Plan, error) {
	c.start()
	p, _, err := c.makePlan(context.Background(), u, o.Clone(), outermost)
	return p, err
}

// outermost is the depth of a request that is not within another.
const outermost = 1

// makePlan completes o, which it owns, with the user's settings and identity for u, and returns the checked Plan. The request is within depth-1
// others. An IRI is converted, so that its form as a URI is in the Plan, the Document and in recordings.
func (c *Client) makePlan(ctx context.Context, u uri.URI, o *Options, depth int) (*Plan, *Scheme, error) {
	u = u.ASCII()
	s, err := c.schemeOf(u)
	if err != nil {
		return nil, s, err
	}
	if len(o.Search) > 0 && !s.Searches {
		return nil, s, Errorf(ErrUnsupported, "%s cannot be searched", u.Scheme())
	}
	if o.Foreign {
		if err := s.checkUserOnly(u); err != nil {
			return nil, s, Errorf(ErrUnsupported, "%w", err)
		}
	}
	c.fillSettings(u, o)
	s.setPart(u, o)
	if err := c.Schemes.CheckSettings(o.Set); err != nil {
		return nil, s, err
	}
	if err := c.fillLogin(ctx, s, loginState{uri: u}, o); err != nil {
		return nil, s, err
	}
	p, err := c.planWith(ctx, s, u, o, depth)
	return p, s, err
}

// planWith is makePlan with the identity and settings that o has already.
func (c *Client) planWith(ctx context.Context, s *Scheme, u uri.URI, o *Options, depth int) (*Plan, error) {
	label, err := s.chosenCharset(o)
	if err != nil {
		return nil, err
	}
	bare := u.WithoutFragment().WithoutPassword()
	if s.Rules.SecretUser {
		bare = bare.WithoutUserinfo()
	}
	asked, err := s.withEncodedSearch(o, label)
	if err != nil {
		return nil, err
	}
	p, err := s.callPlan(bare, asked)
	if err == nil && o.within && o.Login.ByHost && !p.isEncrypted() {
		o.Login, asked.Login = Login{}, Login{}
		p, err = s.callPlan(bare, asked)
	}
	if err != nil {
		return nil, planError(err, s, o)
	}
	if p.URI.IsZero() {
		p.URI = bare
	}
	p.Options, p.charset = o, label
	if err := c.checkPlan(p, s); err != nil {
		return p, err
	}
	return p, c.nestPlans(ctx, p, s, depth)
}

// callPlan calls the handler's Plan, unless Does excludes the operation, and checks its result. It contains panics.
func (s *Scheme) callPlan(u uri.URI, o *Options) (p *Plan, err error) {
	if o.Op == Send && !s.Does.Sends || o.Op == Attach && !s.Does.Session {
		return nil, NoOperation(s.Name(), o.Op)
	}
	defer func() {
		if r := recover(); r != nil {
			err = Errorf(ErrRefusedURL, "the %s handler failed on the URI: %v", s.Name(), r)
		}
	}()
	p, err = s.Plan(u, o)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, Errorf(ErrUnsupported, "the %s handler has no plan for the URI", s.Name())
	case !p.does(o.Op):
		return nil, NoOperation(s.Name(), o.Op)
	}
	return p, nil
}

// does reports whether p can be carried out with op.
func (p *Plan) does(op Op) bool {
	switch op {
	case Send:
		return p.Send != nil
	case Attach:
		return p.Attach != nil
	}
	return p.Run != nil || len(p.Refers) > 0
}

func (c *Client) schemeOf(u uri.URI) (*Scheme, error) {
	s := c.Schemes.lookup(u.Scheme())
	if s != nil {
		return s, nil
	}
	e := &Error{Kind: ErrUnsupported, Text: fmt.Sprintf("no handler for the scheme %q", u.Scheme()), Hint: hint.Schemes + " " + u.Scheme()}
	if !u.IsAbs() {
		e = &Error{Kind: ErrRefusedURL, Text: fmt.Sprintf("%q is a partial form", u.Redacted(nil)), Hint: hint.Base}
	}
	if at, likely := c.Schemes.fromHost(u.String()); likely {
		e.Hint = hint.Host + " " + at.String()
	}
	return nil, e
}

// setPart turns u's fragment into a setting, if the part is wanted and the scheme has a setting for it. Options.Part then reports whether the
// handler returns the part.
func (s *Scheme) setPart(u uri.URI, o *Options) {
	f, ok := u.Fragment()
	if !ok || s.Fragment == nil || !o.Part {
		o.Part = false
		return
	}
	key, value := s.Fragment(string(f.Decode()))
	if o.Part = key != "" && len(o.Set[key]) == 0; !o.Part {
		return
	}
	o.Put(key, value)
}

// NameCharset returns the charset that the user has chosen for the names of u's server: Options.Charset, or the value of the setting
// SCHEME.charset in o or for the server (Settings). It returns "" for none. A nil *Options means the zero Options.
func (c *Client) NameCharset(u uri.URI, o *Options) string {
	s, err := c.schemeOf(u)
	if err != nil {
		return ""
	}
	if o == nil {
		o = &Options{}
	}
	label := cmp.Or(o.Charset, o.Get(s.CharsetKey()))
	if label == "" && c.Settings != nil {
		label = (&Options{Set: c.Settings(u)}).Get(s.CharsetKey())
	}
	return label
}

// fillSettings adds the user's settings for u's server, unless the request sets them.
func (c *Client) fillSettings(u uri.URI, o *Options) {
	if c.Settings == nil {
		return
	}
	for key, values := range c.Settings(u) {
		if _, said := o.Set[key]; said {
			continue
		}
		o.Put(key, values...)
		o.serverSettings = append(o.serverSettings, key)
	}
}

// loginError sets the kind of an error of Client.Logins.
func loginError(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return Errorf(ErrCanceled, "%w", err)
	case KindOf(err) != "":
		return err
	case isTimeout(err):
		return Errorf(ErrTimeout, "the login: %w", err)
	}
	return Errorf(ErrLocal, "the login: %w", err)
}

// fits reports whether l is compatible with the known parts of the identity.
func (l Login) fits(given Login) bool {
	return l.Set && (given.name() == "" || l.User == given.User || l.User == given.name())
}

// name returns the user without ";AUTH=" and the mechanism after it (RFC 5092 section 3.2), which are not part of the name.
func (l Login) name() string {
	if i := strings.Index(strings.ToUpper(l.User), ";AUTH="); i >= 0 {
		return l.User[:i]
	}
	return l.User
}

// planError masks the password in an error of a handler's Plan.
func planError(err error, s *Scheme, o *Options) error {
	e := &Env{callerCtx: context.Background(), scheme: s, plan: &Plan{Options: o}}
	e.learnSecrets()
	if k := KindOf(err); k == "" {
		err = Errorf(ErrRefusedURL, "%w", err)
	}
	return e.finishError(err)
}

// checkPlan checks the commands of a Plan before anything is contacted.
func (c *Client) checkPlan(p *Plan, s *Scheme) error {
	for i := range p.Steps {
		if err := s.checkStep(&p.Steps[i]); err != nil {
			return Errorf(ErrRefusedURL, "%w", err)
		}
	}
	hasServer := p.Network == "tcp" || p.Network == "udp"
	var t policy.Target
	if !hasServer || len(c.Policy.Rules) > 0 { // about a server, only the rules decide now
		t = targetOf(p, s)
		if err := c.Policy.checkPlanned(t); err != nil {
			return err
		}
	}
	if hasServer {
		if err := c.checkServer(p.Addr, s, t); err != nil {
			return err
		}
	}
	for i := range p.Steps {
		if at := p.Steps[i].At; at != "" && at != p.Addr {
			if err := c.checkServer(at, s, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkServer returns an error for a server that a Plan must not contact.
func (c *Client) checkServer(addr string, s *Scheme, t policy.Target) error {
	host, port, err := splitServer(addr)
	if err != nil {
		return err
	}
	return c.Policy.checkServer(t, host, port, s)
}
