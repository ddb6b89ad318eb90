//go:build unix || windows

package hub

import (
	"context"
	"math"
)

// Results passes the result of each URI that has one by now to f, in the order of recording. Of the results of a URI that was done again (see Redo),
// it is the last.
func (j *Job) Results(ctx context.Context, f func(*Result) error) error {
	end, redone, err := j.lastResult(ctx)
	if err != nil {
		return err
	}
	replaced := make([]bitmap, j.partitions)
	if redone > 0 {
		if err := j.history(ctx, end, func(r *Result) error {
			if r.Redo > 0 {
				replaced[r.Partition].set(r.Redo - 1)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return j.history(ctx, end, func(r *Result) error {
		if replaced[r.Partition].has(r.Number) {
			return nil
		}
		return f(r)
	})
}

// History passes the results as Results does, with those that later ones have replaced.
func (j *Job) History(ctx context.Context, f func(*Result) error) error {
	end, _, err := j.lastResult(ctx)
	if err != nil {
		return err
	}
	return j.history(ctx, end, f)
}

// history passes the results up to the message end to f.
func (j *Job) history(ctx context.Context, end uint64, f func(*Result) error) error {
	in := &reader{job: j, subjects: []string{j.subject("own.*")}}
	defer in.Close()
	return in.results(ctx, end, f)
}

// Follow passes the results to f as History does, and later ones as soon as they are recorded, until ctx ends or f returns an error. It calls
// current once, after those that are recorded by now. An interruption of the connection is not an error.
func (j *Job) Follow(ctx context.Context, current func(), f func(*Result) error) error {
	end, _, err := j.lastResult(ctx)
	if err != nil {
		return err
	}
	in := &reader{job: j, subjects: []string{j.subject("own.*")}, insists: true}
	defer in.Close()
	if err := in.results(ctx, end, f); err != nil {
		return err
	}
	current()
	return in.results(ctx, math.MaxUint64, f)
}

// lastResult returns the sequence number of the last state, or 0 if there is none, and how many records of Redo are done.
func (j *Job) lastResult(ctx context.Context) (end uint64, redone int64, err error) {
	err = j.eachState(ctx, func(_ int, last *state, seq uint64) {
		end = max(end, seq)
		redone += last.Redone
	})
	return end, redone, err
}

// results passes the results in the next messages, up to that with the sequence number end, to f.
func (r *reader) results(ctx context.Context, end uint64, f func(*Result) error) error {
	return r.states(ctx, end, func(s *state, p int) error {
		for i := range s.Results {
			one := &s.Results[i]
			if one.Partition, one.Worker, one.Time = p, s.Worker, s.time; one.Duplicate {
				continue
			}
			if err := f(one); err != nil {
				return err
			}
		}
		return nil
	})
}
