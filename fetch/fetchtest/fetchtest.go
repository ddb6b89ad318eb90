package fetchtest

import (
	_ "embed" // the package comment
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

// Test runs all checks for each case. Each case is a subtest, and each check is a subtest of its case. A failure is reported at the line that
// calls Test. It names the rule that is broken, what was observed, and what to do.
func Test(t *testing.T, s fetch.Scheme, cases ...Case) {
	t.Helper()
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
	}
	run := func(name string, f func() error) bool {
		t.Helper()
		return t.Run(name, func(t *testing.T) {
			t.Helper()
			report(t, name, f())
		})
	}
	if !run("scheme", func() error { return checkScheme(s) }) && s.Plan == nil {
		return
	}
	if !run("env", func() error { return checkEnv(all) }) {
		return // the other checks would be made with the real network
	}
	for _, x := range all {
		t.Run(x.name(), func(t *testing.T) {
			t.Helper()
			x.test(t)
		})
	}
	run("claims", func() error { return checkClaims(s, all) })
	run("concurrent", func() error { return inBubble(t, live, func() error { return checkConcurrent(all) }) })
}

// report reports err as a violation of a rule.
func report(t *testing.T, name string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("rule %q: %s\n%v", name, rule(name), err)
	}
}

// test runs the checks. If a plain run fails, it skips the other checks.
func (x *subject) test(t *testing.T) {
	t.Helper()
	plain := true
	for _, c := range checks() {
		if !c.fits(x) || !plain {
			continue
		}
		ok := t.Run(c.name, func(t *testing.T) {
			t.Helper()
			report(t, c.name, inBubble(t, x.Live, func() error { return c.run(x) }))
		})
		if c.plain && !ok {
			plain = false
		}
	}
	if plain && x.Check != nil {
		t.Run("check", func(t *testing.T) { x.Check(t, x.base.doc, x.base.body) })
	}
}

// A check examines one rule for handlers.
type check struct {
	name  string
	plain bool // the other checks need it
	fits  func(*subject) bool
	run   func(*subject) error
}

func checks() []check {
	return []check{
		{"plan", true, always, checkPlan},
		{"injection", false, always, checkInjection},
		{"dialogue", true, always, checkDialogue},
		{"document", false, document, checkDocument},
		{"steps", false, scripted, checkSteps},
		{"announced", false, scripted, checkAnnounced},
		{"again", false, scripted, checkAgain},
		{"trace", false, scripted, checkTrace},
		{"fragment", false, once, checkFragment},
		{"user", false, once, checkUser},
		{"range", false, document, checkRange},
		{"reading", false, document, checkReading},
		{"closing", false, answered, checkClosing},
		{"leaks", false, once, checkLeaks},
		{"cut", false, streamed, checkCut},
		{"stall", false, scripted, checkStall},
		{"replies", false, streamed, checkReplies},
		{"network", false, networked, checkNetwork},
		{"cancel", false, scripted, checkCancel},
		{"corrupt", false, streamed, checkCorrupt},
		{"memory", false, streamed, checkMemory},
		{"limit", false, document, checkLimit},
		{"secrets", false, once, checkSecrets},
	}
}

// comment is the package comment, which lists the rules.
//
//go:embed doc.go
var comment string

// rule returns the rule of a check.
func rule(check string) string {
	_, rest, _ := strings.Cut(comment, "\n//\t"+check+" ")
	text, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(text)
}

func always(*subject) bool      { return true }
func once(x *subject) bool      { return x.Times <= 1 }
func scripted(x *subject) bool  { return once(x) && len(x.script.Lines) > 0 }
func networked(x *subject) bool { return scripted(x) || once(x) && x.Live }
func document(x *subject) bool  { return once(x) && x.Err == "" }
func answered(x *subject) bool  { return streamed(x) && document(x) }
func streamed(x *subject) bool  { return scripted(x) && x.script.Bytes() > 0 && !x.script.Datagrams() }

// advise adds to err what to do about it.
func advise(err error, format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{err}, args...)...)
}
