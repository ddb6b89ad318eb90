package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// checkAgain: runs of one Plan are independent. The Plan is run twice, then twice at once, each time by another Client; all runs have the same
// result, and the Plan does not change.
func checkAgain(x *subject) error {
	plan := x.scheme.Plan
	var once sync.Once
	var shared *fetch.Plan
	var steps []fetch.Step
	var failed error
	v := *x
	v.scheme.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		once.Do(func() {
			if shared, failed = plan(u, o); failed == nil {
				steps = cloneSteps(shared.Steps)
			}
		})
		if failed != nil {
			return nil, failed
		}
		p := *shared
		p.URI, p.Options = u, o
		return &p, nil
	}
	errs := make([]error, 4)
	run := func(i int) {
		r, err := v.attempt().run()
		switch {
		case err != nil:
		case r.play != nil:
			err = r.play
		case fetch.KindOf(r.err) != fetch.KindOf(x.base.err):
			err = fmt.Errorf("the error is %v, want %v", r.err, x.base.err)
		case !bytes.Equal(r.body, x.base.body):
			err = fmt.Errorf("the body is %q, want %q", r.body, x.base.body)
		}
		if err != nil {
			errs[i] = fmt.Errorf("run %d of one Plan: %w: Run must not change the Plan or the request that it closes over", i+1, err)
		}
	}
	run(0)
	run(1)
	var both sync.WaitGroup
	both.Go(func() { run(2) })
	both.Go(func() { run(3) })
	both.Wait()
	if shared != nil && !slices.EqualFunc(steps, shared.Steps, equalSteps) {
		errs = append(errs, fmt.Errorf("running changes the Plan's steps to %+v, want %+v: Run must copy the steps that it fills in", shared.Steps, steps))
	}
	return errors.Join(errs...)
}

func cloneSteps(steps []fetch.Step) []fetch.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].Args, steps[i].Tail = slices.Clone(steps[i].Args), slices.Clone(steps[i].Tail)
	}
	return steps
}

func equalSteps(a, b fetch.Step) bool {
	return a.At == b.At && a.Verb == b.Verb && slices.Equal(a.Args, b.Args) && a.Data == b.Data && slices.Equal(a.Tail, b.Tail) &&
		a.If == b.If && a.Repeat == b.Repeat && a.Secret == b.Secret
}
