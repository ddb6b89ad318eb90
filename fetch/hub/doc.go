//go:build unix || windows

// Package hub distributes a batch over several processes by means of NATS JetStream. A Job is a stream of two kinds of messages: the URIs to
// dereference, and their results. Workers share its partitions; all URIs of a host and port are in one partition.
//
//	s, err := hub.Serve(&hub.ServerOptions{Dir: dir}) // embedded in this process
//	c, err := s.Connect()
//	job, err := hub.Create(ctx, c, "links", &hub.JobOptions{Schemes: schemes.All(nil)})
//	err = job.Work(ctx, task, &hub.WorkOptions{Dir: dir})
//
// It guarantees:
//
//   - Every URI has exactly one result, even if workers or the server are killed, or a worker is stopped and continues later. A URI may be
//     fetched more than once: its result is that of the fetch that was recorded first.
//   - A result is recorded after Commit has made the document durable, and after the links that the Task added are stored.
//   - The owner of a partition runs package batch for it, with all its promises. A worker that could not renew its lease starts no further
//     request, before another can own its partitions. The next owner knows the pauses of the hosts, and what is left of their budgets.
//   - The server may be an existing one. It should sync each write (sync_interval: always), as that of Serve does.
package hub

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// JobOptions controls how a Job is created; nil means the zero value.
type JobOptions struct {
	Partitions int           // 0 is 256, at most 1024; it cannot be changed later
	Lease      time.Duration // after which the partitions of a silent worker are free; 0 is 15 s
	MaxBytes   int64         // of the stream; 0 is unlimited. A full stream accepts nothing
	Replicas   int           // in a cluster; 0 is 1
	About      string        // for the workers: what the job is (Job.About), up to 100,000 bytes; it cannot be changed later

	// Schemes have the default ports, so that http://h/ and http://h:80/ are in one partition. They cannot be changed later. A URI of any other
	// scheme, and thus each if this is nil, is one of port 0 unless its port is written.
	Schemes fetch.Registry
}

// A Job is a list of URIs that workers process together. It is safe for concurrent use.
type Job struct {
	Name string

	js         jetstream.JetStream
	stream     jetstream.Stream
	leases     jetstream.KeyValue
	partitions int
	lease      time.Duration
	ports      defaultPorts
	about      string
	created    time.Time
	deflater   deflater
}

const (
	defaultPartitions = 256
	maxPartitions     = 1024
	defaultLease      = 15 * time.Second
	shortestLease     = time.Second

	// The number of partitions does not have the name that it had before there was a format, so those versions refuse the job.
	formatKey     = "deref-format"
	partitionsKey = "deref-job-partitions"
	leaseKey      = "deref-lease"
	portsKey      = "deref-ports"
	aboutKey      = "deref-about"

	// format is the version of the messages and of the rules by which workers share a job.
	format = "4"

	// patience bounds a request to the server.
	patience = 5 * time.Second

	// remembered is how long the server omits pages that it has. Each takes 130 bytes of its memory for this time: at 20,000 pages/s, two minutes
	// would take 300 MiB.
	remembered = 20 * time.Second
)

// Open opens an existing job. If there is none of that name, the error is one of fetch.ErrNotFound.
func Open(ctx context.Context, c *nats.Conn, name string) (*Job, error) {
	js, err := streams(c)
	if err != nil {
		return nil, err
	}
	j := &Job{Name: name, js: js}
	j.stream, err = js.Stream(ctx, "DEREF_"+name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrInvalidStreamName):
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such job: %q", name)
	case err != nil:
		return nil, wrap(err)
	}
	if j.leases, err = js.KeyValue(ctx, "DEREF_"+name+"_workers"); err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the job %q: %w", name, err)
	}
	info := j.stream.CachedInfo()
	data := info.Config.Metadata
	if is := data[formatKey]; is != format {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "the job %s is one of another version of this program: its log has the format %q, and this version %q", name, is, format)
	}
	j.about, j.created = data[aboutKey], info.Created
	j.partitions, err = strconv.Atoi(data[partitionsKey])
	if err == nil {
		j.lease, err = time.ParseDuration(data[leaseKey])
	}
	if err == nil {
		j.ports, err = parsePorts(data[portsKey])
	}
	if err != nil || j.partitions < 1 || j.partitions > maxPartitions || j.lease < shortestLease {
		return nil, fetch.Errorf(fetch.ErrLocal, "the stream DEREF_%s is not that of a job", name)
	}
	return j, nil
}

// streams returns JetStream at the server of a connection.
func streams(c *nats.Conn) (jetstream.JetStream, error) {
	js, err := jetstream.New(c, jetstream.WithDefaultTimeout(patience))
	return js, wrap(err)
}

