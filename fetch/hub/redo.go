//go:build unix || windows

package hub

import (
	"context"
	"encoding/json"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
)

// Redo adds the URIs again whose results are chosen, with their notes, and returns how many. The job has one result of each: the new one, once it is
// there. History has all. A result is replaced once, however often it is chosen.
func (j *Job) Redo(ctx context.Context, chosen func(*Result) bool) (n int64, err error) {
	wanted := make([]bitmap, j.partitions)
	left := int64(0)
	if err := j.Results(ctx, func(r *Result) error {
		if chosen(r) {
			wanted[r.Partition].set(r.Number)
			left++
		}
		return nil
	}); err != nil {
		return 0, err
	}
	numbers := make([]int64, j.partitions) // of the next record
	in := &reader{job: j, subjects: []string{j.subject("add.>")}}
	defer in.Close()
	to := j.Adder()
	to.redo = true
	defer func() {
		if _, ferr := to.Flush(); err == nil {
			err = ferr
		}
	}()
	for n < left {
		m, _, err := in.message(ctx)
		if err != nil {
			return n, err
		}
		p, ok := j.number("add", m.Subject())
		if !ok || p >= j.partitions {
			continue
		}
		page, err := pageOf(m.Subject(), m.Data())
		if err != nil {
			return n, err
		}
		for _, record := range page {
			number := numbers[p]
			if numbers[p]++; !wanted[p].has(number) {
				continue
			}
			var r batch.Record
			if err := json.Unmarshal(record, &r); err != nil {
				return n, fetch.Errorf(fetch.ErrLocal, "record %d of partition %d: %w", number, p, err)
			}
			r.Redo = number + 1
			if err := to.put(p, r); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}
