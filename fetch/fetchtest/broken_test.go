package fetchtest

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A flaw is a broken handler, the rule that it breaks, and what the report must say.
type flaw struct {
	name, rule, text string
	scheme           fetch.Scheme
	cases            []Case
}

// flaws returns handlers with one fault each; with -short, the first for each rule.
func flaws() []flaw {
	list := allFlaws()
	if !testing.Short() {
		return list
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(f flaw) bool {
		again := seen[f.rule]
		seen[f.rule] = true
		return again
	})
}

// allFlaws returns handlers with one fault each, other than those of TestBrokenHandlersAreCaught.
func allFlaws() []flaw {
	return []flaw{
		{"no name", "scheme", "no Names", fetch.Scheme{Plan: pond(nil).Plan}, nil},
		{"no Read", "scheme", "Read is nil: set it", pondWith(func(s *fetch.Scheme) { s.Read = nil }), pondCases()},
		{"no MayReferTo", "scheme", "MayReferTo is nil", pondWith(func(s *fetch.Scheme) { s.Does.Refers = true }), pondCases()},
		{"no Summary", "scheme", "Summary or Spec is empty", pondWith(func(s *fetch.Scheme) { s.Summary = "" }), pondCases()},
		{"no DefaultPort", "claims", "Rules.DefaultPort is 0: set it", pondWith(func(s *fetch.Scheme) { s.Rules.DefaultPort = 0 }), pondCases()},
		{"no plan", "plan", "Plan must return a Plan or an error", planned(func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }), pondCases()},
		{"no Shape", "plan", "Plan.Shape is empty: set it", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Shape = "" }), pondCases()},
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

// TestBroken is not a test of this package: TestBrokenHandlersAreReported runs it in another process and examines its failures.
func TestBroken(t *testing.T) {
	if os.Getenv("FETCHTEST_BROKEN") == "" {
		t.Skip("for TestBrokenHandlersAreReported")
	}
	for _, f := range flaws() {
		t.Run(f.name, func(t *testing.T) { Test(t, f.scheme, f.cases...) })
	}
	t.Run("none", func(t *testing.T) { Test(t, pond(nil), pondCases()...) })
	t.Run("none, directory", func(t *testing.T) { Test(t, pond(nil), directoryCases()...) })
	t.Run("none, counted", func(t *testing.T) { Test(t, pond(readCounted), countedCases()...) })
	t.Run("none, error", func(t *testing.T) { Test(t, pond(nil), errorCases()...) })
}

// TestBrokenHandlersAreReported: Test reports each fault at the line that calls it, with the name of the rule and what to do.
func TestBrokenHandlersAreReported(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$", "-test.v", "-test.short="+strconv.FormatBool(testing.Short()))
	cmd.Env = append(os.Environ(), "FETCHTEST_BROKEN=1")
	out, _ := cmd.Output() // it fails
	source, err := os.ReadFile("broken_test.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), "Test(t, f.scheme, f.cases...)")
	line := "broken_test.go:" + strconv.Itoa(1+strings.Count(before, "\n"))
	reports := map[string]string{}
	test := ""
	for l := range strings.Lines(string(out)) {
		if _, name, ok := strings.Cut(l, "=== RUN   TestBroken/"); ok {
			test, _, _ = strings.Cut(strings.TrimSpace(name), "/")
			reports[test] += ""
		} else if !strings.Contains(l, "--- ") && l != "FAIL\n" {
			reports[test] += l
		}
	}
	for _, f := range flaws() {
		got, want := reports[strings.ReplaceAll(f.name, " ", "_")], line+`: rule "`+f.rule+`": `+rules()[f.rule]
		if !strings.Contains(got, want) || !strings.Contains(got, f.text) {
			t.Errorf("%s: got the report\n%s\nwant one with %q and %q", f.name, got, want, f.text)
		}
	}
	for name, got := range reports {
		if strings.HasPrefix(name, "none") && got != "" {
			t.Errorf("%s: got the report\n%s\nwant none for a handler that is right", name, got)
		}
	}
	if len(reports) != len(flaws())+5 {
		t.Errorf("got %d reports, want %d; the output ends with\n%s", len(reports), len(flaws())+5, out[max(0, len(out)-2000):])
	}
}
