// Package check tests links of every scheme: those in pages, texts, Markdown, lists, menus and directories, each with the request that
// costs its server least.
//
//	sum, err := check.Run(ctx, client, []uri.URI{uri.MustParse("file:///home/me/links.html")}, &check.Options{
//		Done: func(r *check.Result) { fmt.Println(r.Verdict, r.URI) },
//	})
//
// It guarantees:
//
//   - A link is requested once, however often it occurs; its Result contains its first places.
//   - Metadata is requested if the scheme supports that (HEAD, SIZE, STAT), else the document, of which only the beginning is
//     read. A negative reply to the former counts only if the latter fails, too.
//   - "not checkable" is not a failure: a mail address, a scheme without a handler, a message without a configured mail source.
//   - A web page in place of another document, such as that of a captive portal, is "suspect"; Options.FailSuspect makes it a failure.
//   - A fragment of a page, or of the lines of a text, is searched for in the document, which is not fetched again for each link to it.
//   - Memory does not grow with the number of links, except for failing ones, up to a bound.
//   - Requests are as polite as Options.Batch demands, and reach only what the Client's policy allows. A host that refuses requests for now gets fewer,
//     and none while its RateLimit fields forbid them.
//   - A host that cannot be reached several times in a row gets no requests for half a minute, and its links are tested after that. Other failures,
//     such as status 500, concern a single link.
package check

