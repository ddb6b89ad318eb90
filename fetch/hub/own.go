//go:build unix || windows

package hub

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
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
	Duplicate bool            `json:"dup,omitempty"`   // an earlier record has the same URI; this is not a result
}

// Totals are the numbers of a partition or a job.
type Totals struct {
	Done       int64 `json:"done"`
	Failed     int64 `json:"failed,omitempty"`
	Duplicates int64 `json:"dups,omitempty"`
	Bytes      int64 `json:"bytes"`
}

// Records returns the number of records that need no more work.
func (t Totals) Records() int64 { return t.Done + t.Failed + t.Duplicates }

func (t *Totals) add(r *Result) {
	switch {
	case r.Duplicate:
		t.Duplicates++
	case r.Error != "":
		t.Failed++
	default:
		t.Done++
	}
	t.Bytes += r.Size
}

// errOwned means that another worker owns a partition.
var errOwned = errors.New("another worker owns the partition")

// An owner is the right to record the results of a partition. It is the Journal of the partition's batch.
type owner struct {
	job       *Job
	partition int
	more      func(it *batch.Item) json.RawMessage

	done bitmap // of the reader of the list

	writing sync.Mutex // guards the following fields
	last    uint64     // sequence number of the partition's last state
	state   state
	broken  error // the first failed write

	mu   sync.Mutex
	dups []Result // duplicates that are not recorded yet
}

// claim makes a worker the owner of a partition, if that is free, or if the worker has given it up without being able to record that.
func (j *Job) claim(ctx context.Context, p int, worker string) (*owner, error) {
	o := &owner{job: j, partition: p}
	last, err := j.stream.GetLastMsgForSubject(ctx, j.numbered("own", p))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
	case err != nil:
		return nil, wrap(err)
	default:
		s, err := decodeHead(last.Data)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "partition %d: %w", p, err)
		}
		o.state, o.last = *s, last.Sequence
	}
	if w := o.state.Worker; w != "" && w != worker {
		if _, err := j.leases.Get(ctx, w); !errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, errors.Join(errOwned, wrap(err))
		}
	}
	end := o.last
	o.state.Worker = worker
	if err := o.write(ctx, nil); err != nil {
		return nil, err
	}
	return o, o.replay(ctx, end)
}

// replay reads which records are done, from the states up to that with the sequence number end, which is 0 if there is none.
func (o *owner) replay(ctx context.Context, end uint64) error {
	return o.job.states(ctx, strconv.Itoa(o.partition), end, func(s *state, _ int) error {
		for _, r := range s.Results {
			o.done.set(r.Number)
		}
		return nil
	})
}

// states passes the states of a partition, or of all ("*"), up to that with the sequence number end to f, with the number of the partition.
func (j *Job) states(ctx context.Context, partition string, end uint64, f func(s *state, p int) error) error {
	in := &reader{job: j, subject: j.subject("own." + partition)}
	defer in.Close()
	for seq := uint64(0); seq < end; {
		s, p, at, err := in.state(ctx)
		if err == nil {
			err = f(s, p)
		}
		if err != nil {
			return err
		}
		seq = at
	}
	return nil
}

// state returns the next state, its partition, and its sequence number.
func (r *reader) state(ctx context.Context) (s *state, p int, seq uint64, err error) {
	m, seq, err := r.message(ctx)
	if err != nil {
		return nil, 0, 0, err
	}
	p, err = strconv.Atoi(strings.TrimPrefix(m.Subject(), r.job.subject("own.")))
	if err == nil {
		s, err = decode(m.Data())
	}
	if err != nil {
		return nil, 0, 0, fetch.Errorf(fetch.ErrLocal, "%s: %w", m.Subject(), err)
	}
	return s, p, seq, nil
}

// write appends a state. After an error, it is unknown whether it was stored, so the owner must not write again.
func (o *owner) write(ctx context.Context, results []Result) error {
	s := o.state
	for i := range results {
		s.Totals.add(&results[i])
	}
	s.Results = results
	body, err := o.job.deflater.encode(&s)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "partition %d: %w", o.partition, err)
	}
	ack, err := o.job.js.Publish(ctx, o.job.numbered("own", o.partition), body, jetstream.WithExpectLastSequencePerSubject(o.last))
	if err != nil {
		var api *jetstream.APIError
		if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			return errors.Join(errOwned, wrap(err))
		}
		return wrap(err)
	}
	o.last, o.state = ack.Sequence, s
	o.state.Results = nil
	return nil
}

// release makes the partition free, unless it is another's.
func (o *owner) release(ctx context.Context) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	if o.broken != nil {
		return o.broken
	}
	o.state.Worker = ""
	return o.write(ctx, nil)
}

// Done also notes duplicates, which the next write records.
func (o *owner) Done(it *batch.Item) (bool, error) {
	if o.done.has(it.Number) {
		return true, nil
	}
	if !it.Duplicate {
		return false, nil
	}
	o.done.set(it.Number)
	o.noteDuplicate(Result{Number: it.Number, Duplicate: true})
	return true, nil
}