// About returns the JobOptions.About with which the job was created.
func (j *Job) About() string { return j.about }

// Add appends one URI as an Adder does, and returns after it is stored. added is false if the same was appended in the last 20 seconds.
func (j *Job) Add(u uri.URI, note json.RawMessage) (added bool, err error) {
	a := j.Adder()
	if err := a.Add(u, note); err != nil {
		return false, err
	}
	n, err := a.Flush()
	return n > 0, err
}

// Seal records that only tasks add URIs from now on, so that the job ends when all are done.
func (j *Job) Seal(ctx context.Context) error {
	_, err := j.js.Publish(ctx, j.subject("sealed"), nil)
	return wrap(err)
}

func (j *Job) subject(name string) string { return "DEREF_" + j.Name + "." + name }

func (j *Job) numbered(name string, p int) string { return j.subject(name + "." + strconv.Itoa(p)) }

// number returns the partition of a subject of numbered, or of one that begins with it, and whether it is one.
func (j *Job) number(name, subject string) (p int, ok bool) {
	rest, ok := strings.CutPrefix(subject, j.subject(name+"."))
	digits, _, _ := strings.Cut(rest, ".")
	p, err := strconv.Atoi(digits)
	return p, ok && err == nil
}

// listSubject returns the subject of a message with n records of a partition. redo is whether they are those of Redo. Since the subject has the
// number, the server counts records.
func (j *Job) listSubject(p, n int, redo bool) string {
	s := j.numbered("add", p) + "." + strconv.Itoa(n)
	if redo {
		s += redoSuffix
	}
	return s
}

const redoSuffix = ".redo"

// recordsIn returns how many records a message on a subject of listSubject has.
func recordsIn(subject string) (n int64, redo bool) {
	subject, redo = strings.CutSuffix(subject, redoSuffix)
	n, err := strconv.ParseInt(subject[strings.LastIndexByte(subject, '.')+1:], 10, 64)
	return min(max(n, 0), pageRecords), redo && err == nil
}

// maxFilters is how many subjects the server is asked for. It looks for the next message of each of them: with 256, that takes it three times as
// long as to read all messages (BenchmarkTakeover).
const maxFilters = 16

// subjects returns those of some partitions, followed by suffix, or those of all partitions if there are many.
func (j *Job) subjects(name string, partitions []int, suffix string) (list []string) {
	if len(partitions) > maxFilters {
		return []string{j.subject(name + ".>")}
	}
	for _, p := range partitions {
		list = append(list, j.numbered(name, p)+suffix)
	}
	return list
}

// isName reports whether a name can be a part of subjects and of buckets.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// digest returns the id of a message from its sum. It is part of the log, so it is short: to hide a URI, a server would have to find another
// one of the same 96 bits.
func digest(sum [32]byte) string { return base64.RawURLEncoding.EncodeToString(sum[:12]) }

// isAny reports whether err is one of a list.
func isAny(err error, list ...error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}

// wrap adds a Kind to an error of the server.
func wrap(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil || fetch.KindOf(err) != "" || errors.Is(err, context.Canceled):
		return err
	case isRefusedLogin(err):
		return fetch.Errorf(fetch.ErrAuth, "the hub refuses the login: %w", err)
	case isAny(err, nats.ErrMaxPayload):
		return fetch.Errorf(fetch.ErrLimit, "the hub: %w", err)
	case isAny(err, context.DeadlineExceeded, nats.ErrTimeout):
		return fetch.Errorf(fetch.ErrTimeout, "the hub does not respond")
	case isAny(err, nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrConnectionClosed):
		return fetch.Errorf(fetch.ErrConnect, "the hub: the connection is interrupted")
	case isAny(err, nats.ErrNoResponders, jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount):
		return fetch.Errorf(fetch.ErrUnavailable, "the hub: JetStream is not available")
	case errors.As(err, &api):
		kind := fetch.ErrLocal
		if slices.Contains([]jetstream.ErrorCode{errStoreFull, errStoreFailed, errInsufficient}, api.ErrorCode) {
			kind = fetch.ErrDisk
		}
		return fetch.Errorf(kind, "the hub: %s", api.Description)
	}
	return fetch.Errorf(fetch.ErrLocal, "the hub: %w", err)
}

// Codes of the server's errors (nats-server, server/errors.json).
const (
	errInsufficient = 10023 // JSInsufficientResourcesErr
	errStoreFull    = 10047 // JSStorageResourcesExceededErr
	errInProcess    = 10158 // JSStreamDuplicateMessageConflict
	errStoreFailed  = 10077 // JSStreamStoreFailedF, for example "maximum bytes exceeded"
)
