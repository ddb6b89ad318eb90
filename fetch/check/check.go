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
//   - Results are in the order of the sources, each as soon as all earlier ones are known. In a crawl, whose pages have no order, what is bad or
//     suspect comes at the end, sorted by its first place.
//   - Memory does not grow with the number of links, except for failing ones, up to a bound.
//   - Requests are as polite as Options.Batch demands (package batch has what a host may expect), and reach only what the Client's policy allows.
//   - With Crawl, the pages of whole sites are read, as robots.txt allows. A run with a List and a State is continued after an interruption.
//   - A host that cannot be reached several times in a row gets no requests for half a minute, and its links are tested after that. Other failures,
//     such as status 500, concern a single link.
package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// Options controls a Run; nil means the zero value.
type Options struct {
	Request *fetch.Options // for each request: settings, trace
	// Schemes are those of the Client. Then a login, and settings that are bound to one server or secret, are for the servers of the sources, and
	// not for others to which their documents link. If all sources are local, they are for each server. nil is for each server, too.
	Schemes fetch.Registry
	Batch   batch.Options // concurrency and politeness; Run sets Done, Order, Window and what an outage is itself, and PauseOf in a crawl
	Links   func(d *fetch.Document) Seq
	Cache   *Cache // earlier results; may be nil

	Include, Exclude scope.Patterns // links that are checked, and those that are not; all if both are empty
	Rules            []*Rules       // exclude links, and files of source directories
	Accept           Statuses       // with which a link is good; those of patterns that match it, else the others
	// Skip returns why a link must not be requested, or "". Such a link is not checkable. It may be nil.
	Skip func(uri.URI) string
	// Base is the URI at which the sources will be published: a local file has the references of the document with its name there. A file in a
	// source directory has its path below that directory.
	Base uri.URI
	// Root is the local directory to which references that begin with "/" refer in local files.
	Root     uri.URI
	Baseline *Baseline // problems that are known already; may be nil

	// Crawl checks whole sites, not only the links in the sources; nil does not.
	Crawl *Crawl
	// List is the path of a file for the links, so that an interrupted run with a State as Batch.Journal can be continued. "" is an unnamed file.
	List string

	// FailSuspect makes a Suspect link a failure of the kind ErrUnavailable, like status 511 (RFC 6585 section 6).
	FailSuspect bool
	// Redact removes secrets from URIs in reports; nil removes passwords. fetch.Registry.Redact also knows the secrets of each scheme.
	Redact func(uri.URI) string

	// Unread is called for each document whose format has no known links; for a directory, it is called for each file in it, except hidden ones.
	Unread func(u uri.URI, why ErrUnread)

	// Done is called for each link, one at a time.
	Done func(*Result)
}

// A Summary counts the results.
type Summary struct {
	Links    int64 // different links
	Unread   int64 // documents in formats that are not read
	Excluded int64 // occurrences of links that are not checked
	Known    int64 // problems in the Baseline
	Pages    int64 // documents whose links were read
	Earlier  int64 // links that an earlier run with the same List has tested
	Verdicts map[Verdict]int64
	First    error // error of the first bad link, in the order of Done
	Time     time.Duration

	crawl bool
}

// Run checks the links in the documents that the sources refer to; for a directory, the links in its pages and texts. The error is that of
// ctx, or of a source that cannot be read, after the others were checked.
func Run(ctx context.Context, c fetch.Getter, sources []uri.URI, o *Options) (Summary, error) {
	if o == nil {
		o = &Options{}
	}
	start := time.Now()
	r := &run{ctx: ctx, client: c, options: o, origins: map[string]bool{}, sum: Summary{Verdicts: map[Verdict]int64{}, crawl: o.Crawl != nil}, places: map[string]*places{}, held: map[string]*Result{}}
	for _, source := range sources {
		if origin := o.Schemes.Origin(source); origin != "" {
			r.origins[origin] = true
		}
	}
	err := r.all(sources)
	r.sum.Time = time.Since(start)
	return r.sum, err
}

