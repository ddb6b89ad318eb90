//go:build unix || windows

package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/scope"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/fetch/tofu"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
)

// archiveSize is the default of archive-size, at which a worker starts another archive.
const archiveSize = 1 << 30

// A worker does the work of one process.
type worker struct {
	client *fetch.Client
	again  *fetch.Client // for what derefd redo has added: it does not refer to records that may be lost
	job    *jobFile
	files  *warc.Writer // nil unless the task is to archive
	store  *store       // nil unless the job has one
	places places
	robots *scope.Robots // nil unless the task is to crawl

	stopMoving func() // nil unless archives are moved to the store
}

// newWorker returns the worker of a name that no other process uses at the same time.
func newWorker(f *jobFile, name string, c *command) (*worker, error) {
	w := &worker{client: fetch.New(schemes.All(nil)...), again: fetch.New(schemes.All(nil)...), job: f, places: places{of: map[string]*place{}}}
	var ask func(context.Context, fetch.LoginRequest) (fetch.Login, error)
	if f.Netrc != "" {
		list, err := secretfile.ReadNetrc(f.path(f.Netrc))
		if err != nil {
			return nil, err
		}
		ask = list.Login
	}
	var firstUse func(string, tls.ConnectionState, error) error
	if f.Tofu {
		known, err := tofu.Open(filepath.Join(f.Data, "known-hosts"))
		if err != nil {
			return nil, err
		}
		firstUse = known.Check
	}
	for _, to := range []*fetch.Client{w.client, w.again} {
		to.FirstUse = firstUse
		to.Dialer, to.Logins = c.dial, ask
		to.Policy.DenyPrivate = f.PublicOnly
		to.Limits.Document = f.MaxSize
		to.Timeouts.Total = time.Duration(f.Timeout * float64(time.Second))
	}
	if !f.archived() {
		return w, nil
	}
	if err := os.MkdirAll(f.archives(), 0o755); err != nil {
		return nil, fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	var err error
	if w.store, err = openStore(f, c.getenv); err != nil {
		return nil, err
	}
	if err := adopt(f.archives()); err != nil {
		return nil, err
	}
	// Results may refer to archives that were moved or removed, so no process uses their names again.
	name = fmt.Sprintf("%s-%s-%s", name, time.Now().UTC().Format("20060102150405"), rand.Text()[:6])
	w.files, err = warc.Create(filepath.Join(f.archives(), name+archiveSuffix), &warc.Options{Size: cmp.Or(f.Archive, archiveSize), Index: true,
		Software: "derefd", Stored: w.places.stored, OnlyAdded: true})
	if err != nil {
		return nil, err
	}
	whole := warc.NewRecorder(w.files)
	whole.Whole = true
	w.client.Recorder, w.again.Recorder = warc.NewRecorder(w.files), whole
	if f.crawls() && !f.IgnoreRobots {
		w.robots = scope.NewRobots(w.client, "")
	}
	return w, nil
}

// close completes the archive, and moves it to the store unless ctx has ended. A later worker moves what could not be moved.
func (w *worker) close(ctx context.Context) error {
	w.client.Close()
	w.again.Close()
	if w.files == nil {
		return nil
	}
	if w.stopMoving != nil {
		w.stopMoving()
	}
	if err := w.files.Close(); err != nil || w.store == nil {
		return err
	}
	return w.store.move(ctx)
}

// startMoving moves finished archives to the store from time to time, until close is called.
func (w *worker) startMoving(ctx context.Context, report func(event string, args ...any)) {
	if w.store == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	w.stopMoving = func() {
		cancel()
		<-ended
	}
	go func() {
		defer close(ended)
		tick := time.NewTicker(uploadEvery)
		defer tick.Stop()
		for {
			if err := w.store.move(ctx); err != nil && ctx.Err() == nil {
				report("archives could not be stored", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
}

// learn passes the results of all workers to the archive, so that it refers to documents that are stored already. Only records that count are
// referred to: the index has them, and they are durable. It returns after the results that are recorded by now.
func (w *worker) learn(ctx context.Context, j *hub.Job) error {
	if w.files == nil {
		return nil
	}
	ready, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- j.Follow(ctx, func() { close(ready) }, func(r *hub.Result) error {
			if target, is, ok := placeOf(r); ok && is.Original != nil {
				is.Original.Target = target
				w.files.AddOriginal(*is.Original)
			}
			return nil
		})
	}()
	select {
	case <-ready:
		return nil
	case err := <-failed:
		return err
	}
}

func (w *worker) options() *hub.WorkOptions {
	o := &hub.WorkOptions{Connections: w.job.Connections, Batch: w.job.batch(), More: more}
	if w.files != nil {
		o.Commit = w.files.Sync
	}
	if w.job.crawls() {
		o.Rank, o.Budget = depthOf, hub.Budget{Documents: w.job.HostDocuments, Bytes: w.job.HostBytes}
		o.Batch.PauseOf, o.Batch.Window = w.robots.Delay, crawlWindow
		o.Batch.Kept = func(it *batch.Item) (bool, error) {
			if w.robots.Forbids(it.URI) {
				return true, errForbidden()
			}
			return false, nil
		}
	}
	return o
}

// found is what a result contains besides.
type found struct {
	Verdict check.Verdict `json:"verdict,omitempty"`
	Final   string        `json:"final,omitempty"` // URI after redirects
	Type    string        `json:"type,omitempty"`
	Entries int           `json:"entries,omitempty"`
	Millis  int64         `json:"ms,omitempty"`   // of the last try
	File    string        `json:"file,omitempty"` // archive of the document
	At      int64         `json:"at,omitempty"`   // position of its record in the archive

	Original *warc.Original `json:"original,omitempty"` // the record, if it stores the document
}

func more(it *batch.Item) json.RawMessage {
	f, ok := it.Keep.(found)
	if !ok {
		return nil
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil
	}
	return b
}

// task fetches a document, and keeps what its result will contain.
func (w *worker) task(ctx context.Context, it *batch.Item, add hub.AddFunc) (size int64, err error) {
	key := warc.Target(it.URI)
	w.places.await(key)
	began := time.Now()
	f := found{}
	if w.job.Task == "check" {
		err = w.check(ctx, it, &f)
	} else {
		size, err = w.read(ctx, it, add, &f)
	}
	f.Millis = time.Since(began).Milliseconds()
	is := w.places.take(key)
	f.File, f.At, f.Original = is.file, is.at, is.original
	it.Keep = f
	return size, err
}

func (w *worker) clientOf(it *batch.Item) *fetch.Client {
	if it.Redo > 0 {
		return w.again
	}
	return w.client
}

func (w *worker) check(ctx context.Context, it *batch.Item, f *found) error {
	r := check.One(ctx, w.clientOf(it), it.URI, nil)
	if f.Verdict = r.Verdict; !r.Final.IsZero() {
		f.Final = r.Final.WithoutPassword().String()
	}
	return r.Err
}

// read reads a document to its end, so that it is in the archive, and adds what a listing, or in a crawl any document, refers to. A crawl does not follow
// redirects: their targets are URIs of the job.
func (w *worker) read(ctx context.Context, it *batch.Item, put hub.AddFunc, f *found) (size int64, err error) {
	to, err := w.finder(it, put)
	if err == nil {
		err = w.mayRead(ctx, it.URI)
	}
	if err != nil {
		return 0, err
	}
	d, err := w.clientOf(it).Get(ctx, it.URI, &fetch.Options{NoFollow: w.job.crawls(), Foreign: to.note.Depth > 0})
	if d != nil {
		defer func() { // the record is written when the document is closed
			if cerr := d.Body.Close(); err == nil {
				err = cerr
			}
		}()
	}
	if err != nil {
		return 0, err
	}
	if f.Type = d.Type; len(d.Via) > 0 {
		f.Final = d.URI.WithoutPassword().String()
	}
	body := &countedBody{ReadCloser: d.Body}
	d.Body = body
	switch {
	case w.job.crawls() && len(d.Referrals) > 0:
		f.Type, f.Final = "", d.Referrals[0].URI.WithoutPassword().String()
		err = to.redirect(d.Referrals)
	case d.Entries != nil:
		f.Entries, err = to.entries(d)
	case w.job.crawls():
		err = to.links(d)
	}
	if err == nil && d.Entries == nil && w.files != nil {
		_, err = io.Copy(io.Discard, d.Body)
	}
	return body.size, cmp.Or(err, body.err)
}
