// Package mirror copies what a URI leads to, with all that lies below it, into a folder: trees of ftp and file, holes of gopher,
// newsgroups, sites of http, gemini, spartan and nex, what a wais database finds, and from each to the others where that is allowed.
//
//	sum, err := mirror.Run(ctx, client, uri.MustParse("ftp://ftp.example/pub/"), "copy", nil)
//
// What a caller can rely on:
//
//   - Nothing is written outside the folder, nor through a link in it, nor over a file that no earlier Run has written. What servers
//     call a document becomes a name that the folder's file system can hold (package save), and no two documents get names that it
//     takes for one. The manifest says which URI is where.
//   - A server's symbolic link to what is in the mirror becomes a relative link to the copy. Any other link is followed if it is to a file, and
//     otherwise reported. A link that leads to nothing is no failure: nothing is lost by it.
//   - The manifest, .deref/manifest.jsonl, has a Record of each document and folder. It is complete at every moment.
//   - A copy is deleted only where that is wanted and the server has said that the document is gone; failures, redirects, and listings
//     that are empty or cut short delete nothing, and no copy is replaced by an empty document that nothing confirms.
//   - A Run that was interrupted, by SIGKILL too, goes on in the next with the same root and the same options about what is wanted.
//   - What has not changed is not fetched again, as far as that can be known: by size and date in a listing, by what a server said
//     of a document's state, by the numbers of articles.
//   - Memory does not grow with the number of documents: what is still to be done, what has been seen and what is where are in files.
//   - It ends, whatever servers lead to: there are bounds for steps, numbers, and lengths, and segments of a path may not repeat forever.
//   - It is polite: a few requests at a time to one host, the pauses that it or the caller wants, and robots.txt for http and gopher.
//
// When all has come, links in pages of HTML, in menus of gopher and in gemtext are made to lead to local copies, where there are such. The document
// as it came is kept below .deref/original then. A folder without a page of its own gets an index.html.
package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// Options are the wishes of a Run; nil means the zero value.
type Options struct {
	Depth     int   // steps from the root, 0 is 1000, negative none: the root alone
	Number    int64 // of URIs that are taken up in one Run, 0 is 50 million
	URILength int   // in octets, 0 is 2048
	SpanHosts bool  // follow links to other servers, of any scheme that retrieves over the network
	NoParent  bool  // keep below the folder of the root; trees keep there anyway

	Exclude []Pattern // what is neither fetched nor looked into, folders included
	Include []Pattern // what is kept; other pages and menus are only read for their links
	Since   time.Time // leave out documents that are known to be older; pages and menus are taken all the same

	Delete       bool   // remove local copies of what the server is known not to have any more (see prune); articles are kept
	MaxDelete    *Bound // how many copies one Run may remove; with more, it removes none. nil is half of them, where there are more than ten
	DryRun       bool   // say what would be done: listings, menus and pages are read, and nothing is written into the folder
	KeepLinks    bool   // leave links as they came
	NoIndex      bool   // make no index.html
	Portable     bool   // give copies names that every system can hold, so that the folder can be copied to any; Windows and macOS always do
	IgnoreRobots bool

	Batch   batch.Options  // Parallel, PerHost (0 is 2, with a Pause 1), Pause, Retry and Patience
	Request *fetch.Options // of each request; Login and secret settings go to the server of the root alone
	Getter  fetch.Getter   // dereferences in place of the Client, nil is the Client: one that keeps a rate

	// Commit makes durable what the Client's Recorder has taken down; nil if there is none. The manifest has what lets a later Run leave a
	// document out (its validator, its listing) only after the Commit that covers it, and no document is continued from a part: an archive
	// is to have it in one piece. An error ends the Run.
	Commit func() error

	// Done is told what has become of each URI, one at a time.
	Done func(Event)
}

// politePerHost is what a server bears that serves others too.
const politePerHost = 2

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	switch {
	case c.Depth == 0:
		c.Depth = defaultDepth
	case c.Depth < 0:
		c.Depth = 0
	}
	if c.Number <= 0 {
		c.Number = defaultNumber
	}
	if c.URILength <= 0 {
		c.URILength = defaultURI
	}
	if c.Batch.PerHost <= 0 && c.Batch.Pause <= 0 {
		c.Batch.PerHost = politePerHost
	}
	return c
}

// An Event is what has become of one URI.
type Event struct {
	URI  uri.URI
	Path string // of the local copy
	Did  Did
	Size int64
	Why  string // it was left out
	Warn bool   // with Why: something of the server's is missing in the copy, although nothing failed
	Err  error
	// Suspect is why the document is probably another one, as of a captive portal (package portal); "" if it is not.
	Suspect string
}

