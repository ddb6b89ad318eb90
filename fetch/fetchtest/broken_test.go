package fetchtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A flaw is a broken handler, the rule that it breaks, and what the report must contain.
type flaw struct {
	name, rule, text string
	scheme           fetch.Scheme
	cases            []Case
}

// flaws returns handlers with one fault each, other than those of TestBrokenHandlersAreCaught.
func flaws() []flaw {
	return []flaw{
		{"no name", "scheme", "no Names", fetch.Scheme{Plan: pond(nil).Plan}, nil},
		{"no Read", "scheme", "Read is nil: set it", pondWith(func(s *fetch.Scheme) { s.Read = nil }), pondCases()},
		{"no MayReferTo", "scheme", "MayReferTo is nil", pondWith(func(s *fetch.Scheme) { s.Does.Refers = true }), pondCases()},
		{"no Summary", "scheme", "Summary or Spec is empty", pondWith(func(s *fetch.Scheme) { s.Summary = "" }), pondCases()},
		{"no DefaultPort", "claims", "Rules.DefaultPort is 0: set it", pondWith(func(s *fetch.Scheme) { s.Rules.DefaultPort = 0 }), pondCases()},
		{"no plan", "plan", "Plan must return a Plan or an error", planned(func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }), pondCases()},
		{"no Shape", "plan", "Plan.Shape is empty: set it", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Shape = "" }), pondCases()},
		{"no steps", "plan", `announce the step {Verb: "read"}`, onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps = nil }), pondCases()},
		{"not Hierarchical", "claims", "Rules.Hierarchical is false", pondWith(func(s *fetch.Scheme) { s.Rules.Hierarchical = false }), directoryCases()},
		{"Refers not set", "claims", "Does.Refers is false: set it", unclaimed(), unfollowed()},
		{"a plan that dials", "env", "Plan must do no I/O", onPlan(func(*fetch.Plan, *fetch.Options) { dialSomebody() }), pondCases()},
		{"a plan that opens a file", "env", "calls os.ReadFile while planning", onPlan(func(*fetch.Plan, *fetch.Options) { os.ReadFile("/dev/null") }), pondCases()},
		{"a run that dials", "env", "connect by Env.Dial", onRun(func(*fetch.Plan) { dialSomebody() }), pondCases()},
		{"a run that looks a name up", "env", "connect by Env.Dial", onRun(func(*fetch.Plan) { net.LookupHost("localhost") }), pondCases()},
		{"a run that changes Addr", "again", "running changes p.Addr", onRun(func(p *fetch.Plan) { p.Addr = strings.ToUpper(p.Addr) }), pondCases()},
		{"a run that changes Options", "again", "running changes p.Options.Accept", onRun(func(p *fetch.Plan) { p.Options.Accept = []string{"text/plain"} }), pondCases()},
		{"nil and nil", "dialogue", "Run must return one of them", pond(func(*fetch.Conn, *fetch.Plan) (*fetch.Document, error) { return nil, nil }), pondCases()},
		{"a range ignored", "range", "Options.Range is ignored", ignoring(func(o *fetch.Options) { o.Range = fetch.Range{} }), pondCases()},
		{"metadata ignored", "range", "Options.Op is ignored", ignoring(func(o *fetch.Options) { o.Op = fetch.Retrieve }), pondCases()},
		{"the user name sent", "user", "use URI.WithoutUserinfo", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps[0].Args[0] = p.URI.String() }), uriCases()},
		{"a reader without a bound", "memory", "is endless", pond(readAnyLine), pondCases()},
		{"memory for an announced length", "memory", "do not allocate what a peer announces", pond(readAnnounced), countedCases()},
		{"a close that drains", "closing", "do not read the rest", onDocument(drain), pondCases()},
		{"no BeginReply before a document", "cut", "call Conn.BeginReply before BeginBody", pond(readAtOnce), plainCases()},
		{"no BeginBody", "dialogue", "call Conn.BeginBody before it", pond(readInReply), pondCases()},
		{"no BeginPart", "replies", "call Conn.BeginPart", pond(readTrailerSlowly), countedCases()},
		{"no End", "document", "EndTerminated (by a mark) or EndClosed", onDocument(func(d *fetch.Document) { d.End = "" }), pondCases()},
		{"terminated by nothing", "cut", "set Document.End to EndClosed", onDocument(func(d *fetch.Document) { d.End = fetch.EndTerminated }), pondCases()},
		{"declared by nothing", "document", "or End to EndTerminated or EndClosed", onDocument(func(d *fetch.Document) { d.End = fetch.EndDeclared }), pondCases()},
		{"a referral followed", "dialogue", "c.Policy.NoFollow = true", referring(), pondCases()},
		{"an entry without a kind", "reading", "set Entry.Kind", onEntries(func(e *fetch.Entry) { e.Kind = "" }), directoryCases()},
		{"an entry that is relative", "reading", "resolve it with the URI of the listing", onEntries(func(e *fetch.Entry) { e.URI = uri.MustParse("one") }), directoryCases()},
		{"a referral that is relative", "document", "resolve it with p.URI.Resolve", referringTo("b"), unfollowed()},
		{"a referral followed by itself", "dialogue", "nor follow referrals", followingItself(), pondCases()},
		{"a dot taken for the close", "document", "set End to EndTerminated", pond(readDotted), dottedCases()},
	}
}

