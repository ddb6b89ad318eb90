//go:build unix || windows

package hub

import "context"

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
	return j.states(ctx, []string{j.subject("own.*")}, end, func(s *state, p int) error {
		if p >= j.partitions {
			return nil
		}
		return s.each(p, f)
	})
}

// Follow passes the results to f as History does, and later ones as soon as they are recorded, until ctx ends or f returns an error. It calls
// current once, after those that are recorded by now. An interruption of the connection is not an error.
func (j *Job) Follow(ctx context.Context, current func(), f func(*Result) error) error {
	end, _, err := j.lastResult(ctx)
	if err != nil {
		return err
	}
	if end == 0 {
		current()
	}
	in := &reader{job: j, subjects: []string{j.subject("own.*")}, insists: true}
	defer in.Close()
	for at := uint64(0); ; {
		s, p, seq, err := in.state(ctx)
		if err == nil && s != nil {
			err = s.each(p, f)
		}
		if err != nil {
			return err
		}
		if at < end && seq >= end {
			current()
		}
		at = seq
	}
}

// lastResult returns the sequence number of the last state, or 0 if there is none, and how many records of Redo are done.
func (j *Job) lastResult(ctx context.Context) (end uint64, redone int64, err error) {
	err = j.eachState(ctx, func(_ int, last *state, seq uint64) {
		end = max(end, seq)
		redone += last.Redone
	})
	return end, redone, err
}

// each passes the results in a state of a partition to f.
func (s *state) each(partition int, f func(*Result) error) error {
	for i := range s.Results {
		r := &s.Results[i]
		if r.Partition, r.Worker, r.Time = partition, s.Worker, s.time; r.Duplicate {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}
