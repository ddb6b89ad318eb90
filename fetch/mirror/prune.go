package mirror

import (
	"context"
	"strings"
	"sync/atomic"

	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// prune removes local copies of documents that the server no longer has. It requires evidence from the server itself:
//
//   - a listing (of a tree, a gopher server or a wais database) that was read to its end, is not empty, contains no error message, and
//     no longer contains the name;
//   - or the reply that exactly this URI does not exist, in the pass or to a probe.
//
// If a listing is empty, failed or incomplete, and for documents that are found by links, each copy that the pass has not seen is probed.
// It is kept unless the server replies that it is gone.
func (m *mirror) prune(ctx context.Context) error {
	toDelete, err := batch.OpenFrontier("")
	if err != nil {
		return err
	}
	defer toDelete.Close()
	p := &pruning{mirror: m, toDelete: toDelete}
	if p.menusUnreliable, err = m.evidence.state(); err != nil {
		return err
	}
	if p.all, err = m.copies(ctx); err != nil {
		return err
	}
	p.limit = m.options.MaxDelete.limit(p.all)
	o := m.options.Batch
	o.Done, o.PauseOf = p.kept, m.robots.Delay
	if _, err := batch.Run(ctx, p.suspects(), p.probe, &o); err != nil {
		return err
	}
	if _, err := m.evidence.state(); err != nil { // an error in suspects
		return err
	}
	if p.tooMany() && !m.options.DryRun {
		return p.refusal()
	}
	if err := m.manifest.each(context.WithoutCancel(ctx), p.deleteMarked); err != nil {
		return err
	}
	if p.tooMany() {
		return p.refusal()
	}
	return nil
}

// copies counts the local copies.
func (m *mirror) copies(ctx context.Context) (n int64, err error) {
	err = m.manifest.each(ctx, func(r Record) error {
		if r.hasCopy() {
			n++
		}
		return nil
	})
	return n, err
}

// A pruning is one call of prune.
type pruning struct {
	*mirror
	menusUnreliable bool            // a name missing in a menu does not prove anything
	all             int64           // copies in the mirror
	limit           int64           // copies that may be removed
	toDelete        *batch.Frontier // URIs whose copies will be removed
	count           atomic.Int64    // copies among them
	cut             atomic.Bool     // probing stopped, since there were too many already
}

func (p *pruning) tooMany() bool { return p.count.Load() > p.limit }

func (p *pruning) refusal() error {
	return &TooManyError{Copies: p.count.Load(), All: p.all, Most: p.limit, More: p.cut.Load()}
}

// suspects marks the documents that are gone according to the pass, and yields the copies that must be probed.
func (p *pruning) suspects() batch.Seq {
	return func(yield func(*batch.Item, error) bool) {
		for r, err := range p.manifest.all() {
			var u uri.URI
			var v verdict
			if err == nil {
				u, v, err = p.judge(&r)
			}
			switch {
			case err != nil:
			case v == goes:
				err = p.markForDeletion(u, r.hasCopy())
			case v == undecided && r.hasCopy():
				if !yield(&batch.Item{URI: u}, nil) {
					return
				}
			}
			if err != nil {
				p.evidence.note(err)
				return
			}
		}
	}
}

func (p *pruning) markForDeletion(u uri.URI, isCopy bool) error {
	added, err := p.toDelete.Add(u, nil)
	if added && isCopy {
		p.count.Add(1)
	}
	return err
}

// A verdict is the pass's conclusion about a record.
type verdict int

const (
	stays verdict = iota // also if the pass does not cover it
	goes
	undecided
)

// judge returns the verdict on a record. Expired articles are kept, since that is the purpose of a mirror of news.
func (p *pruning) judge(r *Record) (u uri.URI, v verdict, err error) {
	if !r.isObject() {
		return u, stays, nil
	}
	if u, err = uri.Parse(r.URI); err != nil || family(u.Scheme()) == "news" || p.isOutside(u) {
		return u, stays, nil
	}
	if gone, err := p.evidence.gone.Has(u); gone || err != nil {
		return u, goes, err
	}
	if seen, err := p.frontier.Has(u); seen || err != nil {
		return u, stays, err
	}
	switch {
	case isTree(u.Scheme()):
		v, err = p.unlisted(u)
	case (family(u.Scheme()) == "gopher" || u.Scheme() == "wais") && !p.menusUnreliable:
		v = goes
	default: // a missing link does not prove that the document is gone
		v = undecided
	}
	return u, v, err
}

// isOutside reports whether the pass does not cover u. Any copy may be a requisite of a page.
func (p *pruning) isOutside(u uri.URI) bool {
	if p.options.Requisites {
		return p.whyNot(u, note{Within: 1}) != ""
	}
	return p.whyNot(u, note{}) != "" || !p.included(u) && !mayHaveLinks(u)
}

// unlisted judges a URI in a tree by the listing of the nearest directory that the pass has read.
func (p *pruning) unlisted(u uri.URI) (verdict, error) {
	whole, _, _ := strings.Cut(u.String(), "?")
	for at := len(whole); ; {
		slash := strings.LastIndexByte(whole[:at], '/')
		if slash < len(u.Scheme())+len("://") {
			return undecided, nil
		}
		if at < len(whole) { // a former directory may now be a link or a file
			if named, err := p.isNamed(whole[:at]); named || err != nil {
				return undecided, err
			}
		}
		dir, err := uri.Parse(whole[:slash+1])
		if err != nil {
			return undecided, nil
		}
		dir = p.canonical(dir)
		if read, err := p.frontier.Has(dir); err != nil {
			return undecided, err
		} else if read {
			return p.unnamed(dir, whole)
		}
		at = slash
	}
}

// unnamed judges a name that is missing in the listing dir. A directory of that name may have replaced it.
func (p *pruning) unnamed(dir uri.URI, whole string) (verdict, error) {
	if doubtful, err := p.evidence.unreliable.Has(dir); doubtful || err != nil {
		return undecided, err
	}
	if named, err := p.isNamed(whole + "/"); named || err != nil {
		return undecided, err
	}
	return goes, nil
}

// isNamed reports whether the pass knows a URI, or s is not one.
func (p *pruning) isNamed(s string) (bool, error) {
	u, err := uri.Parse(s)
	if err != nil {
		return true, nil
	}
	return p.frontier.Has(p.canonical(u))
}

// deleteMarked removes the copy of a record that is marked for deletion.
func (p *pruning) deleteMarked(r Record) error {
	u, err := uri.Parse(r.URI)
	if err != nil || !r.isObject() {
		return nil
	}
	if toDelete, err := p.toDelete.Has(u); !toDelete || err != nil {
		return err
	}
	return p.remove(r)
}
