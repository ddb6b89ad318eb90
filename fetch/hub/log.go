//go:build unix || windows

package hub

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/internal/lock"
)

// A log is the list of URIs of one partition.
type log struct {
	job       *Job
	partition int
	insist    insister
	first     *share // of a feed: what the reader returns before the rest; may be nil

	mu   lock.Long
	at   uint64   // sequence number of page
	page [][]byte // that was read last
}

const (
	maxRecord = 1 << 20
	readAhead = 1024             // messages that a reader requests in advance
	listAhead = 32               // for the reader of a partition, of which a worker has many
	readBytes = 2 * maxPayload   // in total
	inactive  = 20 * time.Second // after which the server removes the consumer of a dead process

	// A reader that receives nothing for twice this time creates another consumer: a cluster may have lost the server that had it.
	heartbeat = 3 * time.Second
	resets    = 3                // attempts to do so, since they do not end with the context
	silence   = 10 * time.Second // after which a reader looks whether it has missed something
)

// An insister calls send until the hub answers, or the context ends that send gets.
type insister func(send func(context.Context) error) error

// request sends a request, which has the usual time, by insist unless that is nil.
func request(insist insister, send func(context.Context) error) error {
	one := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return wrap(send(ctx))
	}
	if insist == nil {
		return one(context.Background())
	}
	return insist(one)
}

// inProcess is how long to wait for the servers of a cluster to store a message of the same id.
const inProcess = 20 * time.Millisecond

func (l *log) Read(at int64) ([]byte, error) {
	seq, index := uint64(at)>>indexBits, int(at&(1<<indexBits-1))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at != seq || l.page == nil {
		var m *jetstream.RawStreamMsg
		if err := request(l.insist, func(ctx context.Context) (err error) {
			m, err = l.job.stream.GetMsg(ctx, seq)
			return err
		}); err != nil {
			return nil, err
		}
		if p, ok := l.job.number("add", m.Subject); !ok || p != l.partition {
			return nil, fetch.Errorf(fetch.ErrLocal, "message %d is not one of partition %d", seq, l.partition)
		}
		page, err := pageOf(m.Subject, m.Data)
		if err != nil {
			return nil, err
		}
		l.at, l.page = seq, page
	}
	if index >= len(l.page) {
		return nil, fetch.Errorf(fetch.ErrLocal, "message %d has no record %d", seq, index)
	}
	return l.page[index], nil
}

func (l *log) Scan() batch.LogReader {
	return &reader{job: l.job, subjects: l.job.subjects("add", []int{l.partition}, ".>"), first: l.first, insists: true, ahead: listAhead}
}

// Close does nothing: the records are the job's.
func (l *log) Close() error { return nil }

// A reader is a consumer, which is created by the first Next. The library creates another one if the server has lost it.
type reader struct {
	job      *Job
	subjects []string // may contain wildcards; nil for all of the job's
	insists  bool     // goes on after an error, until the context ends
	ahead    int      // messages that are requested in advance; 0 is readAhead
	first    *share   // nil once it has ended
	last     uint64   // sequence number of the latest message; only those after it are read
	consumer jetstream.Consumer
	in       jetstream.MessagesContext

	page [][]byte // the records of the latest message that Next has not returned
	at   int64    // position of the next of them
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
		r.in, err = r.consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(cmp.Or(r.ahead, readAhead), readBytes), jetstream.PullHeartbeat(heartbeat))
	}
	return err
}

func (r *reader) Next(ctx context.Context) ([]byte, int64, error) {
	for len(r.page) == 0 {
		m, seq, err := r.listed(ctx)
		if err != nil {
			return nil, 0, err
		}
		if r.page, err = pageOf(m.Subject(), m.Data()); err != nil {
			return nil, 0, err
		}
		r.at = int64(seq << indexBits)
	}
	record, at := r.page[0], r.at
	r.page, r.at = r.page[1:], r.at+1
	return record, at, nil
}

// listed returns the next message, of the feed as long as that has one.
func (r *reader) listed(ctx context.Context) (jetstream.Msg, uint64, error) {
	if r.first != nil {
		one, ok, err := r.first.next(ctx)
		if ok || err != nil {
			return one.msg, one.seq, err
		}
		r.first, r.last = nil, r.first.left
	}
	return r.message(ctx)
}

// message returns the next message and its sequence number.
func (r *reader) message(ctx context.Context) (jetstream.Msg, uint64, error) {
	for {
		m, err := r.next(ctx)
		switch {
		case err == nil:
			meta, err := m.Metadata()
			if err != nil {
				return nil, 0, wrap(err)
			}
			r.last = meta.Sequence.Stream
			return m, r.last, nil
		case ctx.Err() != nil:
			return nil, 0, ctx.Err() // since that is the reason for err
		case r.in != nil && errors.Is(err, context.DeadlineExceeded):
			if !r.isBehind(ctx) {
				continue
			}
		case !r.insists:
			return nil, 0, wrap(err)
		default:
			fetch.Sleep(ctx, r.job.retryEvery())
		}
		r.Close() // the consumer is abandoned in any case
		r.in = nil
	}
}

// next waits for a message, but not for long.
func (r *reader) next(ctx context.Context) (jetstream.Msg, error) {
	if r.in == nil {
		if err := r.open(ctx); err != nil {
			return nil, err
		}
	}
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
