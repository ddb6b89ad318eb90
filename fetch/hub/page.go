//go:build unix || windows

package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math/bits"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// A page is a message with records of one partition's list, since the server syncs each message. A page of one is the record itself; others are
// compressed, and their records are lines. Their number, which is a part of the subject, has three significant bits: else the server would have to
// count the messages of too many subjects.
const (
	pageRecords = 512
	pageBytes   = 64 << 10 // of several records
	inFlight    = 16       // pages of an Adder
	addWithin   = 5 * time.Second

	// The position of a record is the sequence number of its page, shifted by these bits, and its index there.
	indexBits = 10
)

// An Adder appends URIs to a job in pages. It is safe for concurrent use.
type Adder struct {
	job    *Job
	redo   bool
	insist insister

	slots chan struct{}
	all   sync.WaitGroup

	mu    sync.Mutex
	lists map[int]*addList
	timer *time.Timer // nil unless records wait

	done  sync.Mutex // guards the following fields
	added int64
	err   error // the first
}

// An addList holds the records of a partition that are not in a page yet.
type addList struct {
	records [][]byte
	size    int
	sent    <-chan struct{} // is closed when the last page was stored, so that pages are stored in order
}

// Adder returns an Adder. The caller must call Flush.
func (j *Job) Adder() *Adder {
	return &Adder{job: j, slots: make(chan struct{}, inFlight), lists: map[int]*addList{}}
}

// Add appends the URI of u (URI.ASCII) to the job, within five seconds. A URI that the job has is found by the owner of its
// partition. note, which may be nil, becomes the Item's Note. The error may be that of an earlier URI.
func (a *Adder) Add(u uri.URI, note json.RawMessage) error {
	u = u.ASCII()
	return a.put(a.job.partitionOf(u), batch.Record{URI: u, Note: note})
}

func (a *Adder) put(p int, r batch.Record) error {
	text, err := json.Marshal(r)
	if err != nil || len(text) >= maxRecord {
		return errors.Join(fetch.Errorf(fetch.ErrLimit, "invalid or too long note"), err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.lists[p]
	if l == nil {
		l = &addList{}
		a.lists[p] = l
	}
	if l.size+len(text) >= pageBytes {
		a.send(p, l)
	}
	l.records, l.size = append(l.records, text), l.size+len(text)+1
	if len(l.records) == pageRecords {
		a.send(p, l)
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(addWithin, a.sendAll)
	}
	return a.failed()
}

// Flush returns after all URIs are stored, with the number of those that were appended. Pages that are equal to others of the last 20 seconds are not.
func (a *Adder) Flush() (added int64, err error) {
	a.sendAll()
	a.all.Wait()
	a.done.Lock()
	defer a.done.Unlock()
	return a.added, a.err
}

func (a *Adder) sendAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	for p, l := range a.lists {
		a.send(p, l)
	}
}

// send begins to store what a list has.
func (a *Adder) send(p int, l *addList) {
	records := l.records
	l.records, l.size = nil, 0
	for len(records) > 0 && a.failed() == nil {
		n := pageSize(len(records))
		page, before, sent := records[:n], l.sent, make(chan struct{})
		records, l.sent = records[n:], sent
		a.slots <- struct{}{}
		a.all.Go(func() {
			defer func() { <-a.slots }()
			defer close(sent)
			if before != nil {
				<-before
			}
			if a.failed() == nil {
				a.store(p, page)
			}
		})
	}
}

// pageSize returns how many of n records are in the next page.
func pageSize(n int) int {
	low := max(bits.Len(uint(n))-3, 0)
	return n >> low << low
}

func (a *Adder) store(p int, page [][]byte) {
	_, added, err := a.job.publish(p, page, a.redo, a.insist)
	a.done.Lock()
	defer a.done.Unlock()
	if added {
		a.added += int64(len(page))
	}
	if a.err == nil {
		a.err = err
	}
}

func (a *Adder) failed() error {
	a.done.Lock()
	defer a.done.Unlock()
	return a.err
}

// publish appends a page to the list of a partition, unless the server has stored an equal one in the last 20 seconds. It calls insist to send it, or sends
// it once if that is nil.
func (j *Job) publish(p int, page [][]byte, redo bool, insist insister) (seq uint64, added bool, err error) {
	subject, body := j.listSubject(p, len(page), redo), bytes.Join(page, []byte("\n"))
	id := digest(sha256.Sum256(append([]byte(subject+" "), body...)))
	if len(page) > 1 {
		if body, err = j.deflater.deflate(nil, body); err != nil {
			return 0, false, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
	}
	var ack *jetstream.PubAck
	err = request(insist, func(ctx context.Context) (err error) {
		for {
			ack, err = j.js.Publish(ctx, subject, body, jetstream.WithMsgID(id))
			api, _ := errors.AsType[*jetstream.APIError](err)
			if api == nil || api.ErrorCode != errInProcess {
				return err
			}
			if !fetch.Sleep(ctx, inProcess) {
				return ctx.Err()
			}
		}
	})
	if err != nil {
		return 0, false, err
	}
	return ack.Sequence, !ack.Duplicate, nil
}

// pageOf returns the records of a message.
func pageOf(subject string, body []byte) ([][]byte, error) {
	n, _ := recordsIn(subject)
	if n == 1 {
		return [][]byte{body}, nil
	}
	text, err := inflate(body, 2*pageBytes)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", subject, err)
	}
	page := bytes.Split(text, []byte("\n"))
	if int64(len(page)) != n {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: got %d records", subject, len(page))
	}
	return page, nil
}

// A recently set holds the latest URIs that a worker has added, so that links which many documents have are not appended for each.
type recently struct {
	mu          sync.Mutex
	now, before map[string]bool
}

const maxRecent = 1 << 15

func (r *recently) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now[id] || r.before[id]
}

func (r *recently) add(ids map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || len(r.now) >= maxRecent {
		r.now, r.before = map[string]bool{}, r.now
	}
	for id := range ids {
		r.now[id] = true
	}
}
