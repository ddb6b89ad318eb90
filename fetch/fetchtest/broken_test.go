package fetchtest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"os/exec"
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
		{"no name", "scheme", "no Names", fetch.Scheme{Plan: toyScheme("").Plan}, nil},
		{"no Read", "scheme", "Read is nil: set it", toyWith(func(s *fetch.Scheme) { s.Read = nil }), toyCase("closed")},
		{"no MayReferTo", "scheme", "MayReferTo is nil", toyWith(func(s *fetch.Scheme) { s.Does.Refers = true }), toyCase("closed")},
		{"no Summary", "scheme", "Summary or Spec is empty", toyWith(func(s *fetch.Scheme) { s.Summary = "" }), toyCase("closed")},
		{"no DefaultPort", "claims", "Rules.DefaultPort is 0: set it", toyWith(func(s *fetch.Scheme) { s.Rules.DefaultPort = 0 }), toyCase("closed")},
		{"no plan", "plan", "Plan must return a Plan or an error", planned(func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }), toyCase("closed")},
		{"no Shape", "plan", "Plan.Shape is empty: set it", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Shape = "" }), toyCase("closed")},
		{"no steps", "plan", `announce the step {Verb: "read"}`, onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps = nil }), toyCase("closed")},
		{"not Hierarchical", "claims", "Rules.Hierarchical is false", toyWith(func(s *fetch.Scheme) { s.Rules.Hierarchical = false }), toyCase("directory")},
		{"Refers not set", "claims", "Does.Refers is false: set it", unclaimed(), unfollowed()},
		{"a plan that dials", "env", "Plan must do no I/O", onPlan(func(*fetch.Plan, *fetch.Options) { dialSomebody() }), toyCase("closed")},
		{"a plan that opens a file", "env", "calls os.ReadFile while planning", onPlan(func(*fetch.Plan, *fetch.Options) { os.ReadFile("/dev/null") }), toyCase("closed")},
		{"a run that dials", "env", "connect by Env.Dial", onRun(func(*fetch.Plan) { dialSomebody() }), toyCase("closed")},
		{"a run that looks a name up", "env", "connect by Env.Dial", onRun(func(*fetch.Plan) { net.LookupHost("localhost") }), toyCase("closed")},
		{"a run that changes Addr", "again", "running changes p.Addr", onRun(func(p *fetch.Plan) { p.Addr = strings.ToUpper(p.Addr) }), toyCase("closed")},
		{"a run that changes Options", "again", "running changes p.Options.Accept", onRun(func(p *fetch.Plan) { p.Options.Accept = []string{"text/plain"} }), toyCase("closed")},
		{"nil and nil", "dialogue", "Run must return one of them", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Run = nothing }), toyCase("closed")},
		{"a range ignored", "range", "Options.Range is ignored", ignoring(func(o *fetch.Options) { o.Range = fetch.Range{} }), toyCase("closed")},
		{"metadata ignored", "range", "Options.Op is ignored", ignoring(func(o *fetch.Options) { o.Op = fetch.Retrieve }), toyCase("closed")},
		{"the user name sent", "user", "use URI.WithoutUserinfo", onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps[0].Args[0] = p.URI.String() }), []Case{uriCase()}},
		{"no End", "document", "EndTerminated (by a mark) or EndClosed", onDocument(func(d *fetch.Document) { d.End = "" }), toyCase("closed")},
		{"terminated by nothing", "cut", "set Document.End to EndClosed", onDocument(func(d *fetch.Document) { d.End = fetch.EndTerminated }), toyCase("closed")},
		{"declared by nothing", "document", "or End to EndTerminated or EndClosed", onDocument(func(d *fetch.Document) { d.End = fetch.EndDeclared }), toyCase("closed")},
		{"a referral followed", "dialogue", "c.Policy.NoFollow = true", referring(), toyCase("closed")},
		{"an entry without a kind", "reading", "set Entry.Kind", onEntries(func(e *fetch.Entry) { e.Kind = "" }), toyCase("directory")},
		{"an entry that is relative", "reading", "resolve it with the URI of the listing", onEntries(func(e *fetch.Entry) { e.URI = uri.MustParse("one") }), toyCase("directory")},
		{"a referral that is relative", "document", "resolve it with p.URI.Resolve", referringTo("b"), unfollowed()},
		{"a referral followed by itself", "dialogue", "nor follow referrals", followingItself(), toyCase("closed")},
		{"a dot taken for the close", "document", "set End to EndTerminated", onDocument(func(d *fetch.Document) { d.End = fetch.EndClosed }), toyCase("folder")},
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

