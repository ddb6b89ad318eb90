package mirror

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"

	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// prune removes local copies of what the server does not have any more. Nothing but the server's own word justifies that:
//
//   - a listing (of a tree, a gopher server or a wais database) that was read to its end, is not empty, holds no error message, and does
//     not contain the name any more;
//   - or the answer that there is no object of exactly this URI, in the pass or to a probe.
//
// Where a listing is empty, failed or incomplete, and where documents are found by links, each copy that the pass has not seen is probed.
// It is kept unless the answer is that it is gone.
func (m *mirror) prune(ctx context.Context) error {
	doomed, err := batch.OpenFrontier("")
	if err != nil {
		return err
	}
	defer doomed.Close()
	p := &pruning{mirror: m, doomed: doomed}
	if p.loose, err = m.evidence.state(); err != nil {
		return err
	}
	if p.all, err = m.copies(); err != nil {
		return err
	}
	p.most = m.options.MaxDelete.most(p.all)
	o := m.options.Batch
	o.Done, o.PauseOf = p.kept, m.pauseOf()
	if _, err := batch.Run(ctx, p.suspects(), p.probe, &o); err != nil {
		return err
	}
	if _, err := m.evidence.state(); err != nil { // of suspects
		return err
	}
	if p.tooMany() && !m.options.DryRun {
		return p.refusal()
	}
	for r, err := range m.manifest.all() {
		if err == nil {
			err = p.carryOut(r)
		}
		if err != nil {
			return err
		}
	}
	if p.tooMany() {
		return p.refusal()
	}
	return nil
}

// copies counts the local copies.
func (m *mirror) copies() (n int64, err error) {
	for r, err := range m.manifest.all() {
		if err != nil {
			return 0, err
		}
		if r.hasCopy() {
			n++
		}
	}
	return n, nil
}

// A pruning is one prune.
type pruning struct {
	*mirror
	loose  bool            // what menus do not contain means nothing
	all    int64           // copies in the mirror
	most   int64           // of which so many may be removed
	doomed *batch.Frontier // what will be
	count  atomic.Int64    // copies of it
	cut    atomic.Bool     // not everything was probed, since there were too many already
}

func (p *pruning) tooMany() bool { return p.count.Load() > p.most }

func (p *pruning) refusal() error {
	return &TooManyError{Copies: p.count.Load(), All: p.all, Most: p.most, More: p.cut.Load()}
}

// suspects dooms what the pass has shown to be gone, and yields the copies that must be asked about.
func (p *pruning) suspects() iter.Seq2[*batch.Item, error] {
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
				err = p.doom(u, r.hasCopy())
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

func (p *pruning) doom(u uri.URI, isCopy bool) error {
	added, err := p.doomed.Add(u, nil)
	if added && isCopy {
		p.count.Add(1)
	}
	return err
}

// A verdict is what the pass has shown of a record.
type verdict int

const (
	stays verdict = iota // or is not the pass's to judge
	goes
	undecided
)

// judge says what the pass has shown. Articles that have expired are kept: that is what a mirror of news is for.
func (p *pruning) judge(r *Record) (u uri.URI, v verdict, err error) {
	if !r.isDocument() && r.Kind != Alias && r.Kind != Link {
		return u, stays, nil
	}
	if u, err = uri.Parse(r.URI); err != nil || family(u.Scheme()) == "news" || p.outside(u, 0) != "" || !p.included(u) && !mayLead(u) {
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
	case (family(u.Scheme()) == "gopher" || u.Scheme() == "wais") && !p.loose:
		v = goes
	default: // a page that has no link any more does not say that the document is not there
		v = undecided
	}
	return u, v, err
}

// unlisted judges what is in a tree by the listing of the nearest directory that the pass has read.
func (p *pruning) unlisted(u uri.URI) (verdict, error) {
	whole, _, _ := strings.Cut(u.String(), "?")
	for at := len(whole); ; {
		slash := strings.LastIndexByte(whole[:at], '/')
		if slash < len(u.Scheme())+len("://") {
			return undecided, nil
		}
		dir, err := uri.Parse(whole[:slash+1])
		if err != nil {
			return undecided, nil
		}
		if dir = p.canonical(dir); at < len(whole) { // what was a directory may now be a link or a file
			other, err := uri.Parse(whole[:at])
			if err != nil {
				return undecided, nil
			}
			if named, err := p.frontier.Has(p.canonical(other)); named || err != nil {
				return undecided, err
			}
		}
		if read, err := p.frontier.Has(dir); err != nil {
			return undecided, err
		} else if read {
			doubtful, err := p.evidence.doubts.Has(dir)
			if doubtful {
				return undecided, err
			}
			return p.unnamed(whole, err)
		}
		at = slash
	}
}

// unnamed judges what the listing of its directory does not contain: a directory of that name may have taken its place.
func (p *pruning) unnamed(whole string, err error) (verdict, error) {
	if err != nil {
		return undecided, err
	}
	dir, err := uri.Parse(whole + "/")
	if err != nil {
		return undecided, nil
	}
	if named, err := p.frontier.Has(p.canonical(dir)); named || err != nil {
		return undecided, err
	}
	return goes, nil
}

// carryOut removes the copy of a record that is doomed.
func (p *pruning) carryOut(r Record) error {
	u, err := uri.Parse(r.URI)
	if err != nil || !r.isDocument() && r.Kind != Alias && r.Kind != Link {
		return nil
	}
	if doomed, err := p.doomed.Has(u); !doomed || err != nil {
		return err
	}
	return p.remove(r)
}
