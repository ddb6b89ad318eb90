// Package batch does many things at once: a list of URIs of any length, from which a bounded number is held in memory, is worked
// through by a bounded number of goroutines.
//
//	items := batch.List(file, nil)
//	task := batch.Files(client, nil, &save.Options{Dir: folder})
//	sum, err := batch.Run(ctx, items, task, &batch.Options{Parallel: 8})
//
// What a caller can rely on:
//
//   - Fairness. Hosts take turns: a slow one, or one that has most of the list, does not hold up the others, as far as the
//     Window reaches. Within a host the order of the list is kept.
//   - Politeness. No host is asked for more than PerHost documents at a time, nor sooner than Pause after its last answer,
//     and one that says when to come back is left alone until then.
//   - A server that refuses a request while it serves others (too many connections) gets fewer at a time, one if need be, and later
//     more again. What it refused is requested again, which does not count as a try of the Retry policy. A server that
//     refuses everything for a minute has failed.
//   - A server that has failed several times running is left alone for a while: what is wanted of it fails at once with the
//     same kind of error, or waits, where it may be tried again, for up to five minutes, which does not count as a try either. One request finds out
//     whether it has come back.
//   - A failure is retried as the policy says, without a goroutine waiting for it.
//   - With a State, a list that was interrupted, by SIGKILL too, is taken up where it was left. With Commit, what the State calls done
//     is durable.
package batch

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// An Item is one line of a list.
type Item struct {
	URI    uri.URI
	Number int64             // its place in the list, from 0
	Name   string            // the file name that the list gives it, "" none
	Range  fetch.Range       // the part that the list wants, zero the whole
	Search []string          // words, nil none
	Set    map[string]string // settings of schemes, nil none
	Note   json.RawMessage   // what was noted beside it when it was added to a Frontier
	Said   string            // what stands there, where the error beside the item says that it is none

	// Again tells a Task that an earlier run may have done it without saying so: see State.
	Again bool
	// Whole tells Save to begin each try at the beginning: an archive is to have the document in one piece.
	Whole bool
	// Keep is the Task's own, from one try of the item to the next.
	Keep any
	// Final is set by a Task that must not be called again, whatever the policy says: it has passed part of a document on.
	Final bool
	// Postponed is set by a Task that could not do the item before its turn in the Order has come, and is called again then. What it returns
	// is not counted.
	Postponed bool

	began     time.Time // of the first try
	refusedAt time.Time // the first time that its server refused it for the moment
	refusals  int       // beside other requests
	alone     int       // refusals of no other one beside it
	probe     bool      // the latest try is to find out whether its server has come back
	ration    *ration   // of its server while it is being done, nil if that has none

	series *retry.Series
	after  *Item // next in its host's queue
	server *server
}

// A Task does one item and says how many octets that was. It is called concurrently, for one item never twice at a time.
type Task func(ctx context.Context, it *Item) (octets int64, err error)

// Options are the wishes of a Run; nil means the zero value.
type Options struct {
	Parallel int           // at a time, 0 is 8
	PerHost  int           // of one host at a time; 0 is 1 with a Pause, else Parallel
	Pause    time.Duration // between an answer of a host and the next request to it
	// PauseOf is a longer pause that the item's host wants (Crawl-delay); nil is none. It must not block. It also passes between the
	// beginnings of two requests to the host, however many PerHost admits at a time.
	PauseOf  func(it *Item) time.Duration
	Window   int // items held at a time, 0 is 1024
	Retry    retry.Policy
	Patience int // failures running after which a host is left alone; 0 is 5, negative never

	// State notes what is done; nil notes nothing.
	State *State
	// Commit makes durable what the Task has done for the items: it writes an archive and syncs it. If it is set, an item is noted in the
	// State only after a Commit that began when the item had come to its end. Items share a Commit: the next begins a second after the
	// first of them has ended, or when the Run ends. An error ends the Run, and the items are neither counted as done nor noted.
	// Commit is not called concurrently with itself; items is never empty, and holds those that did not fail.
	Commit func(items []*Item) error
	// Done is told of each item that has come to its end, one at a time. err may be that of a line which is no item.
	Done func(it *Item, octets int64, err error)
	// Order makes items come to their end in the order of the list; nil lets each end when it does.
	Order Order

	frontier *Frontier // is told of each item that has come to its end
}

const (
	defaultParallel = 8
	defaultWindow   = 1024
	defaultPatience = 5
)

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Parallel <= 0 {
		c.Parallel = defaultParallel
	}
	if c.PerHost <= 0 && c.Pause > 0 {
		c.PerHost = 1
	}
	if c.PerHost <= 0 {
		c.PerHost = c.Parallel
	}
	if c.Window <= 0 {
		c.Window = defaultWindow
	}
	c.Window = max(c.Window, 2*c.Parallel)
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	return c
}

