// Package batch processes many items at once: a bounded number of goroutines works through a list of URIs of any length, of which a bounded
// number is held in memory.
//
//	items := batch.List(file, nil)
//	task := batch.Files(client, nil, &save.Options{Dir: dir})
//	sum, err := batch.Run(ctx, items, task, &batch.Options{Parallel: 8})
//
// It guarantees:
//
//   - Fairness. Hosts take turns: a slow host, or one with most of the list, does not delay the others, as far as the
//     Window reaches. Within a host the order of the list is kept.
//   - A process that may have few file descriptors does fewer items at a time, and repeats an item for which there was none.
//   - A failure is retried as the policy says, without a goroutine waiting for it.
//   - With a State, an interrupted list, even after SIGKILL, is continued. With Commit, everything that the State records as done
//     is durable.
//
// # What a host may expect
//
// Lists, checks, mirrors and derefd send requests only in this way:
//
//   - At most PerHost at a time. By default, requests that join the connection of another one (HTTP/2) do not count, since it is the number of
//     connections that is a burden, and the server itself limits the requests on one.
//   - With Options.Polite, at most two at a time, and up to four as long as each document takes no longer than before.
//   - None sooner than Pause after its last response, nor sooner after another one than its Crawl-delay (PauseOf).
//   - None before the time that it has requested, for up to ten minutes: by Retry-After, or by RateLimit fields if it accepts no more requests
//     than are running.
//   - A server that refuses a request while it serves others (too many connections) gets fewer at a time, down to one, then a pause after each
//     response, of up to eight seconds, and later more again. The refused request is repeated, which does not count as a try of the Retry policy.
//     A server that refuses everything for a minute has failed.
//   - A server that has failed several times in a row gets no requests for a while: its items fail at once with the same kind of
//     error, or, if they may be retried, wait for up to five minutes, which does not count as a try, either. One request probes
//     whether the server is back.
package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
)

// A Summary is the result of a Run.
type Summary struct {
	Done    int64 // in this run
	Skipped int64 // done in an earlier run, according to the Journal
	Failed  int64
	Retries int64
	Bytes   int64
	Kinds   map[fetch.Kind]int64 // of the failures; "" is an error without a kind
	First   error                // the failure that comes first in the list
	Time    time.Duration

	first int64 // number of the item of First
}

// Items returns the number of finished items.
func (s *Summary) Items() int64 { return s.Done + s.Skipped + s.Failed }

// Run processes the items of a list. An error with an item means that its line is invalid; it counts as a failure, and the list continues.
// Failures are in the Summary; the returned error is that of ctx, or of the Journal.
//
// Run returns when everything that it started has ended. If the list blocks when ctx ends, Run does not wait for it, and reads nothing more
// from it after returning.
func Run(ctx context.Context, list Seq, task Task, o *Options) (Summary, error) {
	b := &run{options: o.withDefaults(), task: task, reading: make(chan struct{}, 1)}
	b.reading <- struct{}{}
	b.commits.run, b.commits.one = b, lock.NewLong()
	b.turns.run = b
	b.queue.init(&b.options)
	ctx, cancel := context.WithCancelCause(fetch.WithQuotas(ctx, b.queue.heed))
	defer cancel(nil)
	b.cancel = cancel
	ctx, unwatch := fetch.WithWatch(ctx)
	defer unwatch()
	stop := context.AfterFunc(ctx, b.queue.stop)
	defer stop()
	began := time.Now()
	b.turns.begin()
	go b.read(ctx, list)
	var workers sync.WaitGroup
	for range b.options.Parallel + b.options.joining {
		workers.Go(func() { b.work(ctx) })
	}
	workers.Wait()
	b.queue.stop()
	<-b.reading // nothing changes the Summary or calls the caller's functions after Run
	b.commits.end()
	b.sum.Time = time.Since(began)
	return b.sum, b.commits.cause(ctx)
}