// TestFlawsAreCaught: the check for each fault reports it, and what to do.
func TestFlawsAreCaught(t *testing.T) {
	net.LookupHost("localhost") // the first look-up makes a channel in package net, which must not belong to a bubble
	for _, f := range flaws() {
		t.Run(f.name, func(t *testing.T) {
			got := verdicts(t, f.scheme, f.cases, f.rule)
			if !strings.Contains(got[f.rule], f.text) {
				t.Errorf("the check %q reports %q, want an error with %q; all errors: %v", f.rule, got[f.rule], f.text, got)
			}
		})
	}
}

// TestPond: nothing is reported about a handler that is right.
func TestPond(t *testing.T) {
	Test(t, pond(nil), slices.Concat(pondCases(), directoryCases(), errorCases())...)
	Test(t, pond(readCounted), countedCases()...)
}

// TestBroken is not a test of this package: TestReports runs it in another process and examines its failures.
func TestBroken(t *testing.T) {
	if os.Getenv("FETCHTEST_BROKEN") == "" {
		t.Skip("for TestReports")
	}
	Test(t, pondWith(func(s *fetch.Scheme) { s.Read = nil }), pondCases()...)
	Test(t, onDocument(func(d *fetch.Document) { d.End = "" }), pondCases()...)
	Plans(t, []PlanCase{{URI: pondCases()[0].URI}}, onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps = nil }))
}

// TestReports: Test reports a fault of the scheme and one of a case at the line that calls it, with the name of the rule and what to do.
func TestReports(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$", "-test.v")
	cmd.Env = append(os.Environ(), "FETCHTEST_BROKEN=1")
	out, _ := cmd.Output() // it fails
	source, err := os.ReadFile("broken_test.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), "Test(t, pondWith(")
	line := 1 + strings.Count(before, "\n")
	for i, want := range []struct{ rule, text string }{{"scheme", "Read is nil: set it"}, {"document", "EndTerminated (by a mark) or EndClosed"}} {
		at := fmt.Sprintf("broken_test.go:%d: rule %q: %s", line+i, want.rule, rule(want.rule))
		if !strings.Contains(string(out), at) || !strings.Contains(string(out), want.text) {
			t.Errorf("got the report\n%s\nwant one with %q and %q", out, at, want.text)
		}
	}
	if want := pondCases()[0].URI + `: the plan has neither steps nor referrals: if the client sends nothing, announce the step {Verb: "read"}`; !strings.Contains(string(out), want) {
		t.Errorf("got the report\n%s\nwant one of Plans with %q", out, want)
	}
}
