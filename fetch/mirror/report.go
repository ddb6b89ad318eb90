package mirror

import (
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// An Event is the result for one URI.
type Event struct {
	URI  uri.URI
	Path string // of the local copy
	Did  Did
	Size int64
	Why  string // why it was left out
	Warn bool   // with Why: the copy lacks something that the server has, although nothing failed
	Err  error
	// Suspect is why the document is probably not the requested one, such as a captive portal's page (package portal), or "".
	Suspect string
}

// Did names the action.
type Did string

const (
	Saved      Did = "saved"     // or would be, with DryRun
	Unchanged  Did = "unchanged" // the local copy equals the server's document
	Read       Did = "read"      // a listing, or a page that is not saved
	Redirected Did = "led"       // to another URI, which is visited separately
	Linked     Did = "linked"    // a symbolic link of the server was made here, or would be, with DryRun
	LeftOut    Did = "left out"
	Deleted    Did = "deleted" // or would be, with DryRun
	Kept       Did = "kept"    // despite Delete: nothing refers to it any more, but the server does not report it as gone
	Failed     Did = "failed"
)

// A Summary is the result of a Run.
type Summary struct {
	Saved, Unchanged, Linked, Deleted, Kept, Failed, LeftOut int64

	Earlier int64 // copies of earlier Runs that this one, which continued an interrupted one, did not visit again
	Suspect int64 // of all these, probably not the requested documents
	Bytes   int64 // bytes saved
	Resumed bool  // continued an interrupted Run
	First   error // the failure nearest to the root
	Time    time.Duration
}

// itemDone reports a URI that failed.
func (m *mirror) itemDone(it *batch.Item, _ int64, err error) {
	if err == nil {
		return
	}
	if m.isRoot(it.URI) {
		m.markIncomplete() // if the root fails, nothing is known about the documents below it
	}
	m.evidence.failed(it.URI, err)
	m.report(Event{URI: it.URI, Did: Failed, Err: err})
}

// report counts the action and calls Done.
func (m *mirror) report(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Suspect != "" {
		m.sum.Suspect++
	}
	m.reached = m.reached || e.Did != Failed && e.Did != Redirected
	sum := &m.sum
	count := map[Did]*int64{Saved: &sum.Saved, Unchanged: &sum.Unchanged, Linked: &sum.Linked, Deleted: &sum.Deleted, Kept: &sum.Kept, LeftOut: &sum.LeftOut,
		Failed: &sum.Failed}[e.Did]
	if count != nil {
		*count++
	}
	switch e.Did {
	case Saved:
		sum.Bytes += e.Size
	case Failed:
		m.clean = m.clean && fetch.KindOf(e.Err) == fetch.ErrNotFound
	}
	if m.options.Done != nil {
		m.options.Done(e)
	}
}

// leaveOut reports that u is left out.
func (m *mirror) leaveOut(u uri.URI, why string) { m.report(Event{URI: u, Did: LeftOut, Why: why}) }

// markIncomplete records that a document was omitted that an earlier Run may have saved.
func (m *mirror) markIncomplete() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clean, m.complete = false, false
}
