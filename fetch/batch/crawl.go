package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"example.org/deref/fetch"
)

// Run processes the items, including those added meanwhile, and returns when there are no more.
func (f *Frontier) Run(ctx context.Context, task Task, o *Options) (Summary, error) {
	var c Options
	if o != nil {
		c = *o
	}
	c.frontier = f
	stop := context.AfterFunc(ctx, func() { f.stop(nil) })
	defer stop()
	defer f.stop(nil)
	f.mu.Lock()
	f.pending, f.stopped, f.err = 0, false, nil
	f.mu.Unlock()
	sum, err := Run(ctx, f.items(), task, &c)
	f.mu.Lock()
	defer f.mu.Unlock()
	return sum, errors.Join(err, f.err)
}

// items yields the lines in order. At the end it waits while an unfinished item may add more.
func (f *Frontier) items() iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		in := bufio.NewReaderSize(nil, 64<<10)
		at, read := int64(0), int64(0)
		for {
			end, ok := f.wait(at)
			if !ok {
				return
			}
			if at == read { // the reader is at its end
				in.Reset(io.NewSectionReader(f.file, at, end-at))
				read = end
			}
			line, err := in.ReadBytes('\n')
			var l frontierLine
			if err == nil {
				err = json.Unmarshal(line, &l)
			}
			if err != nil {
				f.stop(fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err))
				return
			}
			at += int64(len(line))
			if !yield(&Item{URI: l.URI, Note: l.Note}, nil) {
				return
			}
		}
	}
}

// wait blocks until the file is longer than at, and returns its length. ok is false if no more lines will be added.
func (f *Frontier) wait(at int64) (end int64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.size <= at && f.pending > 0 && !f.stopped {
		f.grown.Wait()
	}
	if f.size <= at || f.stopped {
		return 0, false
	}
	f.pending++
	return f.size, true
}

// ended notes that an item is finished and adds no more. It does nothing if f is nil.
func (f *Frontier) ended() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending--
	f.grown.Signal()
}

func (f *Frontier) stop(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.err = errors.Join(f.err, err)
	f.grown.Broadcast()
}
