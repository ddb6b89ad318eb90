//go:build unix || windows

package hub

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/uri"
)

// A Task processes one URI, as a batch.Task does. What it adds to the job is stored before its result is recorded.
type Task func(ctx context.Context, it *batch.Item, add AddFunc) (size int64, err error)

// An AddFunc adds a URI to a job: see Adder.Add. added is false if it is known that the job has the URI. Only one goroutine may call it at a time.
type AddFunc func(u uri.URI, note json.RawMessage) (added bool, err error)

// WorkOptions controls a worker; nil means the zero value.
type WorkOptions struct {
	Name        string        // of the worker in reports: letters, digits, - and _; "" is "worker"
	Dir         string        // for tables of URIs; "" is the system's directory for temporary files
	Connections int           // requests at a time, to all hosts together; 0 is 8
	Batch       batch.Options // for each partition: PerHost, Pause, PauseOf, Retry, Patience, Kept; Window (0 is 64)
	Budget      Budget        // of each host

	Rank   func(it *batch.Item) int             // of the items that could begin, those of the lowest rank do, whatever their hosts; may be nil
	Commit func() error                         // makes the documents that the Task has stored durable; may be nil
	More   func(it *batch.Item) json.RawMessage // what a Result contains besides; may be nil
	Done   func(it *batch.Item, err error)      // is called for each finished item, before it is recorded; may be nil
	Drain  <-chan struct{}                      // if it is closed, the worker finishes what it has begun, and returns; may be nil
	Report func(event string, args ...any)      // is called with events for a structured log; may be nil
}

// A worker is one call of Work, or one part of it between two leases.
type worker struct {
	job     *Job
	task    Task
	options *WorkOptions
	slots   slots
	sync    syncing
	quiet   chan struct{} // has a token after results were recorded while nothing ran: these may have been the last
	drained atomic.Bool   // by Drain
	recent  recently
	waiting atomic.Int64    // calls of insist that have failed once
	writes  context.Context // ends some time after that of Work, so that results can be written

	seen   map[string]sighting // by the name of the lease
	looked time.Time           // when the last successful look began

	lease *lease
	ctx   context.Context // ends with the lease
	stop  context.CancelCauseFunc

	mu     sync.Mutex
	owned  map[int]*owner // the partitions that are being worked on, or being released
	broken error          // of Commit, perhaps after the lease was lost: what the worker fetches cannot be stored, so it would fetch it again and again
	all    sync.WaitGroup
}

const (
	defaultConnections = 8
	defaultWindow      = 64 // items in memory for each partition
)

var (
	errReleased = errors.New("the partition is released")
	errFinished = errors.New("the job is finished")
)

// Work processes URIs of the job until it is finished, ctx ends, or the worker is drained (WorkOptions.Drain, Job.Drain). Of these, only the
// end of ctx is an error. An error of WorkOptions.Commit, the deletion of the job, or a closed connection, which that of Dial is after the hub has refused its
// login twice, ends it, too. The worker goes on after an interruption of the connection or a lost lease.
func (j *Job) Work(ctx context.Context, task Task, o *WorkOptions) error {
	if o == nil {
		o = &WorkOptions{}
	}
	c := *o
	if c.Name == "" {
		c.Name = "worker"
	}
	if c.Connections <= 0 {
		c.Connections = defaultConnections
	}
	if c.Batch.Window <= 0 {
		c.Batch.Window = defaultWindow
	}
	if c.Rank == nil {
		c.Rank = func(*batch.Item) int { return 0 }
	}
	if c.Report == nil {
		c.Report = func(string, ...any) {}
	}
	ctx = untimed{ctx}
	w := &worker{job: j, task: task, options: &c, slots: slots{free: c.Connections}, sync: syncing{sync: c.Commit, one: lock.NewLong()},
		quiet: make(chan struct{}, 1), seen: map[string]sighting{}}
	writes, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, cancel) })()
	w.writes = writes
	for missing := (time.Time{}); ; {
		if err := j.checkExists(ctx, &missing); err != nil {
			return err
		}
		err := w.period(ctx)
		switch {
		case w.broken != nil:
			return w.broken
		case errors.Is(err, errFinished):
			w.report("finished")
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil || w.isDraining(): // without a lease, it has nothing
			w.report("drained")
			return nil
		case w.isClosed():
			if err := j.js.Conn().LastError(); isRefusedLogin(err) {
				return wrap(err)
			}
			return wrap(nats.ErrConnectionClosed)
		}
		fetch.Sleep(ctx, j.renewEvery()/4) // until the server is back
	}
}

// An untimed context ends with another one, and hides its deadline: package jetstream gives a request the usual time only if the context has none.
type untimed struct{ context.Context }

func (untimed) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// period works for as long as one lease lasts. It returns nil after draining.
func (w *worker) period(ctx context.Context) (err error) {
	lost := func() {
		if err != nil && !errors.Is(err, errFinished) && ctx.Err() == nil {
			w.report("lease lost", "error", err)
		}
	}
	w.ctx, w.stop = context.WithCancelCause(ctx)
	stop := w.stop
	defer stop(nil)
	if w.lease, err = w.job.newLease(ctx, w.options.Name, func() { stop(errLeaseLost) }); err != nil {
		lost()
		return err
	}
	control, err := w.job.js.Conn().Subscribe(w.job.control(w.lease.name), func(m *nats.Msg) {
		w.drained.Store(true)
		m.Respond(nil)
	})
	if err != nil {
		w.lease.end()
		return wrap(err)
	}
	defer control.Unsubscribe()
	w.owned = map[int]*owner{}
	w.report("lease", "lease", w.lease.name)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		w.renewals()
	}()
	err = w.manage()
	lost()      // now, since an owner may wait for the hub
	w.stop(err) // partitions that are still owned write their last results and release themselves
	w.all.Wait()
	<-renewed
	w.lease.end()
	return err
}

// renewals renews the lease until the period ends.
func (w *worker) renewals() {
	for wait := w.job.renewEvery(); fetch.Sleep(w.ctx, wait); {
		value := working
		if w.isDraining() {
			value = draining
		}
		wait = w.job.renewEvery()
		if err := w.lease.renew(w.ctx, value); err != nil && w.ctx.Err() == nil {
			w.report("renewal failed", "error", err)
			wait = w.job.retryEvery()
		}
	}
}

// insist calls send until the hub answers, or ctx ends. It returns the last error.
func (w *worker) insist(ctx context.Context, send func(context.Context) error) error {
	for first := true; ; first = false {
		err := send(ctx)
		if err == nil || errors.Is(err, errOwned) || fetch.KindOf(err) == fetch.ErrLimit || ctx.Err() != nil || w.isClosed() {
			return err
		}
		if first {
			if w.waiting.Add(1) == 1 {
				w.report("waiting for the hub", "error", err)
			}
			defer w.waiting.Add(-1)
		}
		if !fetch.Sleep(ctx, w.job.retryEvery()) {
			return err
		}
	}
}

// report calls Report for an event of this worker.
func (w *worker) report(event string, args ...any) {
	w.options.Report(event, append([]any{"worker", w.options.Name}, args...)...)
}

// isClosed reports whether the connection is never restored.
func (w *worker) isClosed() bool { return w.job.js.Conn().IsClosed() }

func (w *worker) isDraining() bool {
	select {
	case <-w.options.Drain:
		return true
	default:
		return w.drained.Load()
	}
}
