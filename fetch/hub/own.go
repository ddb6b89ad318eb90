//go:build unix || windows

package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/internal/lock"
)

// A Result is the result for one URI.
type Result struct {
	URI       string          `json:"uri,omitempty"` // without a password
	Number    int64           `json:"n"`             // among the records of its partition
	Partition int             `json:"-"`
	Worker    string          `json:"-"`
	Size      int64           `json:"size,omitempty"`
	Error     fetch.Kind      `json:"error,omitempty"` // "" if it was successful
	Text      string          `json:"text,omitempty"`  // of the error
	More      json.RawMessage `json:"more,omitempty"`  // Task's own: see WorkOptions.More
	Duplicate bool            `json:"dup,omitempty"`   // an earlier record is the same; this is not a result
	Redo      int64           `json:"redo,omitempty"`  // 1 + Number of the result that this one replaces, or 0
	Time      time.Time       `json:"-"`               // when it was recorded, by the clock of the hub
}

// Totals are the numbers of a partition or a job.
type Totals struct {
	Done       int64 `json:"done"`
	Failed     int64 `json:"failed,omitempty"`
	Duplicates int64 `json:"dups,omitempty"`
	Redone     int64 `json:"redone,omitempty"` // records of Redo
	Bytes      int64 `json:"bytes"`

	Kinds map[fetch.Kind]int64 `json:"kinds,omitempty"` // all failures, also those that were replaced
}

// Records returns the number of records that need no more work.
func (t Totals) Records() int64 { return t.Done + t.Failed + t.Duplicates + t.Redone }

// add counts a result. failed are those that have failed so far.
func (t *Totals) add(r *Result, failed *bitmap) {
	if r.Redo > 0 {
		t.Redone++
	}
	switch {
	case r.Duplicate && r.Redo > 0:
		return
	case r.Redo > 0 && failed.has(r.Redo-1):
		t.Failed--
	case r.Redo > 0:
		t.Done--
	}
	switch {
	case r.Duplicate:
		t.Duplicates++
	case r.Error != "":
		t.Failed++
		t.Kinds[r.Error]++
	default:
		t.Done++
	}
	t.Bytes += r.Size
}

// errOwned means that another worker owns a partition.
var errOwned = errors.New("another worker owns the partition")

// An owner works on a partition, which it alone has the right to do. It is the Journal of the partition's batch.
type owner struct {
	worker    *worker
	partition int
	ctx       context.Context // ends when the worker must release the partition
	stop      context.CancelCauseFunc

	before uint64 // sequence number of the partition's last state before it was claimed; 0 if there was none
	done   bitmap // the records that are done in these states
	redone bitmap // of the records for which one of Redo was read

	writing lock.Long // guards the following fields
	failed  bitmap    // the records whose result is a failure
	last    uint64    // sequence number of the partition's last state
	state   state

	finished atomic.Int64 // items
	recorded atomic.Int64 // results of finished items

	unsaved atomic.Bool   // a long pause is not recorded yet
	urgent  chan struct{} // has a token then

	mu      sync.Mutex
	dups    []Result             // duplicates that are not recorded yet
	rests   map[string]time.Time // when hosts may be requested again
	spent   map[string]spending  // by host and port
	halting bool                 // nothing new is begun
	active  int                  // running items
}

// take makes the worker the owner of a partition, if that is free. The owner must replay.
func (w *worker) take(p int) (*owner, error) {
	o := &owner{worker: w, partition: p, writing: lock.NewLong(), urgent: make(chan struct{}, 1), rests: map[string]time.Time{}, spent: map[string]spending{}}
	last, seq, err := w.job.lastState(w.ctx, p)
	if err != nil {
		return nil, err
	}
	if seq > 0 {
		o.state, o.last = *last, seq
	}
	if w.isAnothers(o.state.Worker) {
		return nil, errOwned
	}
	o.before, o.state.Worker = o.last, w.lease.name
	for host, seconds := range o.state.Rests {
		o.rests[host] = time.Now().Add(time.Duration(seconds) * time.Second)
	}
	return o, o.write(w.ctx, nil)
}

