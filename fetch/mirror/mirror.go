// Package mirror copies the object of a URI, with everything below it, into a directory: ftp and file trees, gopher holes, newsgroups,
// http, gemini, spartan and nex sites, the results of a wais search, and from each to the others if that is allowed.
//
//	sum, err := mirror.Run(ctx, client, uri.MustParse("ftp://ftp.example/pub/"), "copy", nil)
//
// It guarantees:
//
//   - Nothing is written outside the directory, through a link in it, or over a file that no earlier Run has written. A server's
//     name for a document becomes a name that the file system allows (package save), and no two documents get names that
//     it considers equal. The manifest records which URI is where.
//   - A server's symbolic link to something in the mirror becomes a relative link to the copy. Any other link is followed if it refers to
//     a file, and reported otherwise. A dangling link is not a failure, since nothing is lost.
//   - The manifest, .deref/manifest.jsonl, has a Record of each document and directory. It is complete at every moment.
//   - A copy is deleted only with Options.Delete, and only if the server has reported that the document is gone. Failures, redirects, and
//     listings that are empty or cut short delete nothing, and no copy is replaced by an unconfirmed empty document.
//   - The next Run with the same root and the same selecting options continues an interrupted one, even after SIGKILL. After a power failure it
//     visits everything again, and fetches what is not as it was recorded. If the manifest is lost, documents get other names than the files
//     that are there.
//   - Unchanged documents are not fetched again, as far as that can be known: from size and date in a listing, from validators, from
//     article numbers.
//   - Memory does not grow with the number of documents: the frontier, the visited URIs and the manifest are files.
//   - It ends, whatever servers send: steps, numbers and lengths are bounded, and path segments may not repeat forever.
//   - It is polite: it sends few requests at a time to one host, with pauses, and respects robots.txt for http, gopher and gemini.
//
// At the end, links in HTML pages, style sheets, SVG, gopher menus and gemtext are changed to refer to local copies, if they exist. The original document is
// then kept below .deref/original. A directory without a page of its own gets an index.html.
package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// A mirror is one Run.
type mirror struct {
	client  *fetch.Client
	get     fetch.Getter
	options Options
	root    uri.URI
	server  string   // of the root
	top     []string // directories on the server that correspond to the mirror's top

	pages      scope.Scope // of documents
	requisites scope.Scope // of what they embed

	*store
	frontier *batch.Frontier
	robots   *scope.Robots            // nil if they are ignored
	evidence *evidence                // about missing documents; nil without Delete
	outdated atomic.Bool              // a document did not have the size of its listing
	added    recent[string, struct{}] // keys of the frontier: of the 5,000 links of a site of 500 pages, 4,500 are to one of them
	adding   sync.Mutex               // held while entries of one listing are added

	mu       sync.Mutex // guards the following fields
	sum      Summary
	clean    bool   // nothing failed or was omitted: all listed articles were saved
	complete bool   // nothing was omitted, in particular not the root
	rootKey  string // key of the root, or of the URI to which it redirects
	reached  bool   // at least one URI
}

// Run mirrors root into the directory dir, and creates it if it does not exist. Failures of single documents are in the Summary; the error
// is that of ctx, of the directory, or of the root.
func Run(ctx context.Context, c *fetch.Client, root uri.URI, dir string, o *Options) (Summary, error) {
	m := &mirror{client: c, options: o.withDefaults(), clean: true, complete: true}
	if m.get = m.options.Getter; m.get == nil {
		m.get = c
	}
	if !m.options.IgnoreRobots {
		m.robots = scope.NewRobots(m.get, "")
	}
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
		err = m.undo()
	}
	return m.sum, diskError(err)
}

// isNothing reports whether this is the first Run into its directory and the root could not be fetched: there is nothing to keep or to
// continue.
func (m *mirror) isNothing() bool {
	if m.reached || !m.fresh {
		return false
	}
	switch fetch.KindOf(m.sum.First) {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrAuth, fetch.ErrUnavailable, fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection,
		fetch.ErrTLS,
		fetch.ErrDenied, fetch.ErrRefusedPort, fetch.ErrRedirect:
		return true
	}
	return false
}

// noteNewDir notes a directory that will be created. Once a URI was reached, undo will not need it.
func (m *mirror) noteNewDir(at string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reached {
		return
	}
	if _, err := m.docs.Lstat(at); isMissing(err) {
		m.newDirs = append(m.newDirs, at)
	}
}

