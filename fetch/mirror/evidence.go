package mirror

import (
	"errors"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// evidence collects what a pass learns about missing documents. Its sets are files, since their size depends on the servers. A nil evidence
// collects nothing.
type evidence struct {
	gone       *batch.Frontier // the server reported that it has no such object
	unreliable *batch.Frontier // unreliable listings: a missing name does not prove anything

	mu              sync.Mutex
	menusUnreliable bool // some menu is unreliable; which menu contained a document is not recorded
	err             error
}

func newEvidence() (*evidence, error) {
	gone, err := batch.OpenFrontier("")
	if err != nil {
		return nil, err
	}
	unreliable, err := batch.OpenFrontier("")
	if err != nil {
		gone.Close()
		return nil, err
	}
	return &evidence{gone: gone, unreliable: unreliable}, nil
}

func (e *evidence) close() {
	e.gone.Close()
	e.unreliable.Close()
}

// failed notes that u could not be fetched, and whether the server reported it as gone.
func (e *evidence) failed(u uri.URI, err error) {
	if e == nil {
		return
	}
	if fetch.IsGone(err) {
		_, err := e.gone.Add(u, nil)
		e.note(err)
	}
	e.markUnreliable(u)
}

// markUnreliable records that a name missing in the listing or menu u does not prove anything.
func (e *evidence) markUnreliable(u uri.URI) {
	if e == nil {
		return
	}
	_, err := e.unreliable.Add(u, nil)
	e.note(err)
	if !isTree(u.Scheme()) {
		e.mu.Lock()
		e.menusUnreliable = true
		e.mu.Unlock()
	}
}

func (e *evidence) note(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = errors.Join(e.err, err)
}

// state returns whether conclusions from menus are unreliable, and the first error.
func (e *evidence) state() (menusUnreliable bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.menusUnreliable, e.err
}

// A listingCheck decides whether a listing or menu is reliable.
type listingCheck struct {
	named   bool // an entry with a URI
	damaged bool // an error message or an unparsable line
}

func (w *listingCheck) add(e *fetch.Entry) {
	switch {
	case !e.URI.IsZero():
		w.named = true
	case e.Kind == fetch.KindUnknown, e.Value("item") == "3":
		w.damaged = true
	}
}

// isReliable reports whether a name missing from d, which was read to its end, is really missing. A gopher menu must end with its line of
// one dot (RFC 1436 section 3.8): many servers send none, but without it the menu may have been cut short.
func (w *listingCheck) isReliable(d *fetch.Document) bool {
	return w.named && !w.damaged && d.End != fetch.EndClosed
}
