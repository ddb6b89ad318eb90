package fetchtest

import (
	"testing"

	"example.org/deref/fetch"
)

// Test runs all checks for each case. Each case is a subtest, and each check is a subtest of its case.
func Test(t *testing.T, s fetch.Scheme, cases ...Case) {
	t.Helper()
	t.Run("scheme", func(t *testing.T) { report(t, checkScheme(s)) })
	var all []*subject
	live := false
	for _, c := range cases {
		live = live || c.Live
		x, err := newSubject(s, c)
		if err != nil {
			t.Errorf("%s: %v", c.URI, err)
			continue
		}
		all = append(all, x)
		t.Run(x.name(), func(t *testing.T) { x.test(t) })
	}
	t.Run("operations", func(t *testing.T) { report(t, checkOperations(s, all)) })
	t.Run("concurrent", func(t *testing.T) { inBubble(t, live, func(t *testing.T) { report(t, checkConcurrent(all)) }) })
}

func report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// test runs the checks. If a plain run fails, it skips the other checks.
func (x *subject) test(t *testing.T) {
	plain := true
	for _, c := range checks() {
		if !c.fits(x) || !plain {
			continue
		}
		ok := t.Run(c.name, func(t *testing.T) { inBubble(t, x.Live, func(t *testing.T) { report(t, c.run(x)) }) })
		if c.plain && !ok {
			plain = false
		}
	}
	if plain && x.Check != nil {
		t.Run("check", func(t *testing.T) { x.Check(t, x.base.doc, x.base.body) })
	}
}

// A check is one rule for handlers.
type check struct {
	name  string
	plain bool // the other checks need it
	fits  func(*subject) bool
	run   func(*subject) error
}

func checks() []check {
	return []check{
		{"plan", false, always, checkPlan},
		{"injection", false, always, checkInjection},
		{"dialogue", true, always, checkDialogue},
		{"document", false, document, checkDocument},
		{"steps", false, scripted, checkSteps},
		{"announced", false, scripted, checkAnnounced},
		{"again", false, scripted, checkAgain},
		{"trace", false, scripted, checkTrace},
		{"fragment", false, once, checkFragment},
		{"reading", false, document, checkReading},
		{"leaks", false, once, checkLeaks},
		{"cut", false, streamed, checkCut},
		{"stall", false, scripted, checkStall},
		{"replies", false, answered, checkReplies},
		{"network", false, networked, checkNetwork},
		{"cancel", false, scripted, checkCancel},
		{"corrupt", false, streamed, checkCorrupt},
		{"limit", false, document, checkLimit},
		{"secrets", false, once, checkSecrets},
	}
}

func always(*subject) bool      { return true }
func once(x *subject) bool      { return x.Times <= 1 }
func scripted(x *subject) bool  { return once(x) && len(x.script.Lines) > 0 }
func networked(x *subject) bool { return scripted(x) || once(x) && x.Live }
func document(x *subject) bool  { return once(x) && x.Err == "" }
func answered(x *subject) bool  { return streamed(x) && document(x) }
func streamed(x *subject) bool  { return scripted(x) && x.script.Bytes() > 0 && !x.script.Datagrams() }
