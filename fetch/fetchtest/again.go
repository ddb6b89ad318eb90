package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
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
	var mu sync.Mutex
	var plans, before []*fetch.Plan
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
		mu.Lock()
		defer mu.Unlock()
		plans, before = append(plans, &p), append(before, clonePlan(&p))
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
	if shared != nil && !slices.EqualFunc(steps, shared.Steps, equalSteps) {
		errs = append(errs, fmt.Errorf("running changes the Plan's steps to %+v, want %+v: Run must copy the steps that it fills in", shared.Steps, steps))
	}
	for i, p := range plans {
		if field := changed(before[i], p); field != "" {
			errs = append(errs, fmt.Errorf("running changes p.%s: Run must not change the Plan or its Options; copy what you change", field))
			break // the other runs have done the same
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

// clonePlan copies p and its Options, without the steps.
func clonePlan(p *fetch.Plan) *fetch.Plan {
	c, o := *p, *p.Options
	o.Search, o.Accept, o.Set = slices.Clone(o.Search), slices.Clone(o.Accept), maps.Clone(o.Set)
	for k, v := range o.Set {
		o.Set[k] = slices.Clone(v)
	}
	c.Options = &o
	return &c
}

// changed returns the name of a field that differs, "" if there is none. Functions and steps are not compared.
func changed(a, b *fetch.Plan) string {
	for _, x := range []struct {
		prefix string
		a, b   reflect.Value
	}{{"", reflect.ValueOf(*a), reflect.ValueOf(*b)}, {"Options.", reflect.ValueOf(*a.Options), reflect.ValueOf(*b.Options)}} {
		for i := range x.a.NumField() {
			f := x.a.Type().Field(i)
			if f.Name == "Options" || f.Name == "Steps" || !f.IsExported() || f.Type.Kind() == reflect.Func {
				continue
			}
			if !reflect.DeepEqual(x.a.Field(i).Interface(), x.b.Field(i).Interface()) {
				return x.prefix + f.Name
			}
		}
	}
	return ""
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
