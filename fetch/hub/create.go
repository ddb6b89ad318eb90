//go:build unix || windows

package hub

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
)

// Create creates a job, or opens it if it exists with the same number of partitions. Whether its About is the same is for the caller to decide.
func Create(ctx context.Context, c *nats.Conn, name string, o *JobOptions) (*Job, error) {
	if o == nil {
		o = &JobOptions{}
	}
	want := *o
	if want.Partitions == 0 {
		want.Partitions = defaultPartitions
	}
	if want.Lease == 0 {
		want.Lease = defaultLease
	}
	switch {
	case !isName(name):
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the name of a job must be letters, digits, - and _, got %q", name)
	case want.Partitions < 1 || want.Partitions > maxPartitions:
		return nil, fetch.Errorf(fetch.ErrLimit, "%d partitions: the number must be 1 to %d", want.Partitions, maxPartitions)
	case want.Lease < shortestLease:
		return nil, fetch.Errorf(fetch.ErrLimit, "a lease of %v: it must be at least %v", want.Lease, shortestLease)
	}
	js, err := streams(c)
	if err != nil {
		return nil, err
	}
	if _, err := js.Stream(ctx, "DEREF_"+name); err != nil {
		if err := create(ctx, js, name, &want); err != nil {
			return nil, err
		}
	}
	j, err := Open(ctx, c, name)
	if err == nil && o.Partitions != 0 && j.partitions != o.Partitions {
		err = fetch.Errorf(fetch.ErrLocal, "the job %s has %d partitions, which cannot be changed to %d", name, j.partitions, o.Partitions)
	}
	return j, err
}

// create creates the key-value bucket first, so that a job whose stream exists is complete. If another process has just created the job, that of
// the other one remains.
func create(ctx context.Context, js jetstream.JetStream, name string, o *JobOptions) error {
	_, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "DEREF_" + name + "_workers", TTL: o.Lease, Replicas: max(o.Replicas, 1)})
	if err == nil && o.Replicas > 1 {
		err = readFromLeader(ctx, js, "KV_DEREF_"+name+"_workers")
	}
	if err != nil {
		return wrap(err)
	}
	limit := int64(-1)
	if o.MaxBytes > 0 {
		limit = o.MaxBytes
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "DEREF_" + name, Subjects: []string{"DEREF_" + name + ".>"}, Description: "a job of derefd",
		Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, Compression: jetstream.S2Compression, Discard: jetstream.DiscardNew,
		MaxBytes: limit, MaxConsumers: -1, MaxMsgs: -1, Duplicates: remembered, Replicas: max(o.Replicas, 1), DenyDelete: true,
		AllowDirect: o.Replicas <= 1,
		Metadata: map[string]string{formatKey: format, partitionsKey: strconv.Itoa(o.Partitions), leaseKey: o.Lease.String(),
			portsKey: portsOf(o.Schemes).String(), aboutKey: o.About},
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil
	}
	return wrap(err)
}

// readFromLeader turns off replies of other replicas. These may lack the latest messages, so that a living worker would seem to be dead.
func readFromLeader(ctx context.Context, js jetstream.JetStream, stream string) error {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return err
	}
	c := s.CachedInfo().Config
	c.AllowDirect = false
	_, err = js.UpdateStream(ctx, c)
	return err
}
