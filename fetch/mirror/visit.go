package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// A note holds the known facts about a URI when it is added to the frontier.
type note struct {
	Depth  int             `json:"depth,omitempty"`
	Within int             `json:"within,omitempty"` // steps from a page to this requisite of it; 0 if it is not one
	Kind   fetch.EntryKind `json:"kind,omitempty"`
	Listed *listed         `json:"listed,omitempty"`
	High   int64           `json:"high,omitempty"`   // of a newsgroup: its last article
	Sheet  bool            `json:"sheet,omitempty"`  // a page uses it as its style sheet
	Target string          `json:"target,omitempty"` // of a symbolic link into the mirror: the URI of its target
}

// add adds u to the frontier, unless it is known or left out.
func (m *mirror) add(u uri.URI, n note) error {
	u = m.canonical(u)
	if _, ok := m.added.get(key(u)); ok {
		return nil
	}
	why := m.whyNot(u, n)
	if why == "" && m.frontier.Len() >= m.options.Number {
		why = outFull
	}
	if why == outFull || why == scope.TooDeep {
		m.markIncomplete()
	}
	if why == "" {
		b, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if _, err = m.frontier.Add(u, b); err == nil {
			m.added.put(key(u), struct{}{}, len(key(u)))
		}
		return err
	}
	m.leaveOut(u, why)
	return nil
}

// visit is the Task for a URI.
func (m *mirror) visit(ctx context.Context, it *batch.Item) (int64, error) {
	v := visit{mirror: m, ctx: ctx, uri: m.withPassword(it.URI), item: it, date: time.Now}
	if m.options.Begin != nil {
		v.ctx, v.date = m.options.Begin(ctx)
	}
	if err := json.Unmarshal(it.Note, &v.note); err != nil {
		return 0, fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err)
	}
	if ok, err := m.robots.Allows(ctx, it.URI); err != nil {
		return 0, err
	} else if !ok {
		m.markIncomplete()
		if m.isRoot(it.URI) {
			return 0, fetch.Errorf(fetch.ErrRefused, "%s", scope.ByRobots)
		}
		m.leaveOut(it.URI, scope.ByRobots)
		return 0, nil
	}
	err := v.do()
	if err != nil && m.options.Lacks != nil && !m.isRoot(it.URI) {
		if why := m.options.Lacks(err); why != "" {
			m.markIncomplete()
			m.leaveOut(it.URI, why)
			err = nil
		}
	}
	if v.isDangling(err) {
		m.evidence.failed(it.URI, err)
		m.report(Event{URI: it.URI, Did: LeftOut, Why: outNothing, Warn: true})
		err = nil
	}
	return v.size, err
}

// A visit dereferences one URI.
type visit struct {
	*mirror
	ctx    context.Context
	uri    uri.URI
	item   *batch.Item
	date   func() time.Time // of the document
	note   note
	record Record
	size   int64
	high   int64 // of a newsgroup: the last listed article
	found  []found

	suspect  string // why the document is probably not the requested one
	decoding bool   // request content codings, to undo them: the server applies one in any case
}

// do distinguishes directories from documents by the URI and its entry in a listing.
func (v *visit) do() error {
	if v.note.Target != "" {
		return v.link()
	}
	switch v.note.Kind {
	case fetch.KindDir:
		return v.list(v.uri)
	case fetch.KindGroup:
		return v.group()
	}
	if pathOf(v.uri).name == "" { // a listing
		if family(v.uri.Scheme()) == "news" {
			return v.group()
		}
		return v.list(v.uri)
	}
	return v.document()
}

// list visits the entries of a listing.
func (v *visit) list(u uri.URI) error {
	d, err := v.get.Get(v.ctx, u, v.requestOf(u))
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return err
	}
	if d.Entries == nil {
		return fetch.Errorf(fetch.ErrProtocol, "got a document, not a listing")
	}
	if err := v.follow(d); err != nil {
		return err
	}
	if !v.options.DryRun {
		err = v.makeDir()
	}
	v.report(Event{URI: v.uri, Did: Read})
	return err
}

// makeDir creates the local directory of a listing, even if it is empty.
func (v *visit) makeDir() error {
	v.naming.Lock()
	defer v.naming.Unlock()
	at, err := v.dirFor(v.placeOf(v.uri).dirs)
	if err != nil || !isTree(v.uri.Scheme()) {
		return err
	}
	_, done, err := v.openDir(at)
	if err == nil {
		done()
	}
	return err
}