// A Summary is what became of a list.
type Summary struct {
	Done    int64 // in this run
	Skipped int64 // done in an earlier one, as the State has it
	Failed  int64
	Retries int64
	Octets  int64
	Kinds   map[fetch.Kind]int64 // of the failures; "" is no kind
	First   error                // the failure nearest to the beginning of the list
	Time    time.Duration

	first int64 // whose First is
}

// Items returns how many have come to an end.
func (s *Summary) Items() int64 { return s.Done + s.Skipped + s.Failed }

// Run does the items of a list. An error beside an item says that this line is none, and counts as its failure; the list goes on.
// Failures are in the Summary; the error is that of ctx, or of the State.
//
// Run returns when all that it began has ended. A list that is blocked in reading when ctx ends is not waited for: nothing is
// taken from it after it returns.
func Run(ctx context.Context, list iter.Seq2[*Item, error], task Task, o *Options) (Summary, error) {
	b := &run{options: o.withDefaults(), task: task}
	b.commits.run = b
	b.turns.run = b
	b.queue.init(&b.options)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b.cancel = cancel
	stop := context.AfterFunc(ctx, b.queue.stop)
	defer stop()
	began := time.Now()
	b.turns.begin(ctx)
	go b.read(ctx, list)
	var workers sync.WaitGroup
	for range b.options.Parallel {
		workers.Go(func() { b.work(ctx) })
	}
	workers.Wait()
	b.queue.stop()
	b.commits.end()
	b.sum.Time = time.Since(began)
	return b.sum, b.commits.cause(ctx)
}

// A run is one Run.
type run struct {
	options Options
	task    Task
	cancel  context.CancelCauseFunc
	queue   queue
	commits commits
	turns   turns

	mu  sync.Mutex
	sum Summary
}

// read fills the queue.
func (b *run) read(ctx context.Context, list iter.Seq2[*Item, error]) {
	defer b.queue.end()
	n := int64(0)
	for it, err := range list {
		if ctx.Err() != nil {
			return
		}
		if it == nil {
			it = &Item{}
		}
		it.Number = n
		n++
		done, serr := b.options.State.done(it)
		switch {
		case serr != nil:
			b.cancel(serr)
			return
		case done:
			b.skip()
			b.turns.pass(ctx, it)
		case err != nil:
			b.ended(ctx, it, 0, err, false)
		case !b.queue.put(it):
			return
		}
	}
}

// work is one goroutine of Parallel.
func (b *run) work(ctx context.Context) {
	for {
		it, refusal := b.queue.take()
		if it == nil {
			return
		}
		octets, err := int64(0), refusal
		if refusal == nil {
			octets, err = b.task(ctx, it)
		}
		if ctx.Err() != nil && err != nil {
			b.queue.finish(it, refusal, 0, false)
			return // interrupted: it has come to no end
		}
		if it.Postponed {
			b.queue.postpone(it)
			continue
		}
		if refusal == nil && err != nil {
			if wait, again := b.queue.refused(it, err); again {
				b.queue.putBack(it, err, wait)
				continue
			}
		}
		wait, again := b.again(it, err)
		if !again {
			b.ended(ctx, it, octets, err, true)
		}
		b.queue.finish(it, err, wait, again)
	}
}

// again says whether a failure is worth another try.
func (b *run) again(it *Item, err error) (time.Duration, bool) {
	if err == nil || it.Final || b.options.Retry.Retries <= 0 {
		return 0, false
	}
	if l, ok := errors.AsType[leftAlone](err); ok { // the server was not asked, so this was no try
		most := b.options.Retry.MaxTime
		return l.err.After, !l.givenUp && (most <= 0 || time.Since(it.began)+l.err.After <= most)
	}
	if it.probe && isOutage(err) {
		return probeTime, true
	}
	if it.series == nil {
		it.series = b.options.Retry.Begin(it.began)
	}
	wait, again := it.series.Next(err)
	if again {
		b.mu.Lock()
		b.sum.Retries++
		b.mu.Unlock()
	}
	return wait, again
}

func (b *run) skip() {
	defer b.options.frontier.ended()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.Skipped++
}

// end counts an item.
func (b *run) end(it *Item, octets int64, err error) {
	defer b.options.frontier.ended()
	b.commits.note(it, err == nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &b.sum
	s.Octets += octets
	if err == nil {
		s.Done++
	} else {
		s.fail(it.Number, err)
	}
	if b.options.Done != nil {
		b.options.Done(it, octets, err)
	}
}

func (s *Summary) fail(number int64, err error) {
	s.Failed++
	if s.Kinds == nil {
		s.Kinds = map[fetch.Kind]int64{}
	}
	s.Kinds[fetch.KindOf(err)]++
	if s.First == nil || number < s.first {
		s.First, s.first = err, number
	}
}
