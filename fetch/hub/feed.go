//go:build unix || windows

package hub

import (
	"context"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// A feed reads the lists of partitions that were claimed together, with one consumer. To find the messages of one subject, the server reads all
// others, too, so a consumer for each of 256 partitions would read the log 256 times.
//
// Nobody waits for a slow host: a partition leaves the feed, and goes on with a consumer of its own, as soon as its Frontier has as many items
// as it holds. Records that are done never fill it.
type feed struct {
	job    *Job
	shares map[int]*share
}

// A share is what a partition gets from a feed.
type share struct {
	owner  *owner
	pages  chan page // is closed when the partition leaves the feed
	number int64     // of the next record
	open   int       // records that were not done

	left uint64 // sequence number up to which the feed has read, once pages is closed
}

type page struct {
	msg jetstream.Msg
	seq uint64
}

// share adds a partition.
func (f *feed) share(o *owner) *share {
	s := &share{owner: o, pages: make(chan page, 16)}
	f.shares[o.partition] = s
	return s
}

// run reads until all partitions have left, the end of the list, or an error, which the consumers of the partitions will meet, too.
func (f *feed) run(ctx context.Context) {
	in := &reader{job: f.job, subjects: f.job.subjects("add", slices.Collect(maps.Keys(f.shares)), ".>")}
	defer in.Close()
	for more := in.open(ctx) == nil && in.consumer.CachedInfo().NumPending > 0; more && len(f.shares) > 0; {
		m, seq, err := in.message(ctx)
		if err != nil {
			break
		}
		if meta, err := m.Metadata(); err != nil || meta.NumPending == 0 {
			more = false
		}
		p, ok := f.job.number("add", m.Subject())
		if s := f.shares[p]; ok && s != nil && !s.put(page{m, seq}) {
			s.leave(seq)
			delete(f.shares, p)
		}
	}
	for _, s := range f.shares {
		s.leave(in.last)
	}
}

// put passes a page to the partition. It returns false if that takes no more of them.
func (s *share) put(p page) bool {
	n, _ := recordsIn(p.msg.Subject())
	for range n {
		if !s.owner.done.has(s.number) {
			s.open++
		}
		s.number++
	}
	select {
	case s.pages <- p:
		return s.open < s.owner.worker.options.Batch.Window
	case <-s.owner.ctx.Done():
		return false
	}
}

// leave ends the share. Its reader goes on after the message seq.
func (s *share) leave(seq uint64) {
	s.left = seq
	close(s.pages)
}

// next returns the next page. ok is false after the last one.
func (s *share) next(ctx context.Context) (p page, ok bool, err error) {
	select {
	case p, ok = <-s.pages:
		return p, ok, nil
	case <-ctx.Done():
		return page{}, false, ctx.Err()
	}
}
