package fetchtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"example.org/deref/fetch"
)

// checkPlan: Plan is pure and does no I/O.
func checkPlan(x *subject) error {
	a := x.attempt()
	if err := a.open(); err != nil {
		return err
	}
	defer a.player.Close()
	var first *fetch.Plan
	for range 4 {
		p, err := x.plan(a)
		switch {
		case err != nil && x.Err != "" && errors.Is(err, x.Err):
			return nil // planning is expected to fail
		case fetch.KindOf(err) == fetch.ErrRefusedPort:
			return advise(err, "set Rules.DefaultPort, and Scheme.Ports if there are others")
		case err != nil && strings.Contains(err.Error(), "has no plan for the URI"):
			return advise(err, "Plan must return a Plan or an error")
		case err != nil:
			return err
		case first == nil:
			first = p
		case !samePlan(first, p):
			return fmt.Errorf("the plan is not pure: equal arguments give %s and %s: use nothing but the arguments", Describe(first), Describe(p))
		}
	}
	if n := len(a.player.Dialled()); n > 0 || a.player.Err() != nil {
		return fmt.Errorf("planning connects to %v: only Run may do I/O", a.player.Dialled())
	}
	return errors.Join(x.checkRead(), checkShape(first))
}

func (x *subject) plan(a *attempt) (p *fetch.Plan, err error) {
	o := x.Options
	hang := watched(newLabel(), watchdog, func() { p, err = a.client.Plan(x.uri, &o) })
	return p, errors.Join(hang, err)
}

func samePlan(a, b *fetch.Plan) bool {
	return Describe(a) == Describe(b) && a.URI == b.URI && reflect.DeepEqual(a.Steps, b.Steps) && reflect.DeepEqual(a.Refers, b.Refers)
}

// checkShape checks the fields that every plan must have.
func checkShape(p *fetch.Plan) error {
	switch {
	case p.Shape == "":
		return errors.New("Plan.Shape is empty: set it")
	case len(p.Refers) > 0 && len(p.Steps) > 0:
		return errors.New("the plan has both Steps and Refers: a referral needs no steps")
	case (p.Network == "tcp" || p.Network == "udp") && p.Addr == "":
		return errors.New("the plan has a Network but no Addr: set the host:port to contact")
	case p.Network == "" && p.Addr != "":
		return errors.New("the plan has an Addr but no Network: set it to tcp or udp")
	}
	return hasSteps(p)
}

// hasSteps returns an error for a plan that does not say what will be done.
func hasSteps(p *fetch.Plan) error {
	if len(p.Steps) == 0 && len(p.Refers) == 0 {
		return errors.New(`the plan has neither steps nor referrals: if the client sends nothing, announce the step {Verb: "read"}`)
	}
	return nil
}
