// Package check tests links of every scheme: those of pages, texts, Markdown, lists, menus and folders, each asked for in the way that
// costs its server least.
//
//	sum, err := check.Run(ctx, client, []uri.URI{uri.MustParse("file:///home/me/links.html")}, &check.Options{
//		Done: func(r *check.Result) { fmt.Println(r.Verdict, r.URI) },
//	})
//
// What a caller can rely on:
//
//   - A link is asked for once, however often it stands somewhere; where the first of them stand is in its Result.
//   - Metadata is asked for where a scheme has such a question (HEAD, SIZE, STAT), else the document, of which only the beginning is
//     read. A server's no to the former is believed only when it says no to the latter, too.
//   - "not checkable" is no failure: a mail address, a scheme without a handler, a message of which no source is known.
//   - A web page in the place of another document, as of a captive portal, is "suspect"; Options.FailSuspect makes it a failure.
//   - A fragment of a page, or of lines of a text, is looked for in the document, which is not asked for again for each of many.
//   - Memory does not grow with the number of links, but for those that fail, up to a bound.
//   - Requests are as polite as Options.Batch says, and lead only where the Client's policy lets them.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// A Verdict is a word for what a link is worth.
type Verdict string

const (
	OK           Verdict = "ok"
	Redirected   Verdict = "redirected" // it leads to a document, by way of another URI
	Suspect      Verdict = "suspect"    // a web page came that is probably not the document: of a captive portal, or a login (package portal)
	Broken       Verdict = "broken"     // the server is there and has no such thing; or it is no URI
	Denied       Verdict = "denied"     // somebody must log in, or may not come
	Unreachable  Verdict = "unreachable"
	NotCheckable Verdict = "not checkable"
)

// IsBad reports whether the link is known not to work. A Suspect one may: see Options.FailSuspect.
func (v Verdict) IsBad() bool { return v == Broken || v == Denied || v == Unreachable }

// A Place is where a link stands.
type Place struct {
	Source uri.URI
	Line   int    // of a text, from 1; 0 unknown
	Text   string // that stands for it
}

// A Result is what is known of one link.
type Result struct {
	URI     uri.URI // zero where Ref is none
	Ref     string  // as it is written, where it is no URI
	Verdict Verdict
	Final   uri.URI // where it leads, of one that is redirected
	Err     error   // why it is not ok
	Suspect string  // why the document is probably another one, "" if it is not
	Cached  bool    // it was found out earlier
	Time    time.Duration
	Places  []Place // the first ones, at most MaxPlaces
	Count   int     // of all places

	redact func(uri.URI) string
}

// MaxPlaces is how many places a Result names.
const MaxPlaces = 20

// Options are the wishes of a Run; nil means the zero value.
type Options struct {
	Request *fetch.Options // of each request: settings, trace
	Batch   batch.Options  // how many at a time, and how politely; State and Done are not for the caller
	Links   func(d *fetch.Document) iter.Seq2[Link, error]
	Depth   int    // folders within a folder that is a source, 0 is 100
	Cache   *Cache // what was found out earlier; nil nothing
	// FailSuspect makes a Suspect link a failure of the kind ErrUnavailable, as status 511 is (RFC 6585 section 6).
	FailSuspect bool
	// Redact gives URIs for reports without the secrets in them; nil takes out passwords. fetch.Registry.Redact knows more of each scheme.
	Redact func(uri.URI) string

	// Done is told of each link, one at a time, in the order in which they are found out.
	Done func(*Result)
}

// A Summary counts what was found.
type Summary struct {
	Links    int64 // different ones
	Verdicts map[Verdict]int64
	First    error // why the first bad one is bad: of those that are no URI, else in the order in which the sources hold them
	Time     time.Duration
}

// Run checks the links of the documents that the sources lead to; those of a folder are the links of the pages and texts in it. The
// error is that of ctx, or of a source that cannot be read, after what could be was checked.
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

// run is a Run.
type run struct {
	ctx     context.Context
	client  fetch.Getter
	options *Options
	links   *batch.Frontier
	places  map[string]*places // by URI
	told    int                // places that are held
	first   int64              // the number of the link that sum.First is about
	pages   pages
	sum     Summary
}

// places are where one link stands.
type places struct {
	first []Place
	count int
}

// maxPlacesHeld bounds the places of all links together; beyond it they are counted only.
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
	b.Done = func(it *batch.Item, _ int64, err error) { r.done(it, err) }
	if _, err := r.links.Run(r.ctx, r.item, &b); err != nil {
		return err
	}
	return unread
}

// add takes up a link.
func (r *run) add(l Link, from Place) error {
	if l.Err != nil {
		r.tell(&Result{redact: r.options.Redact, Ref: l.Ref, Verdict: Broken, Err: l.Err, Places: []Place{from}, Count: 1}, -1)
		return nil
	}
	r.stands(l.URI, from)
	_, err := r.links.Add(l.URI, nil)
	return err
}