// TestBroken is not a test of this package: TestReports runs it in another process and examines its failures.
func TestBroken(t *testing.T) {
	if os.Getenv("FETCHTEST_BROKEN") == "" {
		t.Skip("for TestReports")
	}
	Test(t, toyWith(func(s *fetch.Scheme) { s.Read = nil }), toyCase("closed")...)
	Test(t, onDocument(func(d *fetch.Document) { d.End = "" }), toyCase("closed")...)
	Plans(t, []PlanCase{{URI: toyCases()[0].URI}}, onPlan(func(p *fetch.Plan, _ *fetch.Options) { p.Steps = nil }))
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
	before, _, _ := strings.Cut(string(source), "Test(t, toyWith(")
	line := 1 + strings.Count(before, "\n")
	for i, want := range []struct{ rule, text string }{{"scheme", "Read is nil: set it"}, {"document", "EndTerminated (by a mark) or EndClosed"}} {
		at := fmt.Sprintf("broken_test.go:%d: rule %q: %s", line+i, want.rule, rule(want.rule))
		if !strings.Contains(string(out), at) || !strings.Contains(string(out), want.text) {
			t.Errorf("got the report\n%s\nwant one with %q and %q", out, at, want.text)
		}
	}
	if want := toyCases()[0].URI + `: the plan has neither steps nor referrals: if the client sends nothing, announce the step {Verb: "read"}`; !strings.Contains(string(out), want) {
		t.Errorf("got the report\n%s\nwant one of Plans with %q", out, want)
	}
}

// toyWith changes the Scheme.
func toyWith(change func(*fetch.Scheme)) fetch.Scheme {
	s := toyScheme("")
	change(&s)
	return s
}

func planned(plan func(uri.URI, *fetch.Options) (*fetch.Plan, error)) fetch.Scheme {
	return toyWith(func(s *fetch.Scheme) { s.Plan = plan })
}

// onPlan changes the plans.
func onPlan(change func(*fetch.Plan, *fetch.Options)) fetch.Scheme {
	good := toyScheme("").Plan
	return planned(func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		p, err := good(u, o)
		if err == nil {
			change(p, o)
		}
		return p, err
	})
}

// ignoring plans with options that ignore has changed.
func ignoring(ignore func(*fetch.Options)) fetch.Scheme {
	good := toyScheme("").Plan
	return planned(func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		without := *o
		ignore(&without)
		return good(u, &without)
	})
}

// onRun does something before each run.
func onRun(do func(*fetch.Plan)) fetch.Scheme {
	return onPlan(func(p *fetch.Plan, _ *fetch.Options) {
		run := p.Run
		p.Run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			addr := p.Addr
			do(p)
			q := *p
			q.Addr = addr // an address that is changed and used would already break the dialogue
			return run(ctx, &q, env)
		}
	})
}

// onDocument changes the documents.
func onDocument(change func(*fetch.Document)) fetch.Scheme {
	return onPlan(func(p *fetch.Plan, _ *fetch.Options) {
		run := p.Run
		p.Run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			d, err := run(ctx, p, env)
			if err == nil {
				change(d)
			}
			return d, err
		}
	})
}

// onEntries changes the entries of directories.
func onEntries(change func(*fetch.Entry)) fetch.Scheme {
	return onDocument(func(d *fetch.Document) {
		good := *d
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
			return func(yield func(fetch.Entry, error) bool) {
				for e, err := range good.EntriesIn(r) {
					if change(&e); !yield(e, err) {
						return
					}
				}
			}
		})
	})
}

// referring has a referral in each document.
func referring() fetch.Scheme { return referringTo("toy://toy.example/b") }

func referringTo(to string) fetch.Scheme {
	s := onDocument(func(d *fetch.Document) { d.Referrals = []fetch.Referral{{URI: uri.MustParse(to), Reason: "moved"}} })
	s.Does.Refers, s.MayReferTo = true, []string{"toy"}
	return s
}

// unclaimed refers without Does.Refers.
func unclaimed() fetch.Scheme {
	s := referring()
	s.Does.Refers = false
	return s
}

// unfollowed has a Client that does not follow referrals.
func unfollowed() []Case {
	list := toyCase("closed")
	list[0].Client = func(c *fetch.Client) { c.Policy.NoFollow = true }
	return list
}

// followingItself connects to another server after the first.
func followingItself() fetch.Scheme {
	return onPlan(func(p *fetch.Plan, _ *fetch.Options) {
		run := p.Run
		p.Run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			d, err := run(ctx, p, env)
			if err == nil {
				return run(ctx, p, env)
			}
			return d, err
		}
	})
}

// dialSomebody connects without Env. Nobody listens at that port.
func dialSomebody() {
	if c, err := net.Dial("tcp", "127.0.0.1:1"); err == nil {
		c.Close()
	}
}

// nothing is a Plan.Run.
func nothing(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) { return nil, nil }