// start determines the URI that corresponds to the top of the mirror.
func (m *mirror) start(ctx context.Context, root uri.URI) error {
	if _, err := m.client.Plan(root, m.options.Request); err != nil {
		return err
	}
	if err := m.resolveSlash(ctx, &root); err != nil {
		return err
	}
	m.setTop(root, m.options.NoParent)
	if why := m.whyNot(m.root, note{}); why != "" {
		return fetch.Errorf(fetch.ErrLimit, "the root itself is excluded: %s", why)
	}
	m.rootKey = key(m.root)
	return nil
}

// setTop sets the root, and what corresponds to the mirror's top.
func (m *mirror) setTop(root uri.URI, noParent bool) {
	m.root = m.canonical(root)
	m.server = serverOf(m.root)
	if noParent || isTree(m.root.Scheme()) || m.root.Scheme() == "wais" {
		m.top = pathOf(m.root).dirs
	}
	m.setScopes()
}

// resolveSlash checks whether a root without a final slash is a directory of a tree.
func (m *mirror) resolveSlash(ctx context.Context, root *uri.URI) error {
	if path := string(root.Path()); !endsInSlash(root.Scheme()) || path == "" || path[len(path)-1] == '/' {
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

// run performs a pass, or the rest of an interrupted one.
func (m *mirror) run(ctx context.Context) (err error) {
	var state *batch.State
	if m.frontier, state, m.sum.Resumed, err = m.openPass(m.fingerprint(boot()), m.fingerprint("")); err != nil {
		return err
	}
	defer state.Close()
	defer m.frontier.Close()
	if err := m.add(m.root, note{}); err != nil {
		return err
	}
	if m.options.Delete && !m.sum.Resumed { // an interrupted pass has not seen everything
		if m.evidence, err = newEvidence(); err != nil {
			return err
		}
		defer m.evidence.close()
	}
	o := m.options.Batch
	o.Journal, o.Done = state, m.itemDone
	if m.options.Commit != nil {
		o.Commit = m.commit
	}
	o.PauseOf = m.robots.Delay
	sum, err := m.frontier.Run(ctx, m.visit, &o)
	m.sum.First = sum.First
	if m.sum.Resumed {
		all, countErr := m.copies(context.WithoutCancel(ctx))
		m.sum.Earlier = max(0, all-m.sum.Saved-m.sum.Unchanged-m.sum.Linked)
		err = cmp.Or(err, countErr)
	}
	if ctx.Err() != nil {
		m.pausePass(m.fingerprint("")) // it ends with the error of ctx in any case
	}
	if err != nil {
		return err
	}
	return m.finish(ctx)
}

// commit completes the records that are durable now.
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

// fingerprint identifies the options that must be equal to continue an interrupted pass, and a start of the system if it is not "".
func (m *mirror) fingerprint(start string) string {
	o := &m.options
	fields := []any{key(m.root), o.Depth, o.Number, scope.LongestURI, o.SpanHosts, o.NoParent, o.Include, o.Exclude, o.Since,
		o.IgnoreRobots, o.KeepLinks, o.NoIndex, o.Requisites, o.RequisiteHosts, o.Extensions}
	if start != "" {
		fields = append(fields, start)
	}
	b, _ := json.Marshal(fields)
	return string(b)
}

// finish prunes and finalizes after all URIs were visited.
func (m *mirror) finish(ctx context.Context) error {
	var refusal error
	if m.evidence != nil && m.complete && !m.isNothing() {
		err := m.prune(ctx)
		if _, many := errors.AsType[*TooManyError](err); many {
			refusal = save.LocalError(err)
		} else if err != nil {
			return err
		}
	}
	if m.options.DryRun || m.isNothing() {
		return refusal
	}
	return errors.Join(refusal, m.finalize(ctx))
}

// finalize rewrites links, writes indexes and compacts the manifest after a complete pass.
func (m *mirror) finalize(ctx context.Context) error {
	if m.same && !m.manifest.isGrown() {
		return m.endPass()
	}
	steps := []func(context.Context) error{m.extend, m.makeLinks, m.relink, m.index}
	if m.sum.Resumed {
		steps = append(steps, m.sweep)
	}
	if m.clean {
		steps = append(steps, m.commitGroups)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := m.manifest.compact(m.isUseful); err != nil {
		return err
	}
	return m.endPass()
}

// isRoot reports whether u is the root or the URI to which it redirects.
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