func (r *run) stands(u uri.URI, at Place) {
	p := r.places[u.String()]
	switch {
	case p != nil:
		p.count++
	case r.told < maxPlacesHeld:
		p = &places{count: 1}
		r.places[u.String()] = p
	default:
		return
	}
	if len(p.first) < MaxPlaces && r.told < maxPlacesHeld {
		p.first = append(p.first, at)
		r.told++
	}
}

// item finds out about one link. What is found out is kept in the item, since a failure is a result here.
func (r *run) item(ctx context.Context, it *batch.Item) (int64, error) {
	res := &Result{redact: r.options.Redact, URI: it.URI}
	it.Keep = res
	if r.options.Cache.recall(res) {
		return 0, nil
	}
	start := time.Now()
	p := &probe{ctx: ctx, client: r.client, options: r.options.Request, pages: &r.pages, uri: it.URI}
	res.Final, res.Err = p.do()
	if res.Err == nil && p.suspect != "" {
		res.Suspect = p.suspect
		if r.options.FailSuspect {
			res.Err = fetch.Errorf(fetch.ErrUnavailable, "%s", res.Suspect)
		}
	}
	res.Time = time.Since(start)
	res.Verdict = judge(res)
	if res.Verdict == Suspect {
		return 0, nil // there is nothing to try again
	}
	return 0, res.Err
}

// done tells of an item that has come to its end.
func (r *run) done(it *batch.Item, err error) {
	res, ok := it.Keep.(*Result)
	if !ok { // it was never begun: its host is left alone, or the run ends
		res = &Result{redact: r.options.Redact, URI: it.URI, Err: err}
		res.Verdict = judge(res)
	}
	if p := r.places[it.URI.String()]; p != nil {
		res.Places, res.Count = p.first, p.count
		delete(r.places, it.URI.String())
		r.told -= len(p.first)
	}
	if !res.Cached {
		r.options.Cache.note(res)
	}
	r.tell(res, it.Number)
}

// tell counts a link, and tells of it. One that is no URI was never an item, and has the number -1.
func (r *run) tell(res *Result, number int64) {
	r.sum.Links++
	r.sum.Verdicts[res.Verdict]++
	if (res.Verdict.IsBad() || res.Verdict == Suspect && res.Err != nil) && (r.sum.First == nil || number < r.first) {
		r.sum.First, r.first = res.Err, number
	}
	if r.options.Done != nil {
		r.options.Done(res)
	}
}

// String is the summary in a line.
func (s *Summary) String() string {
	text := fmt.Sprintf("%d links", s.Links)
	for _, v := range []Verdict{OK, Redirected, Suspect, Broken, Denied, Unreachable, NotCheckable} {
		if n := s.Verdicts[v]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, v)
		}
	}
	return text + ", in " + s.Time.Round(10*time.Millisecond).String()
}

// resultJSON is a Result as machines read it.
type resultJSON struct {
	URI     string      `json:"uri"`
	Verdict Verdict     `json:"verdict"`
	Final   string      `json:"final_uri,omitempty"`
	Class   string      `json:"class,omitempty"`
	Message string      `json:"message,omitempty"`
	Suspect string      `json:"suspect,omitempty"`
	Cached  bool        `json:"cached,omitempty"`
	Time    float64     `json:"time"` // seconds
	Count   int         `json:"count"`
	Places  []placeJSON `json:"places"`
}

type placeJSON struct {
	Source string `json:"source"`
	Line   int    `json:"line,omitempty"`
	Text   string `json:"text,omitempty"`
}

// MarshalJSON gives {"uri","verdict","final_uri","class","message","suspect","cached","time","count","places":[{"source","line","text"}]}. No
// password is in it.
func (r *Result) MarshalJSON() ([]byte, error) {
	j := resultJSON{URI: r.Name(), Verdict: r.Verdict, Suspect: r.Suspect, Cached: r.Cached, Time: r.Time.Seconds(), Count: r.Count, Places: []placeJSON{},
		Final: r.FinalName()}
	for _, p := range r.Places {
		j.Places = append(j.Places, placeJSON{r.shown(p.Source), p.Line, p.Text})
	}
	if r.Err != nil {
		j.Class, j.Message = string(fetch.KindOf(r.Err)), r.Err.Error()
	}
	return json.Marshal(j)
}

// Name is the link for people, without what Options.Redact takes out.
func (r *Result) Name() string {
	if r.URI.IsZero() {
		return r.Ref
	}
	return r.shown(r.URI)
}

// FinalName is Final likewise, "" where it is zero.
func (r *Result) FinalName() string {
	if r.Final.IsZero() {
		return ""
	}
	return r.shown(r.Final)
}

// PlaceName is SOURCE or SOURCE:LINE, likewise.
func (r *Result) PlaceName(p Place) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", r.shown(p.Source), p.Line)
	}
	return r.shown(p.Source)
}

func (r *Result) shown(u uri.URI) string {
	if r.redact != nil {
		return r.redact(u)
	}
	return u.Redacted(nil)
}