// A run is one call of Run.
type run struct {
	options Options
	task    Task
	cancel  context.CancelCauseFunc
	queue   queue
	commits commits
	turns   turns

	reading chan struct{} // has a token, which is taken to work on an item of the list, but not to wait for one

	mu  sync.Mutex
	sum Summary
}

// read fills the queue.
func (b *run) read(ctx context.Context, list Seq) {
	defer b.queue.end()
	n := int64(0)
	for it, err := range list {
		if it == nil {
			it = &Item{end: true}
		}
		it.Number = n
		n++
		if !b.accept(ctx, it, err) {
			return
		}
	}
}

// accept puts an item of the list into the queue, unless it is done or invalid, and reports whether to read on.
func (b *run) accept(ctx context.Context, it *Item, err error) bool {
	select {
	case <-b.reading:
		defer func() { b.reading <- struct{}{} }()
	case <-ctx.Done(): // Run has taken the token, or will
	}
	if ctx.Err() != nil {
		return false
	}
	done, serr := b.isDone(it)
	switch {
	case serr != nil:
		b.cancel(serr)
		return false
	case done:
		b.skip()
		if b.options.Order != nil {
			b.turns.enter(ctx, it.Number, ending{})
		}
	case err != nil:
		b.finish(ctx, it, 0, err, false)
	default:
		if b.options.Kept != nil {
			if kept, err := b.options.Kept(it); kept {
				b.finish(ctx, it, 0, err, false)
				return true
			}
		}
		return b.queue.put(it)
	}
	return true
}

// work is one of the Parallel goroutines.
func (b *run) work(ctx context.Context) {
	var sharer *seat // of all items of this goroutine, and their context
	var sharing context.Context
	for {
		it, refusal := b.queue.next()
		if it == nil {
			return
		}
		size, err := int64(0), refusal
		if refusal == nil {
			try := ctx
			if b.queue.mayJoin(it) {
				if sharer == nil {
					sharer = &seat{q: &b.queue}
					sharing = fetch.WithSharer(ctx, sharer)
				}
				sharer.it, try = it, sharing
			}
			size, err = b.task(try, it)
		}
		if ctx.Err() != nil && err != nil {
			b.queue.finish(it, refusal, 0, false)
			return // interrupted: the item is not finished
		}
		if it.Postponed {
			b.queue.postpone(it)
			continue
		}
		if refusal == nil && err != nil && b.queue.refused(it, err) {
			continue
		}
		wait, again := b.shouldRetry(it, err)
		if !again {
			b.finish(ctx, it, size, err, true)
		}
		if empty := b.queue.finish(it, err, wait, again); empty && b.options.frontier != nil {
			b.commits.hurry() // the next item may come much later, or never
		}
	}
}

// shouldRetry reports whether a failure is worth another try, and after what time.
func (b *run) shouldRetry(it *Item, err error) (time.Duration, bool) {
	if err == nil || it.Final || b.options.Retry.Retries <= 0 {
		return 0, false
	}
	if l, ok := errors.AsType[serverDown](err); ok { // no request was sent, so this was not a try
		most := b.options.Retry.MaxTime
		return l.err.After, !l.givenUp && (most <= 0 || time.Since(it.began)+l.err.After <= most)
	}
	if it.probe && b.options.IsOutage(err) {
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

// isDone reports whether an earlier run has done the item.
func (b *run) isDone(it *Item) (bool, error) {
	if b.options.Journal == nil || it.end {
		return false, nil
	}
	return b.options.Journal.Done(it)
}

func (b *run) skip() {
	defer b.options.frontier.ended()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.Skipped++
}

// count counts a finished item.
func (b *run) count(it *Item, size int64, err error) {
	defer b.options.frontier.ended()
	b.commits.note(Finished{it, size, err})
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &b.sum
	s.Bytes += size
	if err == nil {
		s.Done++
	} else {
		s.fail(it.Number, err)
	}
	if b.options.Done != nil {
		b.options.Done(it, size, err)
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