// replay reads which records of some partitions are done, from the states before they were claimed.
func (j *Job) replay(ctx context.Context, owners []*owner) error {
	var end uint64
	var partitions []int
	of := map[int]*owner{}
	for _, o := range owners {
		if o.before > 0 {
			partitions, end = append(partitions, o.partition), max(end, o.before)
			of[o.partition] = o
		}
	}
	in := &reader{job: j, subjects: j.subjects("own", partitions, "")}
	defer in.Close()
	return in.states(ctx, end, func(s *state, p int) error {
		if o := of[p]; o != nil {
			for _, r := range s.Results {
				o.done.set(r.Number)
				o.respend(&r)
			}
			o.failed.setFailed(s.Results)
		}
		return nil
	})
}

// states passes the states among the next messages, up to that with the sequence number end, to f, with the number of the partition.
func (r *reader) states(ctx context.Context, end uint64, f func(s *state, p int) error) error {
	for r.last < end {
		m, _, err := r.message(ctx)
		if err != nil {
			return err
		}
		p, ok := r.job.number("own", m.Subject())
		if !ok || p >= r.job.partitions {
			continue
		}
		s, err := decode(m.Data())
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%s: %w", m.Subject(), err)
		}
		if meta, err := m.Metadata(); err == nil {
			s.time = meta.Timestamp
		}
		if err := f(s, p); err != nil {
			return err
		}
	}
	return nil
}

// write appends a state. An interruption of the connection, or a hub whose disk is full, costs time only: the same message is sent again until it is
// answered, or ctx ends.
func (o *owner) write(ctx context.Context, results []Result) error {
	s := o.state
	s.Kinds = map[fetch.Kind]int64{}
	maps.Copy(s.Kinds, o.state.Kinds)
	for i := range results {
		s.Totals.add(&results[i], &o.failed)
	}
	s.Results, s.Rests = results, o.resting()
	j := o.worker.job
	body, err := j.deflater.encode(&s)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "partition %d: %w", o.partition, err)
	}
	at := uint64(0)
	if err := o.worker.insist(ctx, func(ctx context.Context) (err error) {
		at, err = j.appendState(ctx, j.numbered("own", o.partition), body, o.last)
		return err
	}); err != nil {
		return err
	}
	o.last, o.state = at, s
	o.state.Results = nil
	o.failed.setFailed(results)
	return nil
}

// appendState appends a message to those of a subject, if the last one is that with the sequence number after, and returns its own. A message of the
// same bytes after that one is this message, which an earlier call has stored without learning that.
func (j *Job) appendState(ctx context.Context, subject string, body []byte, after uint64) (at uint64, err error) {
	ack, err := j.js.Publish(ctx, subject, body, jetstream.WithExpectLastSequencePerSubject(after))
	if err == nil {
		return ack.Sequence, nil
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence && api.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequenceConstant {
		return 0, wrap(err)
	}
	last, lerr := j.stream.GetLastMsgForSubject(ctx, subject)
	switch {
	case lerr != nil:
		return 0, wrap(lerr)
	case last.Sequence == after: // the servers of a cluster are just storing this message
		return 0, wrap(err)
	case last.Sequence > after && bytes.Equal(last.Data, body):
		return last.Sequence, nil
	}
	return 0, errors.Join(errOwned, wrap(err))
}

// release makes the partition free, unless it is another's.
func (o *owner) release() error {
	o.writing.Lock()
	defer o.writing.Unlock()
	o.state.Worker = ""
	return o.write(o.worker.writes, nil)
}

// Done also notes duplicates, which the next write records. Of several records of Redo for a result, the first counts.
func (o *owner) Done(it *batch.Item) (bool, error) {
	duplicate := it.Duplicate
	switch {
	case it.Redo < 0 || it.Redo > it.Number:
		return false, fetch.Errorf(fetch.ErrLocal, "record %d of partition %d replaces a later one", it.Number, o.partition)
	case it.Redo > 0:
		duplicate = o.redone.has(it.Redo - 1)
		o.redone.set(it.Redo - 1)
	}
	if o.done.has(it.Number) {
		return true, nil
	}
	if !duplicate {
		return false, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dups = append(o.dups, Result{Number: it.Number, Duplicate: true, Redo: it.Redo})
	return true, nil
}
