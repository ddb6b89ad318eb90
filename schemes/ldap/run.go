package ldap

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"github.com/go-ldap/ldap/v3"
)

// Run binds, where no earlier request has left a connection on which that is done, and searches as far as to the first entry. A
// connection that its server has closed in the meantime gives no answer at all; the search is then sent on another.
func (h handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	for {
		s, err := h.lease(ctx, p, env)
		if err != nil {
			return nil, err
		}
		req, page := h.request(p)
		r := &results{session: s, request: req, page: page}
		d, err := s.search(r)
		if err == nil {
			return d, nil
		}
		r.Close()
		if !s.used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return nil, err
		}
	}
}

// A session is a connection on which somebody is bound, and the library that works on it. One request has it at a time.
type session struct {
	guard *guard
	ldap  *ldap.Conn

	plan   *fetch.Plan // of the request
	env    *fetch.Env
	ctx    context.Context
	cancel context.CancelFunc
	done   func(reuse bool)
	used   bool // an earlier request had it
}

// lease returns a session on which the Plan's steps before the search were said.
func (h handler) lease(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*session, error) {
	fresh, state := false, ""
	for _, step := range p.Steps[:len(p.Steps)-1] {
		state += step.Verb + " "
		if step.Verb == "bind" {
			state += step.Args[0] // who; the password is in the lease's own key
		}
	}
	s, done, err := fetch.Lease(ctx, env, state, func(ctx context.Context) (*session, error) {
		fresh = true
		return h.open(ctx, p, env)
	})
	if err != nil {
		return nil, err
	}
	s.plan, s.env, s.done, s.used = p, env, done, !fresh
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.guard.anew()
	return s, nil
}

// open connects, begins TLS where that is wanted, and binds.
func (h handler) open(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*session, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: h.tls == fetch.ImplicitTLS})
	if err != nil {
		return nil, err
	}
	s := &session{plan: p, env: env, guard: newGuard(c, env.Limits())}
	if err := s.startTLS(ctx); err != nil {
		return nil, err
	}
	s.ldap = ldap.NewConn(s.guard, h.tls == fetch.ImplicitTLS)
	s.ldap.Start()
	if err := s.bind(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close waits for nobody but the library's own goroutines.
func (s *session) Close() error {
	s.guard.Close()
	s.ldap.Close()
	return nil
}

// release ends the request: whole says that nothing of its search is still to come.
func (s *session) release(whole bool) {
	s.cancel()
	s.done(whole && s.guard.atRest() && s.ldap.GetLastError() == nil)
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
		return err
	}
	return nil
}

// request is the search of the Plan: base, scope, attributes, perhaps "aliases" and how, "page" and its size.
func (h handler) request(p *fetch.Plan) (*ldap.SearchRequest, *ldap.ControlPaging) {
	step := p.Steps[len(p.Steps)-1]
	base, args := step.Args[0], step.Args[2:]
	size, _ := strconv.Atoi(args[len(args)-1])
	args = args[:len(args)-2]
	aliases := p.Options.Get(h.name + ".aliases")
	if aliases != "" {
		args = args[:len(args)-2]
	}
	page := ldap.NewControlPaging(uint32(size))
	return ldap.NewSearchRequest(base, scopeOf(step.Args[1]), derefOf(aliases), 0, 0, false, step.Data, args, []ldap.Control{page}), page
}

func scopeOf(word string) int {
	switch word {
	case "one":
		return ldap.ScopeSingleLevel
	case "sub":
		return ldap.ScopeWholeSubtree
	}
	return ldap.ScopeBaseObject
}

// derefOf says what becomes of aliases: RFC 4511 section 4.5.1.3. One that the URI names is followed, since it is the URI of what
// it stands for; one that is found is shown.
func derefOf(word string) int {
	switch word {
	case "never":
		return ldap.NeverDerefAliases
	case "search":
		return ldap.DerefInSearching
	case "always":
		return ldap.DerefAlways
	}
	return ldap.DerefFindingBaseObj
}

// search asks, and waits for the first of the answers.
func (s *session) search(r *results) (*fetch.Document, error) {
	first, err := r.next()
	if list, ok := errors.AsType[referred](err); ok {
		d := fetch.NewDocument(body{io.NopCloser(strings.NewReader("")), r})
		d.Referrals, d.End = list, fetch.EndTerminated
		return d, nil
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if s.plan.Shape == fetch.ShapeDocument {
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
	d.TypeReason, d.Body = "entries of a directory", body{d.Body, r}
	return d, nil
}

// body ends the search with the document.
type body struct {
	io.ReadCloser
	results *results
}

func (b body) Close() error {
	return errors.Join(b.ReadCloser.Close(), b.results.Close())
}