// Did is a word for what was done.
type Did string

const (
	Saved     Did = "saved"     // or would be, with DryRun
	Unchanged Did = "unchanged" // the local copy is what the server has
	Read      Did = "read"      // a listing, or a page that is not kept
	Led       Did = "led"       // to another URI, which is taken up by itself
	Linked    Did = "linked"    // a symbolic link of the server's is one here, or would be, with DryRun
	LeftOut   Did = "left out"
	Deleted   Did = "deleted" // or would be, with DryRun
	Kept      Did = "kept"    // in spite of Delete: nothing refers to it any more, and the server does not say that it is gone
	Failed    Did = "failed"
)

// A Summary is what became of a Run.
type Summary struct {
	Saved, Unchanged, Linked, Deleted, Kept, Failed, LeftOut int64

	Suspect int64 // of all these: probably not the documents that were wanted
	Octets  int64 // of what was saved
	Resumed bool  // an earlier Run that was interrupted
	First   error // the failure nearest to the root
	Time    time.Duration
}

// A mirror is one Run.
type mirror struct {
	client  *fetch.Client
	get     fetch.Getter
	options Options
	root    uri.URI
	server  string   // of the root
	top     []string // folders of the server that the mirror's top stands for

	*store
	frontier *batch.Frontier
	robots   robots
	evidence *evidence // of what is no longer there; nil where nothing is to be deleted

	mu       sync.Mutex // of what follows
	sum      Summary
	clean    bool   // nothing failed, nothing was cut off: all articles that were listed have come
	complete bool   // nothing was cut off, the root least of all
	rootKey  string // key of what the root is, or redirects to
	came     bool   // anything at all
}

// Run mirrors what root leads to into the folder dir, which is made where it is missing. Failures of single documents are in
// the Summary; the error is that of ctx, of the folder, or of the root.
func Run(ctx context.Context, c *fetch.Client, root uri.URI, dir string, o *Options) (Summary, error) {
	m := &mirror{client: c, options: o.withDefaults(), clean: true, complete: true}
	if m.get = m.options.Getter; m.get == nil {
		m.get = c
	}
	m.robots = robots{client: m.get, agent: "deref"}
	began := time.Now()
	err := m.start(ctx, root)
	if err == nil {
		m.store, err = openStore(dir, m.options.DryRun, m.options.Portable)
	}
	if err != nil {
		return m.sum, err
	}
	defer m.store.close()
	err = m.run(ctx)
	m.sum.Time = time.Since(began)
	if err == nil && m.isNothing() {
		err = m.store.undo()
	}
	return m.sum, err
}

// isNothing reports whether this is the first Run into its folder and the root was not to be had: there is nothing to keep, nor to go on with.
func (m *mirror) isNothing() bool {
	if m.came || !m.fresh {
		return false
	}
	switch fetch.KindOf(m.sum.First) {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrAuth, fetch.ErrUnavailable, fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTLS,
		fetch.ErrDenied, fetch.ErrRefusedPort, fetch.ErrRedirect:
		return true
	}
	return false
}

// start settles what the top of the mirror stands for.
func (m *mirror) start(ctx context.Context, root uri.URI) error {
	if !root.IsAbs() {
		return fetch.Errorf(fetch.ErrRefusedURL, "%q is a partial form", root.Redacted(nil))
	}
	if _, err := m.client.Plan(root, m.options.Request); err != nil {
		return err
	}
	if err := m.slashed(ctx, &root); err != nil {
		return err
	}
	m.root = m.canonical(root)
	m.server = serverOf(m.root)
	if m.options.NoParent || isTree(m.root.Scheme()) || m.root.Scheme() == "wais" {
		m.top = pathOf(m.root).folders
	}
	if why := m.outside(m.root, 0); why != "" {
		return fetch.Errorf(fetch.ErrLimit, "the root itself is left out: %s", why)
	}
	m.rootKey = key(m.root)
	return nil
}

// slashed finds out whether what has no slash at its end is a folder of a tree all the same.
func (m *mirror) slashed(ctx context.Context, root *uri.URI) error {
	if path := string(root.Path()); !isTree(root.Scheme()) || family(root.Scheme()) == "news" || path == "" || path[len(path)-1] == '/' {
		return nil
	}
	d, err := m.get.Get(ctx, *root, m.options.Request)
	if d != nil {
		defer d.Body.Close()
	}
	if err == nil && d.Entries != nil {
		*root = d.Base
	}
	return err
}

