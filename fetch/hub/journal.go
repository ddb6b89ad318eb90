//go:build unix || windows

package hub

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
)

const (
	maxNoted = 1000          // results in a state
	maxText  = 200           // bytes of an error's text
	maxMore  = 64 << 10      // bytes of a result's More
	maxState = maxRecord / 2 // bytes of the Mores in a state
)

// Note records results. Every failure is final: package batch has retried it.
func (o *owner) Note(items []batch.Finished) (n int, err error) {
	for n < len(items) {
		some, size := []Result(nil), 0
		for _, f := range items[n:] {
			r := o.resultOf(&f)
			if size += len(r.More) + len(r.URI); len(some) > 0 && (len(some) == maxNoted || size > maxState) {
				break
			}
			some = append(some, r)
		}
		if err := o.record(some); err != nil {
			return n, err
		}
		n += len(some)
	}
	return n, nil
}

// record writes results, and the duplicates that were found meanwhile.
func (o *owner) record(some []Result) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	o.mu.Lock()
	all := append(o.dups, some...)
	o.dups = nil
	o.mu.Unlock()
	if len(all) == 0 && !o.unsaved.Swap(false) {
		return nil
	}
	w := o.worker
	if err := o.write(w.writes, all); err != nil {
		return err
	}
	o.recorded.Add(int64(len(some)))
	if w.slots.have(w.options.Connections) {
		select {
		case w.quiet <- struct{}{}:
		default:
		}
	}
	return nil
}

func (o *owner) resultOf(f *batch.Finished) Result {
	r := Result{Number: f.Item.Number, Redo: f.Item.Redo, URI: f.Item.URI.WithoutPassword().String(), Size: f.Size}
	if f.Err != nil {
		r.Error = fetch.KindOf(f.Err)
		if r.Error == "" {
			r.Error = "error"
		}
		r.Text = f.Err.Error()
		if len(r.Text) > maxText {
			r.Text = strings.ToValidUTF8(r.Text[:maxText], "")
		}
	}
	if more := o.worker.options.More; more != nil {
		if r.More = more(f.Item); len(r.More) > maxMore {
			r.More = nil
		}
	}
	return r
}

// A bitmap is a set of small numbers.
type bitmap struct{ words []uint64 }

func (b *bitmap) set(n int64) {
	for int64(len(b.words)) <= n/64 {
		b.words = append(b.words, 0)
	}
	b.words[n/64] |= 1 << (n % 64)
}

// setFailed adds the numbers of failures.
func (b *bitmap) setFailed(list []Result) {
	for _, r := range list {
		if r.Error != "" {
			b.set(r.Number)
		}
	}
}

func (b *bitmap) has(n int64) bool {
	return n/64 < int64(len(b.words)) && b.words[n/64]&(1<<(n%64)) != 0
}
