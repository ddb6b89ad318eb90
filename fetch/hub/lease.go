//go:build unix || windows

package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
)

// A lease shows others that a worker is alive. Its name is new each time, so that partitions of a lost lease are never owned again by mistake.
type lease struct {
	job  *Job
	name string

	mu       sync.Mutex
	revision uint64
	sent     time.Time   // when the last successful renewal was sent; its monotonic clock counts
	guard    *time.Timer // ends the worker's requests
}

var errLeaseLost = errors.New("the lease could not be renewed")

// The worker renews its lease three times in its life, and stops itself after two thirds of it.
func (j *Job) renewEvery() time.Duration { return j.lease / 3 }
func (j *Job) stopAfter() time.Duration  { return j.lease * 2 / 3 }

// retryEvery is the time between attempts to renew a lease after one has failed.
func (j *Job) retryEvery() time.Duration { return j.renewEvery() / 10 }

// Values of a lease.
const (
	working  = "working"
	draining = "draining"
)

// newLease starts a lease. lost is called when the worker must stop.
func (j *Job) newLease(ctx context.Context, name string, lost func()) (*lease, error) {
	l := &lease{job: j, name: name + "-" + rand.Text()[:10], sent: time.Now()}
	var err error
	if l.revision, err = j.leases.Create(ctx, l.name, []byte(working)); err != nil {
		return nil, wrap(err)
	}
	l.guard = time.AfterFunc(time.Until(l.sent.Add(j.stopAfter())), lost)
	return l, nil
}

// isValid reports whether the worker may send requests. A process that was stopped learns here that its time is over.
func (l *lease) isValid() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.sent) < l.job.stopAfter()
}

// renew extends the lease.
func (l *lease) renew(ctx context.Context, value string) error {
	one, cancel := context.WithTimeout(ctx, l.job.renewEvery()/2)
	defer cancel()
	sent := time.Now()
	l.mu.Lock()
	revision := l.revision
	l.mu.Unlock()
	revision, err := l.job.leases.Update(one, l.name, []byte(value), revision)
	if err != nil {
		l.learn(ctx)
		return wrap(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.sent) >= l.job.stopAfter() { // the guard has fired, or will
		return fetch.Errorf(fetch.ErrLocal, "%w", errLeaseLost)
	}
	l.revision, l.sent = revision, sent
	l.guard.Reset(time.Until(sent.Add(l.job.stopAfter())))
	return nil
}

// learn reads the revision of the lease after a failed renewal, which the hub may have stored without being able to confirm it. Only this worker
// renews the lease.
func (l *lease) learn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.job.retryEvery())
	defer cancel()
	revision := uint64(0) // creates the lease again, which a hub removes too early whose clock goes forward
	switch is, err := l.job.leases.Get(ctx, l.name); {
	case err == nil:
		revision = is.Revision()
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision = revision
}

// end gives the lease up.
func (l *lease) end() {
	l.guard.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.job.leases.Delete(ctx, l.name) // else it expires
}

// leasesIn returns the leases in a bucket by name. The watchers of package jetstream, and with them its ListKeys, wait forever for a lease that the hub
// removes while they begin.
func leasesIn(ctx context.Context, js jetstream.JetStream, bucket jetstream.KeyValue) (map[string]jetstream.KeyValueEntry, error) {
	s, err := js.Stream(ctx, "KV_"+bucket.Bucket())
	if err != nil {
		return nil, wrap(err)
	}
	prefix := "$KV." + bucket.Bucket() + "."
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return nil, wrap(err)
	}
	list := map[string]jetstream.KeyValueEntry{}
	for subject := range info.State.Subjects {
		name := strings.TrimPrefix(subject, prefix)
		switch e, err := bucket.Get(ctx, name); {
		case err == nil:
			list[name] = e
		case !errors.Is(err, jetstream.ErrKeyNotFound): // it has ended
			return nil, wrap(err)
		}
	}
	return list, nil
}

// A sighting is the latest revision of a lease that a worker has seen, or 0, and when it was new, by the worker's monotonic clock.
type sighting struct {
	revision uint64
	at       time.Time
}

// look notes which leases are new or were renewed since the last call, and returns how many living workers want partitions. The clock of the hub does
// not decide which live: it may keep the lease of a dead worker, or remove that of a living one.
func (w *worker) look() (n int, err error) {
	began := time.Now()
	present, err := leasesIn(w.ctx, w.job.js, w.job.leases)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	outage := began.Sub(w.looked) > w.job.stopAfter() // during which nobody could renew, and after which all write their last results
	w.looked = began
	for name, s := range w.seen {
		if outage {
			s.at = now
			w.seen[name] = s
		}
		if present[name] == nil && now.Sub(s.at) > 2*w.job.lease {
			delete(w.seen, name)
		}
	}
	for name, e := range present {
		if s, ok := w.seen[name]; !ok || s.revision != e.Revision() {
			w.seen[name] = sighting{e.Revision(), now}
		}
		if w.lives(name) && string(e.Value()) == working {
			n++
		}
	}
	return n, nil
}

// lives reports whether a lease was renewed in its time. One that is not known may just have begun.
func (w *worker) lives(name string) bool {
	s, seen := w.seen[name]
	return !seen || w.looked.Sub(s.at) < w.job.lease
}

// isAnothers reports whether a lease is that of another living worker.
func (w *worker) isAnothers(name string) bool {
	return name != "" && name != w.lease.name && w.lives(name)
}

// control is the subject of requests to one worker. They are not stored.
func (j *Job) control(lease string) string { return "DEREFD." + j.Name + "." + lease }

// Drain asks workers to finish what they have begun, and to return from Work. name is a worker's (WorkOptions.Name), or "" for all. It returns the
// leases of those that have confirmed this.
func (j *Job) Drain(ctx context.Context, name string) (confirmed []string, err error) {
	all, err := leasesIn(ctx, j.js, j.leases)
	if err != nil {
		return nil, err
	}
	for lease := range all {
		if name != "" && workerOf(lease) != name {
			continue
		}
		one, cancel := context.WithTimeout(ctx, patience)
		_, rerr := j.js.Conn().RequestWithContext(one, j.control(lease), nil)
		cancel()
		switch {
		case rerr == nil:
			confirmed = append(confirmed, lease)
		case !errors.Is(rerr, nats.ErrNoResponders): // the process is dead, and its lease not yet
			err = errors.Join(err, wrap(rerr))
		}
	}
	return confirmed, err
}

// workerOf returns the name of the worker that has a lease.
func workerOf(lease string) string { return lease[:max(strings.LastIndexByte(lease, '-'), 0)] }
