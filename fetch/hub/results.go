//go:build unix || windows

package hub

import "context"

// Results passes every result that is recorded by now to f, in the order of recording.
func (j *Job) Results(ctx context.Context, f func(*Result) error) error {
	end, err := j.lastResult(ctx)
	if err != nil {
		return err
	}
	return j.states(ctx, []string{j.subject("own.*")}, end, func(s *state, p int) error { return s.each(p, f) })
}

// Follow passes the results to f as Results does, and later ones as soon as they are recorded, until ctx ends or f returns an error. It calls
// current once, after those that are recorded by now. An interruption of the connection is not an error.
func (j *Job) Follow(ctx context.Context, current func(), f func(*Result) error) error {
	end, err := j.lastResult(ctx)
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

// lastResult returns the sequence number of the last state, or 0 if there is none.
func (j *Job) lastResult(ctx context.Context) (end uint64, err error) {
	err = j.eachState(ctx, func(_ int, _ *state, seq uint64) { end = max(end, seq) })
	return end, err
}

// each passes the results in a state of a partition to f.
func (s *state) each(partition int, f func(*Result) error) error {
	for i := range s.Results {
		r := &s.Results[i]
		if r.Partition, r.Worker = partition, s.Worker; r.Duplicate {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}
