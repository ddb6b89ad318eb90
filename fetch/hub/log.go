//go:build unix || windows

package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
)

// A log is the list of URIs of one partition. The position of a record is its sequence number in the stream.
type log struct {
	job     *Job
	subject string
	closed  atomic.Bool
	failed  func(error) // is called after a failed Append, which may have stored the record, or Read; may be nil
	first   *share      // of a feed: what the reader returns before the rest; may be nil
}

const (
	maxRecord = 1 << 20
	readAhead = 1024             // records that a reader requests in advance: a new owner reads all of its partition
	readBytes = 2 * maxPayload   // in total
	inactive  = 20 * time.Second // after which the server removes the consumer of a dead process

	// A reader that receives nothing for twice this time creates another consumer: a cluster may have lost the server that had it.
	heartbeat = 3 * time.Second
	resets    = 3                // attempts to do so, since they do not end with the context
	silence   = 10 * time.Second // after which a reader looks whether it has missed something
)

// Log returns the URIs of a partition. The server omits a record with the key of an earlier one for 20 seconds.
func (j *Job) Log(partition int) batch.Log {
	return &log{job: j, subject: j.numbered("add", partition)}
}

func (l *log) Append(key string, record []byte) (int64, bool, error) {
	switch {
	case len(record) >= maxRecord || bytes.IndexByte(record, '\n') >= 0:
		return 0, false, fetch.Errorf(fetch.ErrLimit, "invalid or too long record")
	case l.closed.Load():
		return 0, false, fetch.Errorf(fetch.ErrLocal, "the log is closed")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	id := digest(sha256.Sum256([]byte(l.subject + " " + key)))
	ack, err := l.job.js.Publish(ctx, l.subject, record, jetstream.WithMsgID(id))
	for isInProcess(err) {
		select {
		case <-time.After(inProcess):
			ack, err = l.job.js.Publish(ctx, l.subject, record, jetstream.WithMsgID(id))
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		err = wrap(err)
		if l.failed != nil && fetch.KindOf(err) != fetch.ErrLimit {
			l.failed(err)
		}
		return 0, false, err
	}
	return int64(ack.Sequence), !ack.Duplicate, nil
}

// inProcess is how long to wait for the servers of a cluster to store a message of the same id.
const inProcess = 20 * time.Millisecond

// isInProcess reports whether the servers of a cluster are just storing a message of the same id.
func isInProcess(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == errInProcess
}

func (l *log) Read(at int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m, err := l.job.stream.GetMsg(ctx, uint64(at))
	if err != nil {
		err = wrap(err)
		if l.failed != nil { // the caller cannot tell whether a URI is the same as an earlier one
			l.failed(err)
		}
		return nil, err
	}
	if m.Subject != l.subject {
		return nil, fetch.Errorf(fetch.ErrLocal, "record %d is not in %s", at, l.subject)
	}
	return m.Data, nil
}

func (l *log) Scan() batch.LogReader {
	return &reader{job: l.job, subjects: []string{l.subject}, first: l.first}
}

func (l *log) Close() error {
	l.closed.Store(true)
	return nil
}

// A reader is a consumer, which is created by the first Next. The library creates another one if the server has lost it.
type reader struct {
	job      *Job
	subjects []string // may contain wildcards; nil for all of the job's
	first    *share   // nil once it has ended
	last     uint64   // sequence number of the latest message; only those after it are read
	consumer jetstream.Consumer
	in       jetstream.MessagesContext
}

func (r *reader) open(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := jetstream.OrderedConsumerConfig{FilterSubjects: r.subjects, DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: inactive,
		MaxResetAttempts: resets}
	if r.last > 0 {
		c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.last+1
	}
	r.consumer, err = r.job.stream.OrderedConsumer(ctx, c)
	if err == nil {
		r.in, err = r.consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(readAhead, readBytes), jetstream.PullHeartbeat(heartbeat))
	}
	return err
}

func (r *reader) Next(ctx context.Context) ([]byte, int64, error) {
	if r.first != nil {
		one, ok, err := r.first.next(ctx)
		if ok || err != nil {
			return one.text, int64(one.at), err
		}
		r.first, r.last = nil, r.first.left
	}
	m, at, err := r.message(ctx)
	if err != nil {
		return nil, 0, err
	}
	return m.Data(), int64(at), nil
}

// message returns the next message and its sequence number.
func (r *reader) message(ctx context.Context) (jetstream.Msg, uint64, error) {
	for {
		if r.in == nil {
			if err := r.open(ctx); err != nil {
				return nil, 0, firstOf(ctx, err)
			}
		}
		m, err := r.next(ctx)
		switch {
		case err == nil:
			meta, err := m.Metadata()
			if err != nil {
				return nil, 0, wrap(err)
			}
			r.last = meta.Sequence.Stream
			return m, r.last, nil
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return nil, 0, firstOf(ctx, err)
		}
		if r.isBehind(ctx) {
			r.Close() // the consumer is abandoned in any case
			r.in = nil
		}
	}
}

// next waits for a message, but not for long.
func (r *reader) next(ctx context.Context) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return r.in.Next(jetstream.NextContext(ctx))
}

// isBehind reports whether there is a message that the consumer should have delivered.
func (r *reader) isBehind(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	subjects := r.subjects
	if subjects == nil {
		subjects = []string{r.job.subject(">")}
	}
	for _, subject := range subjects {
		if _, err := r.job.stream.GetMsg(ctx, r.last+1, jetstream.WithGetMsgSubject(subject)); err == nil {
			return true
		}
	}
	return false
}

// firstOf returns the error of ctx if it has ended, since that is the reason for err.
func firstOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return wrap(err)
}

// Close removes the consumer.
func (r *reader) Close() error {
	if r.in == nil {
		return nil
	}
	r.in.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := r.job.stream.DeleteConsumer(ctx, r.consumer.CachedInfo().Name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	return wrap(err)
}
