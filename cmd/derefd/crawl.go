//go:build unix || windows

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// A note is what the log has of a URI that a worker has found. That of a seed is empty.
type note struct {
	Depth int    `json:"d,omitempty"` // steps from a seed
	Root  string `json:"r,omitempty"` // of a crawl: the seed
	Hops  int    `json:"h,omitempty"` // redirects since the last link
}

const (
	crawlDepth  = 1000 // default of depth: it ends chains of pages without an end, and of hosts
	maxHops     = 10   // redirects in a row, which are not steps
	crawlWindow = 512  // items of a partition in memory: the slowest of its hosts must not delay the others
)

func noteOf(it *batch.Item) (n note, err error) {
	if len(it.Note) == 0 {
		return n, nil
	}
	if err = json.Unmarshal(it.Note, &n); err != nil {
		err = fetch.Errorf(fetch.ErrLocal, "the note of %s: %w", it.URI.Redacted(nil), err)
	}
	return n, err
}

// depthOf returns the rank of an item, so that hosts advance together: requests of fewer steps from a seed come first.
func depthOf(it *batch.Item) int {
	n, _ := noteOf(it) // an error is that of the task
	return n.Depth
}

// A finder adds what one document refers to.
type finder struct {
	*worker
	note  note // of the document
	scope *scope.Scope
	put   hub.AddFunc
}

// finder returns the finder for an item. A crawl stays below the directories of the job's seeds and that of the URI from which it has come, since a list
// can have any number, or on the hosts of the job. Other tasks stay on the server of the listing.
func (w *worker) finder(it *batch.Item, put hub.AddFunc) (*finder, error) {
	n, err := noteOf(it)
	root, f, hosts, schemes := it.URI, w.job, scope.Patterns(nil), []string{it.URI.Scheme()}
	if f.crawls() {
		hosts, schemes = f.hosts, f.Schemes
		if n.Root != "" && err == nil {
			root, err = uri.Parse(n.Root)
		}
		n.Root = root.WithoutPassword().String()
	}
	s := scope.Sites(append(f.roots[:len(f.roots):len(f.roots)], scope.Canonical(w.client.Schemes, root)), hosts, schemes, f.crawls())
	if s.Depth = f.Depth; f.crawls() {
		s.Depth = cmp.Or(f.Depth, crawlDepth)
	}
	s.Include, s.Exclude = f.include, f.exclude
	ofSite := s.Scheme
	s.Scheme = func(u uri.URI) bool { return ofSite(u) && w.retrieves(u) }
	return &finder{w, n, s, put}, err
}

// add adds a URI that is one step further than the document, if it is in the scope. A listing need not match include, since it may contain what does.
func (x *finder) add(u uri.URI, listing bool) error {
	s, n := *x.scope, x.note
	n.Depth, n.Hops = n.Depth+1, 0
	if listing {
		s.Include = nil
	}
	return x.addNoted(&s, u, n)
}

func (x *finder) addNoted(s *scope.Scope, u uri.URI, n note) error {
	u = scope.Canonical(x.client.Schemes, u)
	if s.WhyNot(u, n.Depth) != "" {
		return nil
	}
	text, err := json.Marshal(n)
	if err == nil {
		_, err = x.put(u, text)
	}
	return err
}

// redirect adds the URIs to which a document redirects, so that the owners of their hosts request them. Where a seed redirects to is a seed.
func (x *finder) redirect(list []fetch.Referral) error {
	n := x.note
	if n.Hops++; n.Hops > maxHops {
		return fetch.Errorf(fetch.ErrRedirect, "more than %d redirects", maxHops)
	}
	for _, r := range list {
		s, n := x.scope, n
		if u := scope.Canonical(x.client.Schemes, r.URI); n.Depth == 0 && u.Host() != "" && s.WhyNot(u, 0) != "" {
			n.Root = u.WithoutPassword().String()
			s = &scope.Scope{Exclude: s.Exclude, Scheme: x.retrieves}
		}
		if err := x.addNoted(s, r.URI, n); err != nil {
			return err
		}
	}
	return nil
}

// entries adds the entries of a listing, and returns how many it has. The task of listing adds only those that may be listings, too.
func (x *finder) entries(d *fetch.Document) (n int, err error) {
	for e, err := range d.Entries {
		if err != nil {
			return n, err
		}
		n++
		listing := false
		switch e.Kind {
		case fetch.KindDir, fetch.KindMenu, fetch.KindGroup:
			listing = true
		case fetch.KindFile, fetch.KindMessage:
			if x.files == nil {
				continue
			}
		case fetch.KindLink:
			if !x.job.crawls() {
				continue
			}
		default:
			continue
		}
		if err := x.add(e.URI, listing); err != nil {
			return n, err
		}
	}
	return n, nil
}

// links adds the links of a document. What is wrong in its text is not a failure, since it is stored as it is.
func (x *finder) links(d *fetch.Document) error {
	for l, err := range check.Links(d) {
		if err != nil {
			break
		}
		if l.Err != nil || l.Action {
			continue
		}
		if err := x.add(l.URI, false); err != nil {
			return err
		}
	}
	return nil
}

// retrieves reports whether workers follow links to URIs of the scheme of u.
func (w *worker) retrieves(u uri.URI) bool {
	s, _ := w.client.Schemes.Lookup(u.Scheme())
	return !s.Local && scope.IsRetrieved(w.client.Schemes, u)
}

// mayRead returns an error if the server's robots.txt forbids a crawl to read u.
func (w *worker) mayRead(ctx context.Context, u uri.URI) error {
	ok, err := w.robots.Allows(ctx, u)
	if err == nil && !ok {
		err = errForbidden()
	}
	return err
}

func errForbidden() error { return fetch.Errorf(fetch.ErrDenied, "%s", scope.ByRobots) }

// A countedBody counts the bytes of a document, and keeps the error that ended it.
type countedBody struct {
	io.ReadCloser
	size int64
	err  error
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.size += int64(n); err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
