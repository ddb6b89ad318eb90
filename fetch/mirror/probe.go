package mirror

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/portal"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// maxCounted bounds how many missing copies are counted once there are too many. A report needs no more, and the server is spared the
// probes.
const maxCounted = 1000

// probe is the Task that queries the server about one suspect.
func (p *pruning) probe(ctx context.Context, it *batch.Item) (int64, error) {
	if p.tooMany() && p.count.Load() >= maxCounted && !p.options.DryRun {
		p.cut.Store(true)
		it.Keep = nil
		return 0, nil
	}
	it.Keep = Event{Why: "the server still has it"}
	if ok, err := p.robots.Allows(ctx, it.URI); err != nil {
		return 0, err
	} else if !ok {
		it.Keep = Event{Why: scope.ByRobots}
		return 0, nil
	}
	gone, d, err := p.isGone(ctx, it.URI)
	if r, _, _ := p.manifest.byURI(key(it.URI)); err == nil {
		if why := portal.Suspect(it.URI, d, r.Type); why != "" {
			it.Keep = Event{Why: "the server's document is probably another one", Suspect: why}
		}
	}
	if gone && err == nil {
		it.Keep = nil
		err = p.markForDeletion(it.URI, true)
	}
	return 0, err
}

// kept reports that the copy of a suspect stays.
func (p *pruning) kept(it *batch.Item, _ int64, err error) {
	e, _ := it.Keep.(Event)
	if err != nil {
		e.Why = "the server does not report it as gone: " + err.Error()
	}
	if e.Why == "" {
		return
	}
	r, _, _ := p.manifest.byURI(key(it.URI))
	e.URI, e.Path, e.Did = it.URI, r.Path, Kept
	p.report(e)
}

// isGone queries the server about one document: by SIZE, HEAD or the equivalent of its protocol, or else by fetching its beginning. The
// returned Document is closed.
func (m *mirror) isGone(ctx context.Context, u uri.URI) (bool, *fetch.Document, error) {
	u = m.withPassword(u)
	o := m.requestOf(u).Clone()
	o.Op = fetch.Metadata
	if _, err := m.get.Plan(u, o); fetch.KindOf(err) == fetch.ErrUnsupported {
		o.Op = fetch.Retrieve
	}
	d, err := m.get.Get(ctx, u, o)
	if d != nil {
		d.Body.Close()
	}
	if fetch.IsGone(err) {
		return true, nil, nil
	}
	return false, d, err
}

// withPassword adds the password of the root, which the manifest does not contain, to a URI of the same user and server.
func (m *mirror) withPassword(u uri.URI) uri.URI {
	user, _, has := m.root.User()
	if other, _, _ := u.User(); !has || other != user || u.Scheme() != m.root.Scheme() || serverOf(u) != m.server {
		return u
	}
	userinfo, _ := m.root.Userinfo()
	prefix := u.Scheme() + "://"
	full, err := uri.Parse(prefix + string(userinfo) + "@" + strings.TrimPrefix(u.WithoutUserinfo().String(), prefix))
	if err != nil {
		return u
	}
	return full
}
