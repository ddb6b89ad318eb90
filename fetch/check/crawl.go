package check

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"hash/maphash"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// A Crawl says which pages are read for links, besides the sources. Links to any other page are tested, but not followed.
type Crawl struct {
	Depth        int            // steps from the sources; 0 is any number
	Hosts        scope.Patterns // whose pages are read; nil stands for the hosts of the sources
	Schemes      []string       // nil stands for those of the sources, and their variants with or without TLS
	Number       int64          // pages that are read at most; 0 is 10 million
	IgnoreRobots bool           // read pages even if the site's robots.txt forbids that
	Sitemaps     bool           // read the sitemaps of the sources' servers: those that robots.txt names, or /sitemap.xml
}

// A crawl is the state of a Crawl.
type crawl struct {
	Crawl
	scope   *scope.Scope
	schemes fetch.Registry
	robots  *scope.Robots // nil if they are ignored
	anchors anchors

	mu   sync.Mutex
	busy map[string]chan struct{} // the pages that are being read
}

const defaultPages = 10_000_000

func newCrawl(o *Crawl, schemes fetch.Registry, g fetch.Getter, sources []uri.URI) *crawl {
	var roots []uri.URI
	for _, u := range sources {
		roots = append(roots, scope.Canonical(schemes, u))
	}
	c := &crawl{Crawl: *o, scope: scope.Sites(roots, o.Hosts, o.Schemes, false), schemes: schemes, anchors: anchors{seed: maphash.MakeSeed(), pages: map[string]map[uint64]struct{}{}}, busy: map[string]chan struct{}{}}
	if c.Depth > 0 {
		c.scope.Depth = c.Depth
	}
	if c.Number <= 0 {
		c.Number = defaultPages
	}
	if !c.IgnoreRobots {
		c.robots = scope.NewRobots(g, "")
	}
	return c
}

// reads reports whether the page u, a number of steps from the sources, is one to read.
func (c *crawl) reads(u uri.URI, depth int) bool {
	return c.scope.WhyNot(scope.Canonical(c.schemes, u), depth) == ""
}

// root adds a source of a crawl: the page itself, and the pages of its sitemaps.
func (r *run) root(u uri.URI) error {
	if err := r.enlistLocked(u); err != nil || !r.crawl.Sitemaps || u.Scheme() != "http" && u.Scheme() != "https" {
		return err
	}
	maps := r.crawl.robots.Sitemaps(r.ctx, u)
	if len(maps) == 0 {
		maps = r.defaultSitemap(u)
	}
	for _, m := range maps {
		if err := r.enlistLocked(m); err != nil {
			return err
		}
	}
	return nil
}

// defaultSitemap returns /sitemap.xml, if the server has it.
func (r *run) defaultSitemap(u uri.URI) []uri.URI {
	ref, err := uri.Parse("/sitemap.xml")
	if err != nil {
		return nil
	}
	p := r.probe(r.ctx, u.Resolve(ref))
	d, err := p.request(fetch.Metadata)
	if err != nil || len(d.Via) > 0 {
		return nil
	}
	if f := formatOfDocument(d); f.Markup || !f.Declares { // not XML, but a page in its place
		return nil
	}
	return []uri.URI{p.uri}
}

func (r *run) enlistLocked(u uri.URI) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enlist(u.WithoutFragment(), Place{Source: u}, 0)
}

