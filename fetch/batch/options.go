package batch

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A Seq is a list.
type Seq = iter.Seq2[*Item, error]

// An Item is one line of a list.
type Item struct {
	URI    uri.URI
	Number int64             // its index in the list
	Name   string            // the file name in the list, or ""
	Range  fetch.Range       // the requested part; zero is the whole
	Search []string          // search words
	Set    map[string]string // settings of schemes
	Check  *checksum.File    // what the document must be, or nil
	Note   json.RawMessage   // the note that was added to a Frontier with it
	Text   string            // the line's text, if it is invalid

	// Redo is 1 + the Number of an earlier item of a shared Log, the result of which that of this item replaces, or 0.
	Redo int64
	// Keep is for the Task's own use. Its value is preserved from one try to the next.
	Keep any

	// Duplicate means that an earlier record of a shared Log has the same URI. The Journal must treat such an item as done.
	Duplicate bool
	// Again means that an earlier run may have done the item without recording that: see State.
	Again bool
	// Whole makes Save start each try at the beginning, because an archive should contain the document in one piece.
	Whole bool
	// Final is set by a Task that must not be retried, even if the policy allows it, because it has already delivered part of a document.
	Final bool
	// Postponed is set by a Task that cannot do the item before its turn in the Order. The Task is then called again in that turn; its
	// result is ignored.
	Postponed bool

	end     bool // it stands for an error that has ended the list, and is not recorded
	atFault bool // the refusals were about the document
	probe   bool // the latest try probes whether its server is back
	joined  bool // its request uses the connection of another one
	own     bool // it needs a connection of its own

	began     time.Time // start of the first try
	refusedAt time.Time // when its server first refused it temporarily
	refusals  int       // refusals while other requests were running
	alone     int       // refusals while no other request was running

	series *retry.Series
	after  *Item // next in its host's queue
	host   *host
}

// A Task processes one item and returns the number of bytes. It is called concurrently, but never twice at a time for one item.
type Task func(ctx context.Context, it *Item) (size int64, err error)

// Options controls a Run; nil means the zero value.
type Options struct {
	// Parallel is the number of items done at a time; 0 is 50. If Parallel, PerHost and Pause are 0, up to 128 more may join the connections of
	// others (fetch.WithSharer), without counting for Parallel or PerHost.
	Parallel int
	PerHost  int           // requests to one host at a time; 0 is 1 with a Pause, else Parallel, or 8 if that is 0, too
	Pause    time.Duration // between a host's response and the next request to it
	// PauseOf returns a longer pause that the host of a URI requests (Crawl-delay). It may be nil, and must not block. This pause also
	// applies between the starts of two requests to the host, however many PerHost allows at a time.
	PauseOf  func(uri.URI) time.Duration
	Rests    Rests // remembers the pauses of hosts for a later Run; it may be nil
	Window   int   // items held in memory; 0 is 1024
	Retry    retry.Policy
	Patience int // failures in a row after which a host gets no requests for a while; 0 is 5, negative never

	// IsOutage reports whether an error means that the server is down, whatever the document. Only these errors count for Patience. nil stands for
	// connections that fail or break, timeouts, and every ErrUnavailable without a Retry-After.
	IsOutage func(error) bool
	Outage   time.Duration // how long items that may be retried wait for a server that is down; 0 is 5 minutes

	// Kept reports whether an item needs no request, because its file is there, and the error that it then has. Its server does not matter.
	// It may be nil, and must not block.
	Kept func(*Item) (kept bool, err error)

	// Journal records finished items, for example in a State; it may be nil.
	Journal Journal
	// Commit makes the Task's results durable, for example by syncing an archive. If it is set, an item is recorded in the Journal only after
	// a Commit that began when the item was finished. Items share a Commit: the next one begins a second after its first item was finished,
	// soon if nothing is left of a Frontier, or when the Run ends. An error ends the Run, and its items are neither counted as done nor recorded. Commit is not called
	// concurrently; items is never empty, and contains only items that did not fail.
	Commit func(items []*Item) error
	// Done is called for each finished item, one at a time. err may be that of an invalid line.
	Done func(it *Item, size int64, err error)
	// Order finishes items in the order of the list; nil finishes each as soon as it is done.
	Order Order

	frontier *Frontier // is notified of each finished item
	more     int       // requests to one host at a time that may be added to PerHost
	local    int       // PerHost of the URIs without a host
	joining  int       // requests that may use the connections of others, in addition to Parallel
}

// Rests are the times before which hosts get no request. The methods must not block. The name of a host is in lower case.
type Rests interface {
	Rest(host string) time.Time // of an earlier Run, or zero
	SetRest(host string, until time.Time)
}

// Polite returns o with the load of one host that a server can bear besides its other users, unless o limits it: two requests at a time, and one or two
// more while documents take no longer than with fewer. A refusal ends that.
func (o Options) Polite() Options {
	if o.PerHost <= 0 && o.Pause <= 0 {
		o.PerHost, o.more = politePerHost, politeMore
	}
	return o
}

const (
	defaultParallel = 50 // hosts that respond slowly do not use this machine
	defaultPerHost  = 8
	politePerHost   = 2
	politeMore      = 2
	defaultJoining  = 128 // requests that fetch.Share lets use one connection
	defaultWindow   = 1024
	defaultPatience = 5
	defaultOutage   = 5 * time.Minute
)

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	perHost := c.Parallel
	if c.Parallel <= 0 {
		perHost, c.Parallel = defaultPerHost, defaultParallel
		if c.PerHost <= 0 && c.Pause <= 0 {
			c.joining = defaultJoining
		}
	}
	c.local = perHost
	if c.PerHost <= 0 && c.Pause > 0 {
		c.PerHost = 1
	}
	if c.PerHost <= 0 {
		c.PerHost = perHost
	}
	if c.Window <= 0 {
		c.Window = defaultWindow
	}
	c.Window = max(c.Window, 2*c.Parallel)
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	if c.IsOutage == nil {
		c.IsOutage = isOutage
	}
	if c.Outage <= 0 {
		c.Outage = defaultOutage
	}
	return c
}