// follow visits the entries of d.
func (v *visit) follow(d *fetch.Document) error {
	var w listingCheck
	var err error
	for e, readErr := range d.Entries {
		if err = readErr; err == nil {
			w.add(&e)
			err = v.entry(e)
		}
		if err != nil {
			break
		}
	}
	if err = cmp.Or(err, v.addFound()); err != nil {
		return err
	}
	if !w.isReliable(d) {
		v.evidence.markUnreliable(v.uri)
	}
	return nil
}

// entry visits the target of an entry, if that can be fetched by itself.
func (v *visit) entry(e fetch.Entry) error {
	if e.Kind == fetch.KindText {
		return nil
	}
	if why := whyNotFetched(&e); why != "" {
		at := e.URI
		if at.IsZero() {
			at, why = v.uri, fmt.Sprintf("%s: %q", why, e.Title)
		}
		v.leaveOut(at, why)
		return nil
	}
	u, n := e.URI, note{Depth: v.note.Depth + 1, Kind: e.Kind, Listed: listedOf(e)}
	switch e.Kind {
	case fetch.KindMessage:
		u = byNumber(e)
		v.high = max(v.high, number(e, "number"))
	case fetch.KindGroup:
		n.High = number(e, "high")
	case fetch.KindLink:
		n.Target = v.targetOf(&e)
	}
	if v.isOldEntry(&e) && !mayHaveLinks(u) {
		v.markIncomplete()
		v.leaveOut(u, outOld)
		return nil
	}
	if done, err := v.isUpToDate(u, &n); done || err != nil {
		return err
	}
	if v.found = append(v.found, found{u, n}); len(v.found) < maxFound {
		return nil
	}
	return v.addFound()
}

// whyNotFetched returns why the target of an entry cannot be fetched by itself, or "".
func whyNotFetched(e *fetch.Entry) string {
	switch e.Kind {
	case fetch.KindFile, fetch.KindDir, fetch.KindMenu, fetch.KindGroup, fetch.KindLink, fetch.KindMessage:
		if e.URI.IsZero() {
			return outNoURI
		}
		return ""
	case fetch.KindSearch:
		return outSearch
	case fetch.KindSession:
		return outSession
	}
	return outNoDocument // a device, or a line that could not be parsed
}

// found is an entry of a listing that is not added yet.
type found struct {
	uri  uri.URI
	note note
}

// maxFound bounds the entries of a listing that are added at once.
const maxFound = 100

// addFound adds entries of a listing, without those of other listings between them: if the files of two directories alternated, so would the
// working directory of a connection.
func (v *visit) addFound() error {
	v.adding.Lock()
	defer v.adding.Unlock()
	for _, f := range v.found {
		if err := v.add(f.uri, f.note); err != nil {
			return err
		}
	}
	v.found = v.found[:0]
	return nil
}

// isUpToDate reports whether a listing shows that a document has not changed and need not be visited. Delete must know of every URI, and
// pages are visited for their links.
func (v *visit) isUpToDate(u uri.URI, n *note) (bool, error) {
	if n.Listed == nil || v.options.Delete || n.Target != "" {
		return false, nil
	}
	u = v.canonical(u)
	r, ok, err := v.manifest.byURI(key(u))
	if err != nil || !ok || r.Kind != File || !r.isListed(n.Listed) || !v.intact(&r) || v.whyNot(u, *n) != "" || !v.included(u) {
		return false, err
	}
	v.report(Event{URI: u, Path: r.Path, Did: Unchanged})
	return true, nil
}

// isOldEntry reports whether an entry shows that its target is too old. If the listing is not exact, the document's own time decides.
func (m *mirror) isOldEntry(e *fetch.Entry) bool {
	switch {
	case e.Kind == fetch.KindMessage:
		return m.isOld(e.Modified)
	case e.Kind != fetch.KindFile || e.Modified.IsZero():
		return false
	}
	return m.isOld(e.Modified.Add(slack(e.Precision, e.ZoneUnknown)))
}

func (m *mirror) isOld(t time.Time) bool {
	return !m.options.Since.IsZero() && !t.IsZero() && t.Before(m.options.Since)
}