// run does a pass, or the rest of one.
func (m *mirror) run(ctx context.Context) (err error) {
	var state *batch.State
	if m.frontier, state, m.sum.Resumed, err = m.openPass(m.fingerprint()); err != nil {
		return err
	}
	defer state.Close()
	defer m.frontier.Close()
	if err := m.add(m.root, note{}); err != nil {
		return err
	}
	if m.options.Delete && !m.sum.Resumed { // one that was interrupted has not seen everything
		if m.evidence, err = newEvidence(); err != nil {
			return err
		}
		defer m.evidence.close()
	}
	o := m.options.Batch
	o.State, o.Done = state, m.ended
	if m.options.Commit != nil {
		o.Commit = m.commit
	}
	o.PauseOf = m.pauseOf()
	sum, err := m.frontier.Run(ctx, m.visit, &o)
	m.sum.First = sum.First
	if err != nil {
		return err
	}
	return m.finish(ctx)
}

// commit records in full what is durable now.
func (m *mirror) commit(items []*batch.Item) error {
	if err := m.options.Commit(); err != nil {
		return err
	}
	for _, it := range items {
		if r, ok := it.Keep.(Record); ok {
			if err := m.manifest.add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// pauseOf is the pause that robots.txt wants; nil where nobody asks for it.
func (m *mirror) pauseOf() func(*batch.Item) time.Duration {
	if m.options.IgnoreRobots {
		return nil
	}
	return func(it *batch.Item) time.Duration { return m.robots.delay(it.URI) }
}

// fingerprint tells whether a pass that was interrupted wanted the same as this one.
func (m *mirror) fingerprint() string {
	o := &m.options
	b, _ := json.Marshal([]any{key(m.root), o.Depth, o.Number, o.URILength, o.SpanHosts, o.NoParent, o.Include, o.Exclude, o.Since, o.IgnoreRobots, o.KeepLinks, o.NoIndex})
	return string(b)
}

// finish is what is done when all has come.
func (m *mirror) finish(ctx context.Context) error {
	var refusal error
	if m.evidence != nil && m.complete && !m.isNothing() {
		var many *TooManyError
		if err := m.prune(ctx); errors.As(err, &many) {
			refusal = fetch.Errorf(fetch.ErrLocal, "%w", err)
		} else if err != nil {
			return err
		}
	}
	if m.options.DryRun || m.isNothing() {
		return refusal
	}
	return errors.Join(refusal, m.settleAll(ctx))
}

// settleAll leaves the folder as a pass should that has come to its end.
func (m *mirror) settleAll(ctx context.Context) error {
	if m.same && !m.manifest.isGrown() {
		return m.endPass()
	}
	steps := []func(context.Context) error{m.makeLinks, m.relink, m.index}
	if m.sum.Resumed {
		steps = append(steps, m.sweep)
	}
	if m.clean {
		steps = append(steps, m.settleGroups)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := m.manifest.compact(m.isOfUse); err != nil {
		return err
	}
	return m.endPass()
}

// ended counts a URI that has come to its end without a word of its own: a failure.
func (m *mirror) ended(it *batch.Item, _ int64, err error) {
	if err == nil {
		return
	}
	if m.isRoot(it.URI) {
		m.cut() // a root that could not be had says nothing of what was below it
	}
	m.evidence.failed(it.URI, err)
	m.tell(Event{URI: it.URI, Did: Failed, Err: err})
}

// tell counts what was done and reports it.
func (m *mirror) tell(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Suspect != "" {
		m.sum.Suspect++
	}
	m.came = m.came || e.Did != Failed && e.Did != Led
	switch e.Did {
	case Saved:
		m.sum.Saved++
		m.sum.Octets += e.Size
	case Unchanged:
		m.sum.Unchanged++
	case Linked:
		m.sum.Linked++
	case Deleted:
		m.sum.Deleted++
	case Kept:
		m.sum.Kept++
	case LeftOut:
		m.sum.LeftOut++
	case Failed:
		m.sum.Failed++
		m.clean = m.clean && fetch.KindOf(e.Err) == fetch.ErrNotFound
	}
	if m.options.Done != nil {
		m.options.Done(e)
	}
}

// cut notes that something was left out which an earlier Run may have had.
func (m *mirror) cut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clean, m.complete = false, false
}

// isRoot reports whether u is the root, or what it redirects to.
func (m *mirror) isRoot(u uri.URI) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return key(u) == m.rootKey
}

func (m *mirror) setRoot(u uri.URI) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rootKey = key(u)
}
