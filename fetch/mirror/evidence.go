package mirror

import (
	"errors"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// evidence is what a pass learns about documents that are no longer there. Its sets are files: their size depends on the servers. A nil
// evidence notes nothing.
type evidence struct {
	gone   *batch.Frontier // the server said that it has no such object
	doubts *batch.Frontier // listings whose lack of a name means nothing

	mu    sync.Mutex
	loose bool // so does that of some menu: which of them had a document is not recorded
	err   error
}

func newEvidence() (*evidence, error) {
	e := &evidence{}
	var err error
	if e.gone, err = batch.OpenFrontier(""); err != nil {
		return nil, err
	}
	if e.doubts, err = batch.OpenFrontier(""); err != nil {
		e.gone.Close()
		return nil, err
	}
	return e, nil
}

func (e *evidence) close() {
	e.gone.Close()
	e.doubts.Close()
}

// failed notes that u could not be had, and whether the server said why.
func (e *evidence) failed(u uri.URI, err error) {
	if e == nil {
		return
	}
	if fetch.IsGone(err) {
		_, err := e.gone.Add(u, nil)
		e.note(err)
	}
	e.doubt(u)
}

// doubt notes that nothing follows from what the listing or menu u does not contain.
func (e *evidence) doubt(u uri.URI) {
	if e == nil {
		return
	}
	_, err := e.doubts.Add(u, nil)
	e.note(err)
	if !isTree(u.Scheme()) {
		e.mu.Lock()
		e.loose = true
		e.mu.Unlock()
	}
}

func (e *evidence) note(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = errors.Join(e.err, err)
}

// state returns what stands in the way of conclusions.
func (e *evidence) state() (loose bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.loose, e.err
}

// A witness looks at the entries of a listing or menu.
type witness struct {
	named  bool // something that can be had
	marred bool // an error message, or a line that could not be read
}

func (w *witness) see(e *fetch.Entry) {
	switch {
	case !e.URI.IsZero():
		w.named = true
	case e.Kind == fetch.KindUnknown, len(e.Attr["item"]) > 0 && e.Attr["item"][0] == "3":
		w.marred = true
	}
}

// isReliable reports whether d, which was read to its end, may be believed about what it does not contain. A menu of gopher must end with
// its line of one dot (RFC 1436 section 3.8): many servers send none, but without it nobody knows whether the menu was cut short.
func (w *witness) isReliable(d *fetch.Document) bool {
	return w.named && !w.marred && d.End != fetch.EndClosed
}