// visit reads a page of a crawl, and adds its links. done is false if the link is to be tested like any other: it is not of the site, or surely not a
// page.
func (r *run) visit(ctx context.Context, it *batch.Item, res *Result) (done bool, err error) {
	var n note
	if err := json.Unmarshal(it.Note, &n); err != nil {
		return true, fetch.Errorf(fetch.ErrLocal, "the list of links: %w", err)
	}
	part, hasPart := it.URI.Fragment()
	if hasPart {
		r.crawl.wait(ctx, it.URI)
		known, found := r.crawl.anchors.has(it.URI, string(part))
		if known && !found {
			res.Verdict, res.Err = Broken, fetch.Errorf(fetch.ErrNotFound, "the page has no part #%s", part)
			return true, res.Err
		}
		if known {
			res.Verdict = OK
		}
		return known, nil
	}
	if !r.crawl.reads(it.URI, n.Depth) || isMedia(it.URI) || r.pagesRead() >= r.crawl.Number {
		return false, nil
	}
	defer r.crawl.reading(it.URI)()
	if ok, err := r.crawl.robots.Allows(ctx, it.URI); err != nil {
		res.Err = err
		res.Verdict = verdictOf(res)
		return true, err
	} else if !ok {
		res.Verdict, res.Err = NotCheckable, fetch.Errorf(fetch.ErrDenied, "%s", scope.ByRobots)
		return true, nil
	}
	start := time.Now()
	r.readPage(ctx, it.URI, n.Depth, res)
	res.Time = time.Since(start)
	res.Verdict = verdictOf(res)
	return true, res.Err
}

// reading notes that a page is being read, until the returned function is called.
func (c *crawl) reading(u uri.URI) (done func()) {
	key, ready := u.String(), make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[key] = ready
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.busy, key)
		close(ready)
	}
}

// wait waits while the page that u refers to is being read, so that it is not requested twice.
func (c *crawl) wait(ctx context.Context, u uri.URI) {
	c.mu.Lock()
	ready := c.busy[u.WithoutFragment().String()]
	c.mu.Unlock()
	if ready == nil {
		return
	}
	select {
	case <-ready:
	case <-ctx.Done():
	}
}

func (r *run) pagesRead() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sum.Pages
}

// packed ends the name of a sitemap in a gzip file, as sitemaps.org allows, and maxMap is the most that one may contain.
const (
	packed = ".xml.gz"
	maxMap = 50 << 20
)

// unpack makes d the sitemap in a gzip file, if that is what d is.
func unpack(d *fetch.Document) error {
	kind := mediatype.Essence(d.Type)
	if kind != "application/gzip" && kind != "application/x-gzip" || !strings.HasSuffix(string(d.URI.Path()), packed) {
		return nil
	}
	z, err := gzip.NewReader(d.Body)
	if err != nil {
		return fetch.Errorf(fetch.ErrDecode, "not a gzip file: %w", err)
	}
	d.Body, d.Type = fetch.NewBody(io.LimitReader(z, maxMap), d.Body.Close), "application/xml"
	return nil
}

// isMedia reports whether the name of u is that of a document in a format without links. It is requested like a link to another site.
func isMedia(u uri.URI) bool {
	name := path.Base(string(u.Path()))
	media, _ := mediatype.OfName(name)
	return !strings.HasSuffix(name, packed) && media != "" && media != mediatype.Unknown && formatOf(media, name).List == nil
}

// readPage requests a page, and adds its links. A page that redirects to another URI of the site is read there.
func (r *run) readPage(ctx context.Context, u uri.URI, depth int, res *Result) {
	p := r.probe(ctx, u)
	d, err := p.get(fetch.Retrieve)
	if d != nil {
		defer d.Body.Close()
		res.Final, p.status = p.final(d), d.Status
		res.Permanent = p.permanent
	}
	if res.judge(r.options.Accept.of(u), p.status, ignoreSession(err)); err != nil {
		return
	}
	if final := res.Final.WithoutFragment(); !final.IsZero() {
		if r.crawl.reads(final, depth) {
			r.mu.Lock()
			res.Err = r.enlist(final, Place{Source: u}, depth)
			r.mu.Unlock()
		}
		return
	}
	if res.Err = unpack(d); res.Err != nil {
		return
	}
	if d.Entries == nil && formatOfDocument(d).List == nil {
		res.Err = begin(d.Body)
		return
	}
	if err := r.crawl.anchors.read(d); err != nil {
		res.Err = err
		return
	}
	res.Err = r.page(d, depth+1)
}
