//go:build unix || windows

package hub

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
)

// A Status describes a job at one moment.
type Status struct {
	Totals
	Added      int64 // records, including duplicates and those of Redo
	Redo       int64 // the records of Redo
	Sealed     bool  // only tasks add URIs
	Partitions []PartitionStatus
	Stored     int64 // bytes of the stream on disk
	Created    time.Time
	Latest     time.Time // of the last message: a result, or a change of owners
}

// A PartitionStatus describes one partition.
type PartitionStatus struct {
	Totals
	Added  int64
	Redo   int64
	Worker string // the lease of the latest owner, which begins with the name of the worker and "-"; "" if it has released the partition
	Alive  bool   // the lease lives; if not, the partition is free
}

// Finished reports whether every URI has its result.
func (s *Status) Finished() bool { return s.Sealed && s.Added == s.Records() }

// URIs returns the number of URIs.
func (s *Status) URIs() int64 { return s.Added - s.Redo - s.Duplicates }

// URIs returns the number of URIs.
func (s *PartitionStatus) URIs() int64 { return s.Added - s.Redo - s.Duplicates }

// Workers returns the number of partitions of each living worker that has one.
func (s *Status) Workers() map[string]int {
	list := map[string]int{}
	for _, p := range s.Partitions {
		if p.Alive {
			list[workerOf(p.Worker)]++
		}
	}
	return list
}

// parallel is the number of requests to the server at a time.
const parallel = 16

// Status returns the status of the job.
func (j *Job) Status(ctx context.Context) (*Status, error) {
	s, err := j.status(ctx)
	if err != nil {
		return nil, err
	}
	alive, err := leasesIn(ctx, j.js, j.leases)
	for i := range s.Partitions {
		s.Partitions[i].Alive = alive[s.Partitions[i].Worker] != nil
	}
	return s, err
}

// status returns the status without looking which workers are alive.
func (j *Job) status(ctx context.Context) (*Status, error) {
	s := &Status{Partitions: make([]PartitionStatus, j.partitions)}
	s.Kinds = map[fetch.Kind]int64{}
	// The results first: if they are as many as the records that are counted later, no item is in work that could add more.
	if err := j.eachState(ctx, func(p int, last *state, _ uint64) {
		s.Partitions[p] = PartitionStatus{Totals: last.Totals, Worker: last.Worker}
	}); err != nil {
		return nil, err
	}
	info, err := j.stream.Info(ctx, jetstream.WithSubjectFilter(j.subject(">")))
	if err != nil {
		return nil, wrap(err)
	}
	s.Stored, s.Created, s.Latest = int64(info.State.Bytes), info.Created, info.State.LastTime
	for subject, n := range info.State.Subjects {
		if subject == j.subject("sealed") {
			s.Sealed = true
		}
		if p, ok := j.number("add", subject); ok && p < len(s.Partitions) {
			records, redo := recordsIn(subject)
			s.Partitions[p].Added += int64(n) * records
			if redo {
				s.Partitions[p].Redo += int64(n) * records
			}
		}
	}
	for _, p := range s.Partitions {
		s.Added += p.Added
		s.Redo += p.Redo
		s.Redone += p.Redone
		s.Done += p.Done
		s.Failed += p.Failed
		s.Duplicates += p.Duplicates
		for kind, n := range p.Kinds {
			s.Kinds[kind] += n
		}
		s.Bytes += p.Bytes
	}
	return s, nil
}

// eachState calls f with the last state of each partition that has one.
func (j *Job) eachState(ctx context.Context, f func(p int, last *state, seq uint64)) (first error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	severally(j.partitions, func(p int) {
		last, seq, err := j.lastState(ctx, p)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			first = cmp.Or(first, err)
			stop() // ends the others
		} else if seq > 0 {
			f(p, last, seq)
		}
	})
	return first
}

// severally calls f for the numbers below n, a few at a time.
func severally(n int, f func(int)) {
	var all sync.WaitGroup
	at := make(chan struct{}, parallel)
	for i := range n {
		at <- struct{}{}
		all.Go(func() {
			defer func() { <-at }()
			f(i)
		})
	}
	all.Wait()
}

// lastState returns the last state of a partition, and its sequence number, or 0 if there is none.
func (j *Job) lastState(ctx context.Context, p int) (*state, uint64, error) {
	m, err := j.stream.GetLastMsgForSubject(ctx, j.numbered("own", p))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, wrap(err)
	}
	s, err := decodeHead(m.Data)
	if err != nil {
		return nil, 0, fetch.Errorf(fetch.ErrLocal, "partition %d: %w", p, err)
	}
	return s, m.Sequence, nil
}
