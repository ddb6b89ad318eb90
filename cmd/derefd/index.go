//go:build unix || windows

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// places holds where the documents of the running requests are in the archives. It is safe for concurrent use.
type places struct {
	mu sync.Mutex
	of map[string]*place // by the URI in the archive, which several requests have if they differ in the fragment
}

type place struct {
	file     string // "" until the document is stored
	at       int64
	original *warc.Original // nil if the record does not store the document
	requests int
}

// await notes what stored reports about a URI from now on.
func (p *places) await(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of[target] == nil {
		p.of[target] = &place{}
	}
	p.of[target].requests++
}

// stored is Options.Stored of the archive. The last record of a URI counts, since it has the document after, for example, a login.
func (p *places) stored(r warc.StoredRecord) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := p.of[r.Target]
	if to == nil {
		return
	}
	to.file, to.at, to.original = r.File, r.Offset, nil
	if o := r.Original; o.Digest != "" {
		o.Target = "" // the result has it
		to.original = &o
	}
}

func (p *places) take(target string) place {
	p.mu.Lock()
	defer p.mu.Unlock()
	is := p.of[target]
	if is.requests--; is.requests == 0 {
		delete(p.of, target)
	}
	return *is
}

// An indexing decides which records the index of a job has: for each URI with a result that of the result, and for others, such as targets of
// redirects, the first. The sets contain hashes of 64 bits.
type indexing struct {
	seed      maphash.Seed
	results   map[uint64]bool // of URIs
	wanted    map[uint64]bool // of URIs with their places
	others    map[uint64]bool // URIs without a result that are in the index
	abandoned int64           // records that are not in the index
	lines     int64
	archives  int
}

func (x *indexing) hash(url string, file string, at int64) uint64 {
	return maphash.String(x.seed, fmt.Sprintf("%s\n%s\n%d", url, file, at))
}

// keep is called for each record in the archives, in the order of URIs.
func (x *indexing) keep(url, file string, at int64) bool {
	h, ok := x.hash(url, "", 0), false
	if x.results[h] {
		place := x.hash(url, file, at)
		ok = x.wanted[place]
		delete(x.wanted, place)
	} else {
		ok = !x.others[h]
		x.others[h] = true
	}
	if !ok {
		x.abandoned++
	}
	return ok
}

// placeOf returns the target of a result and its place in the archives, or false if nothing of it is there.
func placeOf(r *hub.Result) (target string, is found, ok bool) {
	u, err := uri.Parse(r.URI)
	if err != nil || len(r.More) == 0 || json.Unmarshal(r.More, &is) != nil || is.File == "" {
		return "", found{}, false
	}
	return warc.Target(u), is, true
}

// isMissing reports whether the archives lack the document of a result.
func (x *indexing) isMissing(r *hub.Result) bool {
	target, is, ok := placeOf(r)
	return ok && x.wanted[x.hash(target, is.File, is.At)]
}

// index writes the index of a job: one line for the document of each URI. Records of abandoned fetches remain in the archives. It prints which
// documents are missing from them.
func (c *command) index(ctx context.Context, f *jobFile, j *hub.Job) error {
	s, err := openStore(f, c.getenv)
	if err != nil {
		return err
	}
	var x *indexing
	name := filepath.Join(f.Data, f.name+indexSuffix)
	if _, err := save.Rewrite(name, 0o666, func(w io.Writer) (err error) {
		x, err = c.merge(ctx, f, j, s, w)
		return err
	}); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	fmt.Fprintf(c.out, "%s: %d lines of %d archives; %d abandoned records are not in it\n", name, x.lines, x.archives, x.abandoned)
	if s != nil {
		if err := s.put(ctx, name, true); err != nil {
			return err
		}
	}
	if len(x.wanted) == 0 {
		return nil
	}
	if err := j.Results(ctx, func(r *hub.Result) error {
		if x.isMissing(r) {
			_, is, _ := placeOf(r)
			fmt.Fprintf(c.out, "missing: %s, in %s at %d\n", r.URI, is.File, is.At)
		}
		return nil
	}); err != nil {
		return err
	}
	return fetch.Errorf(fetch.ErrNotFound, "%d documents %w in %s", len(x.wanted), errMissing, f.archives())
}

// errMissing is a part of the text of an error that continues with the directory of the archives.
var errMissing = errors.New("are not in the archives")

// merge writes the index of a job to w. s is nil if the job has no store.
func (c *command) merge(ctx context.Context, f *jobFile, j *hub.Job, s *store, w io.Writer) (*indexing, error) {
	x := &indexing{seed: maphash.MakeSeed(), results: map[uint64]bool{}, wanted: map[uint64]bool{}, others: map[uint64]bool{}}
	if err := j.Results(ctx, func(r *hub.Result) error {
		if target, is, ok := placeOf(r); ok {
			x.results[x.hash(target, "", 0)] = true
			x.wanted[x.hash(target, is.File, is.At)] = true
		}
		return nil
	}); err != nil {
		return nil, err
	}
	files, err := archivesIn(f.archives())
	if err != nil {
		return nil, err
	}
	if s != nil {
		dir, err := os.MkdirTemp(f.Data, "index-")
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrDisk, "%w", err)
		}
		defer os.RemoveAll(dir)
		stored, err := s.indexes(ctx, dir, f.name)
		if err != nil {
			return nil, err
		}
		files = append(files, stored...)
	}
	x.archives = len(files)
	damaged := func(at warc.Fault) { fmt.Fprintf(c.err, "derefd: %s at %d: %s\n", at.ID, at.Offset, at.Text) }
	x.lines, err = warc.MergeIndexes(w, f.Data, files, x.keep, damaged)
	return x, err
}

// archivesIn returns the archives in a directory, with those that a killed worker has left unfinished.
func archivesIn(dir string) (list []warc.File, err error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	for _, e := range all {
		if base := strings.TrimSuffix(e.Name(), warc.Unfinished); strings.HasSuffix(base, archiveSuffix) {
			list = append(list, warc.File{Path: filepath.Join(dir, e.Name()), Base: base})
		}
	}
	return list, nil
}
