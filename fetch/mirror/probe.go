package mirror

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/portal"
	"example.org/deref/uri"
)

// enough is up to how many copies that are gone are counted, once there are too many: a report needs no more, and the server no more probes.
const enough = 1000

// probe is the Task of a suspect.
func (p *pruning) probe(ctx context.Context, it *batch.Item) (int64, error) {
	if p.tooMany() && p.count.Load() >= enough && !p.options.DryRun {
		p.cut.Store(true)
		it.Keep = ""
		return 0, nil
	}
	it.Keep = "the server still has it"
	if !p.options.IgnoreRobots {
		if ok, err := p.robots.allows(ctx, it.URI); err != nil {
			return 0, err
		} else if !ok {
			it.Keep = outRobots
			return 0, nil
		}
		if err := p.robots.wait(ctx, it.URI); err != nil {
			return 0, err
		}
	}
	gone, d, err := p.isGone(ctx, it.URI)
	if r, _, _ := p.manifest.byURI(key(it.URI)); err == nil {
		if why := portal.Suspect(it.URI, d, r.Type); why != "" {
			it.Keep = doubtful(why)
		}
	}
	if gone && err == nil {
		it.Keep = ""
		err = p.doom(it.URI, true)
	}
	return 0, err
}

// kept reports a suspect whose copy stays.
func (p *pruning) kept(it *batch.Item, _ int64, err error) {
	why, _ := it.Keep.(string)
	suspect, _ := it.Keep.(doubtful)
	if suspect != "" {
		why = "what the server has is probably another document"
	}
	if err != nil {
		why = "the server does not say that it is gone: " + err.Error()
	}
	if why == "" {
		return
	}
	r, _, _ := p.manifest.byURI(key(it.URI))
	p.tell(Event{URI: it.URI, Path: r.Path, Did: Kept, Why: why, Suspect: string(suspect)})
}

// doubtful is why the document of a suspect is probably another one.
type doubtful string

// isGone asks the server about one document: by SIZE, HEAD or whatever its protocol has for it, else by fetching its beginning. The Document that
// it returns is closed.
func (m *mirror) isGone(ctx context.Context, u uri.URI) (bool, *fetch.Document, error) {
	u = m.withPassword(u)
	var o fetch.Options
	if base := m.requestOf(u); base != nil {
		o = *base
	}
	o.Op = fetch.Metadata
	if _, err := m.get.Plan(u, &o); fetch.KindOf(err) == fetch.ErrUnsupported {
		o.Op = fetch.Retrieve
	}
	d, err := m.get.Get(ctx, u, &o)
	if d != nil {
		d.Body.Close()
	}
	if fetch.IsGone(err) {
		return true, nil, nil
	}
	return false, d, err
}

// withPassword adds the password of the root, which the manifest does not have, to a URI of the same user and server.
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
