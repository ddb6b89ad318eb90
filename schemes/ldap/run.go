package ldap

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"github.com/go-ldap/ldap/v3"
)

// run leases a bound connection, or binds a new one, and searches up to the first entry. If the server has closed a leased connection in the
// meantime, nothing is received on it, and the search is sent on another.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	for {
		s, err := r.lease(ctx, p, env)
		if err != nil {
			return nil, err
		}
		out := r.results(s)
		d, err := out.document()
		if err == nil {
			return d, nil
		}
		out.Close()
		if !s.used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return nil, err
		}
	}
}

// A session is a bound connection and the library that uses it. One request uses it at a time.
type session struct {
	guard *guard
	ldap  *ldap.Conn

	request *request
	plan    *fetch.Plan // of the request
	env     *fetch.Env
	ctx     context.Context
	cancel  context.CancelFunc
	done    func(reuse bool)
	used    bool // by an earlier request
}

// lease returns a session on which the Plan's steps before the search are done.
func (r *request) lease(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*session, error) {
	fresh := false
	bind := p.Steps[len(p.Steps)-2]
	name := bind.Args[0] // the password and the settings are in the lease's own key
	if bind.Secret {
		env.Hide(name) // else an archive shows it to readers: package warc looks for names in text
	}
	s, done, err := fetch.Lease(ctx, env, name, func(ctx context.Context) (*session, error) {
		fresh = true
		return r.open(ctx, p, env)
	})
	if err != nil {
		return nil, err
	}
	s.request, s.plan, s.env, s.done, s.used = r, p, env, done, !fresh
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.guard.restart(env)
	return s, nil
}

// open connects, begins TLS if planned, and binds.
func (r *request) open(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*session, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: p.TLS == fetch.ImplicitTLS})
	if err != nil {
		return nil, err
	}
	s := &session{request: r, plan: p, env: env, guard: newGuard(c, env)}
	if err := s.startTLS(ctx); err != nil {
		return nil, err
	}
	s.ldap = ldap.NewConn(s.guard, p.TLS == fetch.ImplicitTLS)
	s.ldap.Start()
	if err := s.bind(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the connection and waits for the library's goroutines.
func (s *session) Close() error {
	s.guard.Close()
	s.ldap.Close()
	return nil
}

// release ends the request. complete means that its search has ended.
func (s *session) release(complete bool) {
	s.cancel()
	s.done(complete && s.guard.atRest() && s.ldap.GetLastError() == nil)
}

func (s *session) bind() error {
	for _, step := range s.plan.When("") {
		if step.Verb != "bind" {
			continue
		}
		if err := s.env.Announce(step); err != nil {
			return err
		}
		if !step.Secret {
			return s.fail(s.ldap.UnauthenticatedBind(""))
		}
		err := s.fail(s.ldap.Bind(step.Args[0], step.Args[1]))
		if fetch.KindOf(err) == fetch.ErrNotFound { // noSuchObject, invalidDNSyntax: of the name that binds
			err = fetch.Errorf(fetch.ErrAuth, "%v", err)
		}
		if e, ok := err.(*fetch.Error); ok && e.Kind == fetch.ErrAuth {
			e.Asks = true
		}
		return err
	}
	return nil
}

// results returns the results of a search that is not sent yet.
func (r *request) results(s *session) *results {
	attributes := make([]string, len(r.Attributes))
	for i, a := range r.Attributes {
		attributes[i] = string(a)
	}
	// By default, an alias that the URI names is followed, because it stands for another entry, and an alias that is found is shown.
	aliases := slices.Index([]string{"never", "search", "find", "always"}, cmp.Or(r.aliases, "find")) // RFC 4511 section 4.5.1.3
	page := ldap.NewControlPaging(uint32(r.pageSize))
	return &results{session: s, page: page, search: ldap.NewSearchRequest(string(r.DN), slices.Index(scopes(), r.Scope), aliases, 0, 0, false,
		string(r.Filter), attributes, []ldap.Control{page})}
}

// scopes returns the scopes of a search, in the order of their numbers (RFC 4511 section 4.5.1.2).
func scopes() []string { return []string{"base", "one", "sub"} }

// document sends the search, and waits for the first response.
func (r *results) document() (*fetch.Document, error) {
	first, err := r.next()
	if list, ok := errors.AsType[referred](err); ok {
		d := fetch.NewDocument(fetch.NewBody(strings.NewReader(""), r.Close))
		d.Referrals, d.End = list, fetch.EndTerminated
		return d, nil
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if r.request.valueNumber > 0 {
		return r.value(first, err == io.EOF)
	}
	entries := func(yield func(fetch.Entry, error) bool) {
		for e, err := first, err; err != io.EOF; e, err = r.next() {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
	d := fetch.NewListing(entries)
	list := d.Body
	d.TypeReason = "entries of a directory"
	d.UTF8Entries = true // RFC 4511 section 4.1.2
	d.Body = fetch.NewBody(list, func() error { return errors.Join(list.Close(), r.Close()) })
	return d, nil
}
