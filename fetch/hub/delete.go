//go:build unix || windows

package hub

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
)

// Jobs returns the names of the jobs of a server, also of those that other versions of this program have created.
func Jobs(ctx context.Context, c *nats.Conn) (names []string, err error) {
	js, err := streams(c)
	if err != nil {
		return nil, err
	}
	list := js.StreamNames(ctx)
	for name := range list.Name() {
		if name, ok := strings.CutPrefix(name, "DEREF_"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, wrap(list.Err())
}

// Delete deletes a job with its results. It is an error if a worker has a lease. Archives are not the hub's.
func Delete(ctx context.Context, c *nats.Conn, name string) error {
	js, err := streams(c)
	if err != nil {
		return err
	}
	leases, err := js.KeyValue(ctx, "DEREF_"+name+"_workers")
	switch {
	case err == nil:
		list, err := leasesIn(ctx, js, leases)
		if err != nil {
			return err
		}
		for lease := range list {
			return fetch.Errorf(fetch.ErrLocal, "the worker %s %w %s", workerOf(lease), ErrAtWork, name)
		}
	case !isAny(err, jetstream.ErrBucketNotFound, jetstream.ErrInvalidBucketName):
		return wrap(err)
	}
	switch err := js.DeleteStream(ctx, "DEREF_"+name); {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrInvalidStreamName):
		return fetch.Errorf(fetch.ErrNotFound, "no such job: %q", name)
	case err != nil:
		return wrap(err)
	}
	if err := js.DeleteKeyValue(ctx, "DEREF_"+name+"_workers"); !errors.Is(err, jetstream.ErrBucketNotFound) {
		return wrap(err)
	}
	return nil
}

// ErrAtWork means that a job cannot be deleted yet.
var ErrAtWork = errors.New("is at work on the job")

// checkExists returns an error if the job was deleted, perhaps while the worker could not reach the hub. missing is since when the hub has not had it: one
// that is starting may not have opened it yet.
func (j *Job) checkExists(ctx context.Context, missing *time.Time) error {
	info, err := j.stream.Info(ctx)
	switch {
	case err == nil && info.Created.Equal(j.created):
		*missing = time.Time{}
		return nil
	case err == nil:
		return fetch.Errorf(fetch.ErrNotFound, "the job was deleted, and there is another one of the name %s", j.Name)
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return nil // the caller meets it again
	case missing.IsZero():
		*missing = time.Now()
	case time.Since(*missing) > j.lease:
		return fetch.Errorf(fetch.ErrNotFound, "the job was deleted: %s", j.Name)
	}
	return nil
}