// A run is one call of Run.
type run struct {
	ctx     context.Context
	client  fetch.Getter
	options *Options
	origins map[string]bool // of the sources
	links   *batch.Frontier
	crawl   *crawl // nil unless whole sites are checked

	mu         sync.Mutex         // guards the following fields
	held       map[string]*Result // of a crawl: bad links, since more pages may contain them
	waiting    []invalidRef       // without a crawl: references that wait for their turn
	heldBytes  int                // of the references in held and waiting
	places     map[string]*places // by URI
	placesHeld int                // places in memory
	pages      pages
	rules      []*Rules // of the directories that are read
	top        string   // the current source directory
	sum        Summary
}

// places holds where one link occurs.
type places struct {
	first []Place
	count int
}

// outage is how long links wait for a host that is down. Such a host gets one more request, half a minute after it was found to be down.
const outage = time.Minute

// window is how many links may be tested while an earlier one is: a host that is down must not delay the others. They take about 20 MB.
const window = 16 << 10

// maxPlacesHeld bounds the places of all links together. Beyond it they are only counted, and the list of links has the first place of each.
const maxPlacesHeld = 50_000

func (r *run) mayHoldPlace() bool { return r.placesHeld < maxPlacesHeld }

func (r *run) all(sources []uri.URI) (err error) {
	if r.links, err = batch.OpenFrontier(r.options.List); err != nil {
		return err
	}
	defer r.links.Close()
	if r.options.Crawl != nil {
		r.crawl = newCrawl(r.options.Crawl, r.options.Schemes, r.client, sources)
	}
	unread := r.read(sources)
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	b := r.options.Batch
	b.IsOutage, b.Outage = isOutage, outage
	if r.crawl != nil {
		b.PauseOf = r.crawl.robots.Delay
	} else {
		b.Order, b.Window = order{r}, window
	}
	b.Done = func(it *batch.Item, _ int64, err error) { r.done(it, err) }
	sum, err := r.links.Run(r.ctx, r.item, &b)
	r.sum.Earlier = sum.Skipped
	r.reportHeld()
	if err != nil {
		return err
	}
	return unread
}

// read adds the links of the sources, or, in a crawl, the sources themselves. It returns the first error.
func (r *run) read(sources []uri.URI) (unread error) {
	for _, u := range sources {
		err := r.ctx.Err()
		switch {
		case err != nil:
			return err
		case r.crawl != nil && u.Scheme() != "data":
			err = r.root(u)
		default:
			err = r.source(u, 0)
		}
		unread = cmp.Or(unread, err)
	}
	return unread
}

// A note is what the list of links holds of a link.
type note struct {
	Depth  int    `json:"depth,omitempty"` // steps from the source
	Source string `json:"source,omitempty"`
	Line   int    `json:"line,omitempty"`
	Text   string `json:"text,omitempty"`
}

// add adds a link that is a number of steps from the sources.
func (r *run) add(l Link, from Place, depth int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.Err != nil {
		r.invalid(&Result{redact: r.options.Redact, Ref: l.Ref, Verdict: Broken, Err: l.Err, Places: []Place{from}, Count: 1})
		return nil
	}
	o := r.options
	if o.Exclude.MatchLink(l.URI) || len(o.Include) > 0 && !o.Include.MatchLink(l.URI) || r.ignored(l.URI, from) {
		r.sum.Excluded++
		return nil
	}
	if r.crawl != nil && strings.Contains(l.URI.String(), "#") && r.crawl.reads(l.URI, depth) { // the page comes first, and with it its anchors
		if err := r.enlist(l.URI.WithoutFragment(), from, depth); err != nil {
			return err
		}
	}
	return r.enlist(l.URI, from, depth)
}

// enlist adds a link to the list, or a place to a link.
func (r *run) enlist(u uri.URI, from Place, depth int) error {
	n, err := json.Marshal(note{depth, from.Source.String(), from.Line, from.Text})
	if err != nil {
		return err
	}
	added, err := r.links.Add(u, n)
	r.addPlace(u, from, added)
	return err
}

// addPlace notes that a link occurs at a place, unless its result has been reported.
func (r *run) addPlace(u uri.URI, at Place, added bool) {
	if held := r.held[u.String()]; held != nil {
		r.addPlaceTo(held, at)
		return
	}
	p := r.places[u.String()]
	switch {
	case p != nil:
		p.count++
	case added && r.mayHoldPlace():
		p = &places{count: 1}
		r.places[u.String()] = p
	default:
		return
	}
	if r.mayHoldPlace() {
		before := len(p.first)
		p.first = r.withPlace(p.first, at)
		r.placesHeld += len(p.first) - before
	}
}

