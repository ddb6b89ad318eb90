package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
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
	var steps string
	var failed error
	var mu sync.Mutex
	var plans []*fetch.Plan
	var before []map[string]string
	v := *x
	v.scheme.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		once.Do(func() {
			if shared, failed = plan(u, o); failed == nil {
				steps = fmt.Sprintf("%+v", shared.Steps)
			}
		})
		if failed != nil {
			return nil, failed
		}
		p := *shared
		p.URI, p.Options = u, o
		mu.Lock()
		defer mu.Unlock()
		plans, before = append(plans, &p), append(before, fieldsOf(&p))
		return &p, nil
	}
	errs := make([]error, 4)
	run := func(i int) {
		r, err := v.attempt().run()
		if err == nil {
			err = x.asBefore(r)
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
	if shared != nil && steps != fmt.Sprintf("%+v", shared.Steps) {
		errs = append(errs, fmt.Errorf("running changes the Plan's steps to %+v, want %s: Run must copy the steps that it fills in", shared.Steps, steps))
	}
	for i, p := range plans {
		for field, text := range fieldsOf(p) {
			if text != before[i][field] {
				return errors.Join(append(errs, fmt.Errorf("running changes p.%s: Run must not change the Plan or its Options; copy what you change", field))...)
			}
		}
	}
	return errors.Join(errs...)
}

// asBefore compares a result with that of the plain run.
func (x *subject) asBefore(r *result) error {
	switch {
	case r.play != nil:
		return r.play
	case fetch.KindOf(r.err) != fetch.KindOf(x.base.err):
		return fmt.Errorf("the error is %v, want %v", r.err, x.base.err)
	case !bytes.Equal(r.body, x.base.body):
		return fmt.Errorf("the body is %q, want %q", r.body, x.base.body)
	}
	return nil
}

// fieldsOf returns the fields of p and its Options as text, by their names, without functions and steps.
func fieldsOf(p *fetch.Plan) map[string]string {
	all := map[string]string{}
	for prefix, v := range map[string]reflect.Value{"": reflect.ValueOf(*p), "Options.": reflect.ValueOf(*p.Options)} {
		for f, x := range v.Fields() {
			if f.IsExported() && f.Name != "Options" && f.Name != "Steps" && f.Type.Kind() != reflect.Func {
				all[prefix+f.Name] = fmt.Sprintf("%+v", x)
			}
		}
	}
	return all
}
