package mirror

import (
	"context"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/scope"
)

// Options controls a Run; nil means the zero value.
type Options struct {
	Depth     int   // steps from the root; 0 means 1000, a negative number only the root
	Number    int64 // bound of URIs visited in one Run; 0 is 50 million
	SpanHosts bool  // follow links to other servers, of any scheme that retrieves over the network
	NoParent  bool  // stay below the directory of the root; trees always do

	// Requisites also copies what pages embed (images, style sheets, fonts, scripts, frames) from outside of the limits that NoParent, Depth and
	// Include set. RequisiteHosts match other hosts from which pages may embed something.
	Requisites     bool
	RequisiteHosts scope.Patterns

	Exclude scope.Patterns // documents and directories that are not fetched; their paths begin at the mirror's top
	Include scope.Patterns // documents to save; other pages and menus are only read for their links
	Since   time.Time      // omit documents that are known to be older, except pages and menus

	Delete       bool   // remove local copies of documents that the server no longer has (see prune), except articles
	MaxDelete    *Bound // how many copies one Run may remove; if there are more, it removes none. nil is half of them if there are more than ten
	DryRun       bool   // only report the changes: read listings, menus and pages, and write nothing into the directory
	KeepLinks    bool   // do not rewrite links
	Extensions   bool   // add the extension of their media type to names of HTML, CSS, SVG, XML, gemtext and plain text without it, which browsers need for local files
	NoIndex      bool   // do not create index.html
	Portable     bool   // use names that every system allows, so that the directory can be copied anywhere; always on for Windows and macOS
	IgnoreRobots bool

	Batch   batch.Options  // Parallel, PerHost (0 is 2, with a Pause 1), Pause, Retry and Patience
	Request *fetch.Options // for each request; Login and secret settings go only to the server of the root
	Getter  fetch.Getter   // used in place of the Client, such as one that limits the rate; nil is the Client

	// Lacks returns why the source of the documents lacks one that could not be fetched, if err says so, or "". Such a document is left out. It is nil
	// for a network, whose servers know what they have; an archive only has what was captured.
	Lacks func(err error) string
	// Begin returns the context for the requests of a visit, and a function that returns the time of the document that they have yielded. nil uses
	// the present.
	Begin func(ctx context.Context) (_ context.Context, date func() time.Time)

	// Commit makes the records of the Client's Recorder durable. It is nil if there is no Recorder. The manifest gets the fields that let a
	// later Run skip a document (its validator, its listing) only after the Commit that covers it, and no document is continued from a
	// part, since an archive should contain it in one piece. An error ends the Run.
	Commit func() error

	// Done is called with the result of each URI, one at a time.
	Done func(Event)
}

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
	c.Batch = c.Batch.Polite()
	return c
}
