package fetchtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// checkSteps: the client sends the Plan. The unconditional steps come in order and once each (those with Repeat at least once), and the
// conditional ones only after [if CONDITION] of the script.
func checkSteps(x *subject) error {
	p, err := x.planned()
	if err != nil {
		return nil // checkPlan reports it
	}
	a := x.attempt()
	r, err := a.run()
	if err != nil {
		return err
	}
	var errs []error
	var plain []announced
	for _, s := range a.trace.announced {
		if s.step.If == "" {
			plain = append(plain, s)
			continue
		}
		errs = append(errs, conditional(p, s))
	}
	errs = append(errs, inOrder(p.When(""), plain, r.err == nil), a.trace.late)
	return errors.Join(errs...)
}

// conditional checks one announced step that has a condition.
func conditional(p *fetch.Plan, s announced) error {
	steps := p.When(s.step.If)
	switch {
	case len(steps) == 0:
		return fmt.Errorf("the step %q has the condition %q, and no step of the plan has it: announce the plan's steps", dialogue.Words(s.step), s.step.If)
	case !slices.ContainsFunc(steps, func(q fetch.Step) bool { return sameStep(q, s.step) }):
		return fmt.Errorf("the step %q is not among the plan's steps with the condition %q", dialogue.Words(s.step), s.step.If)
	case !slices.Contains(s.conds, s.step.If):
		return fmt.Errorf("the step %q is sent before [if %s] of the script: wait until the condition holds", dialogue.Words(s.step), s.step.If)
	}
	return nil
}

// inOrder compares the unconditional steps. All must be sent if the request succeeds. After a condition has come true, they may be sent from
// the beginning again: a request that is repeated with credentials.
func inOrder(plan []fetch.Step, list []announced, all bool) error {
	i, again, held := 0, false, 0
	for _, entry := range list {
		s := entry.step
		if i == len(plan) && len(entry.conds) > held {
			i, again = 0, false
		}
		if i == 0 {
			held = len(entry.conds)
		}
		switch {
		case again && sameStep(plan[i-1], s):
		case i < len(plan) && sameStep(plan[i], s):
			again = plan[i].Repeat != ""
			i++
		case i < len(plan):
			return fmt.Errorf("got the step %q, want %q: send the plan's steps in order, by p.When(\"\")", dialogue.Words(s), dialogue.Words(plan[i]))
		default:
			return fmt.Errorf("the step %q comes after the plan's last one: put it into the plan, with a condition or Repeat", dialogue.Words(s))
		}
	}
	if all && i < len(plan) {
		return fmt.Errorf("the plan's step %q is not announced: send it by Conn.Send, or call Env.Announce", dialogue.Words(plan[i]))
	}
	return nil
}

// sameStep compares a planned step with an announced one. A reply supplies <name>, and a secret step shows only its Verb.
func sameStep(plan, announced fetch.Step) bool {
	if plan.At != announced.At || !sameText(plan.Verb, announced.Verb) {
		return false
	}
	if plan.Secret || announced.Secret {
		return plan.Secret == announced.Secret
	}
	return sameText(plan.Data, announced.Data) && slices.EqualFunc(plan.Args, announced.Args, sameText) && slices.EqualFunc(plan.Tail, announced.Tail, sameText)
}

// sameText compares two strings. Each <name> in plan stands for any text.
func sameText(plan, announced string) bool {
	if plan == announced {
		return true
	}
	before, rest, ok := strings.Cut(plan, "<")
	_, after, closed := strings.Cut(rest, ">")
	if !ok || !closed || !strings.HasPrefix(announced, before) {
		return false
	}
	for i := len(before); i <= len(announced); i++ {
		if sameText(after, announced[i:]) {
			return true
		}
	}
	return false
}
