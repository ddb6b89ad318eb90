package fetchtest

import (
	"fmt"
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
		t.Errorf("rule %q: %s\n%v", name, rules()[name], err)
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

// rules returns the rule of each check, as the package comment lists them.
func rules() map[string]string {
	return map[string]string{
		"scheme":     "the fields of the Scheme are set",
		"plan":       "Plan is pure",
		"injection":  "CR, LF and NUL in any part of the URI are refused, or do not reach a line",
		"dialogue":   "the client sends exactly the bytes of the script, in order, and the result is that of the Case",
		"document":   "Type, Size and End are set and correct",
		"steps":      "the client sends the Plan: unconditional steps in order, conditional ones only after [if CONDITION]",
		"announced":  "each step is announced before its bytes are sent",
		"again":      "runs of one Plan are independent, also at the same time, and do not change it",
		"trace":      "the trace equals the bytes sent and received",
		"fragment":   "the fragment is returned and not sent",
		"user":       "the user name of the URI is not sent within a URI",
		"range":      "a byte range, and a request for metadata only, is served or refused, and not ignored",
		"reading":    "read whole, in part, not at all, closed twice, as entries: the same document each time, and nothing is left",
		"closing":    "Close does not wait for the server",
		"leaks":      "no goroutine, connection or descriptor is left",
		"cut":        "the server closes after every byte: an error of the right kind, never a short document that looks complete",
		"stall":      "the client stops waiting for a silent server in time",
		"replies":    "one deadline holds for a whole reply, but not for a document",
		"network":    "a slow network that loses or doubles packets changes nothing; a broken or half-open connection is an error in bounded time",
		"cancel":     "a canceled request returns at once, with context.Canceled",
		"corrupt":    "a wrong byte causes neither a panic nor an endless wait",
		"memory":     "neither an endless line nor an announced length makes the client use much memory",
		"limit":      "a document larger than Limits.Document stops with ErrLimit",
		"secrets":    "no secret is in a trace or an error",
		"claims":     "the Scheme declares what its cases do",
		"env":        "Plan does no I/O, and Run reaches the network only through Env",
		"concurrent": "one Scheme works for several Clients at once (run it with -race)",
	}
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