// item checks one link. The result is kept in the item, since a failure is a result here.
func (r *run) item(ctx context.Context, it *batch.Item) (int64, error) {
	res := &Result{redact: r.options.Redact, URI: it.URI}
	it.Keep = res
	why := ""
	if r.options.Skip != nil {
		why = r.options.Skip(it.URI)
	}
	if r.crawl != nil && why == "" { // a page that is in the Cache has links, too
		if done, err := r.visit(ctx, it, res); done {
			return 0, cmp.Or(res.busy, err)
		}
	}
	if r.options.Cache.lookup(res) {
		return 0, nil
	}
	if why != "" {
		res.Verdict, res.Err = NotCheckable, fetch.Errorf(fetch.ErrDenied, "%s", why)
		return 0, nil
	}
	start := time.Now()
	p := r.probe(ctx, it.URI)
	final, err := p.do()
	res.Final, res.Permanent = final, p.permanent
	res.judge(r.options.Accept.of(it.URI), p.status, err)
	if res.Err == nil && p.suspect != "" {
		res.Suspect = p.suspect
		if r.options.FailSuspect {
			res.Err = fetch.Errorf(fetch.ErrUnavailable, "%s", res.Suspect)
		}
	}
	res.Time = time.Since(start)
	res.Verdict = verdictOf(res)
	if res.Verdict == Suspect || isLocalNews(res) {
		return 0, nil // a retry would not help
	}
	return 0, cmp.Or(res.busy, res.Err)
}

// probe returns the probe of a link, with the options for its server.
func (r *run) probe(ctx context.Context, u uri.URI) *probe {
	p := &probe{ctx: ctx, client: r.client, options: r.options.Request, pages: &r.pages, uri: u}
	if len(r.origins) > 0 && !r.origins[r.options.Schemes.Origin(u)] {
		p.options = r.options.Schemes.ReferralOptions(p.options, uri.URI{}, u)
	}
	return p
}

// done reports a finished item.
func (r *run) done(it *batch.Item, err error) {
	res, ok := it.Keep.(*Result)
	if !ok { // it was never started: its host gets no requests, or the run ends
		res = &Result{redact: r.options.Redact, URI: it.URI, Err: err}
		res.Verdict = verdictOf(res)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.places[it.URI.String()]; p != nil {
		res.Places, res.Count = p.first, p.count
		delete(r.places, it.URI.String())
		r.placesHeld -= len(p.first)
	} else {
		r.placeFrom(res, it.Note)
	}
	if !res.Cached {
		r.options.Cache.note(res)
	}
	if r.crawl != nil && (res.Verdict.IsBad() || res.Verdict == Suspect) && len(r.held) < maxHeld {
		r.held[it.URI.String()] = res
		return
	}
	r.report(res)
}

// report counts a link and passes it to Done. The caller holds r.mu.
func (r *run) report(res *Result) {
	r.sum.Links++
	r.sum.Verdicts[res.Verdict]++
	bad := res.Verdict.IsBad() || res.Verdict == Suspect && res.Err != nil
	if res.Known = bad && r.options.Baseline.has(res); res.Known {
		r.sum.Known++
	}
	if bad && !res.Known && r.sum.First == nil {
		r.sum.First = res.Err
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
	if s.Known > 0 {
		text += fmt.Sprintf(", %d known problems", s.Known)
	}
	if s.Excluded > 0 {
		text += fmt.Sprintf(", %d excluded", s.Excluded)
	}
	if s.crawl {
		text += fmt.Sprintf(", %d pages read", s.Pages)
	}
	if s.Earlier > 0 {
		text += fmt.Sprintf(", %d tested earlier", s.Earlier)
	}
	if s.Unread > 0 {
		text += fmt.Sprintf(", %d %s not read", s.Unread, map[bool]string{true: "file", false: "files"}[s.Unread == 1])
	}
	return text + ", in " + s.Time.Round(10*time.Millisecond).String()
}