import (
	"context"
	"fmt"
	"iter"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// Options controls a Run; nil means the zero value.
type Options struct {
	Request *fetch.Options // for each request: settings, trace
	Batch   batch.Options  // concurrency and politeness; Run sets State and Done itself
	Links   func(d *fetch.Document) iter.Seq2[Link, error]
	Depth   int    // nesting of directories within a source directory; 0 is 100
	Cache   *Cache // earlier results; may be nil
	// FailSuspect makes a Suspect link a failure of the kind ErrUnavailable, like status 511 (RFC 6585 section 6).
	FailSuspect bool
	// Redact removes secrets from URIs in reports; nil removes passwords. fetch.Registry.Redact also knows the secrets of each scheme.
	Redact func(uri.URI) string

	// Unread is called for each document whose format has no known links; for a directory, it is called for each file in it, except hidden ones.
	Unread func(u uri.URI, why ErrUnread)

	// Done is called for each link, one at a time, in the order of the results.
	Done func(*Result)
}

// A Summary counts the results.
type Summary struct {
	Links    int64 // different links
	Unread   int64 // documents in formats that are not read
	Verdicts map[Verdict]int64
	First    error // error of the first bad link: first of those that are not URIs, else in the order of the sources
	Time     time.Duration
}

// Run checks the links in the documents that the sources refer to; for a directory, the links in its pages and texts. The error is that of
// ctx, or of a source that cannot be read, after the others were checked.
func Run(ctx context.Context, c fetch.Getter, sources []uri.URI, o *Options) (Summary, error) {
	if o == nil {
		o = &Options{}
	}
	start := time.Now()
	r := &run{ctx: ctx, client: c, options: o, sum: Summary{Verdicts: map[Verdict]int64{}}, places: map[string]*places{}}
	err := r.all(sources)
	r.sum.Time = time.Since(start)
	return r.sum, err
}

// A run is one call of Run.
type run struct {
	ctx        context.Context
	client     fetch.Getter
	options    *Options
	links      *batch.Frontier
	places     map[string]*places // by URI
	placesHeld int                // places in memory
	first      int64              // number of the link of sum.First
	pages      pages
	paces      paces
	sum        Summary
}

// places holds where one link occurs.
type places struct {
	first []Place
	count int
}

// outage is how long links wait for a host that is down. Such a host gets one more request, half a minute after it was found to be down.
const outage = time.Minute

// maxPlacesHeld bounds the places of all links together; beyond it they are only counted.
const maxPlacesHeld = 200_000

func (r *run) all(sources []uri.URI) (err error) {
	if r.links, err = batch.OpenFrontier(""); err != nil {
		return err
	}
	defer r.links.Close()
	var unread error
	for _, u := range sources {
		if err := r.source(u, 0); err != nil && unread == nil {
			unread = err
		}
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
	}
	b := r.options.Batch
	if b.IsOutage == nil {
		b.IsOutage = isOutage
	}
	if b.Outage == 0 {
		b.Outage = outage
	}
	given := b.PauseOf
	b.PauseOf = func(it *batch.Item) time.Duration {
		pause := r.paces.of(it)
		if given != nil {
			pause = max(pause, given(it))
		}
		return pause
	}
	b.Done = func(it *batch.Item, _ int64, err error) { r.done(it, err) }
	if _, err := r.links.Run(r.ctx, r.item, &b); err != nil {
		return err
	}
	return unread
}

// add adds a link.
func (r *run) add(l Link, from Place) error {
	if l.Err != nil {
		r.report(&Result{redact: r.options.Redact, Ref: l.Ref, Verdict: Broken, Err: l.Err, Places: []Place{from}, Count: 1}, -1)
		return nil
	}
	r.addPlace(l.URI, from)
	_, err := r.links.Add(l.URI, nil)
	return err
}

func (r *run) addPlace(u uri.URI, at Place) {
	p := r.places[u.String()]
	switch {
	case p != nil:
		p.count++
	case r.placesHeld < maxPlacesHeld:
		p = &places{count: 1}
		r.places[u.String()] = p
	default:
		return
	}
	if len(p.first) < MaxPlaces && r.placesHeld < maxPlacesHeld {
		p.first = append(p.first, at)
		r.placesHeld++
	}
}

// item checks one link. The result is kept in the item, since a failure is a result here.
func (r *run) item(ctx context.Context, it *batch.Item) (int64, error) {
	res := &Result{redact: r.options.Redact, URI: it.URI}
	it.Keep = res
	if r.options.Cache.lookup(res) {
		return 0, nil
	}
	start := time.Now()
	p := &probe{ctx: ctx, client: r.client, options: r.options.Request, pages: &r.pages, paces: &r.paces, uri: it.URI, perHost: r.options.Batch.PerHost}
	res.Final, res.Err = p.do()
	res.Permanent = p.permanent
	if res.Err == nil && p.suspect != "" {
		res.Suspect = p.suspect
		if r.options.FailSuspect {
			res.Err = fetch.Errorf(fetch.ErrUnavailable, "%s", res.Suspect)
		}
	}
	res.Time = time.Since(start)
	res.Verdict = verdictOf(res)
	if res.Verdict == Suspect {
		return 0, nil // a retry would not help
	}
	return 0, res.Err
}

// done reports a finished item.
func (r *run) done(it *batch.Item, err error) {
	res, ok := it.Keep.(*Result)
	if !ok { // it was never started: its host gets no requests, or the run ends
		res = &Result{redact: r.options.Redact, URI: it.URI, Err: err}
		res.Verdict = verdictOf(res)
	}
	if p := r.places[it.URI.String()]; p != nil {
		res.Places, res.Count = p.first, p.count
		delete(r.places, it.URI.String())
		r.placesHeld -= len(p.first)
	}
	if !res.Cached {
		r.options.Cache.note(res)
	}
	r.report(res, it.Number)
}

// report counts a link and passes it to Done. A link that is not a URI was never an item, and has the number -1.
func (r *run) report(res *Result, number int64) {
	r.sum.Links++
	r.sum.Verdicts[res.Verdict]++
	if (res.Verdict.IsBad() || res.Verdict == Suspect && res.Err != nil) && (r.sum.First == nil || number < r.first) {
		r.sum.First, r.first = res.Err, number
	}
	if r.options.Done != nil {
		r.options.Done(res)
	}
}

// String returns the summary in one line.
func (s *Summary) String() string {
	text := fmt.Sprintf("%d links", s.Links)
	for _, v := range []Verdict{OK, Redirected, Suspect, Broken, Denied, Unreachable, NotCheckable} {
		if n := s.Verdicts[v]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, v)
		}
	}
	if s.Unread > 0 {
		text += fmt.Sprintf(", %d files not read", s.Unread)
	}
	return text + ", in " + s.Time.Round(10*time.Millisecond).String()
}
