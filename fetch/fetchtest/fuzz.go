package fetchtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Fuzz plans arbitrary URIs of the schemes in every mode. Planning must not panic, equal arguments must give equal plans, and a command must
// not contain CR, LF or NUL. Scheme.Read must accept each URI that has a plan, and return a value that can be encoded as JSON.
func Fuzz(f *testing.F, seeds []string, schemes ...fetch.Scheme) {
	f.Helper()
	for _, seed := range seeds {
		f.Add(seed)
	}
	if err := checkReads(schemes); err != nil {
		f.Fatal(err)
	}
	c := fetch.New(schemes...)
	f.Fuzz(func(t *testing.T, in string) {
		u, err := uri.Parse(in)
		if err != nil {
			return
		}
		found, ok := c.Schemes.Lookup(u.Scheme())
		if !ok {
			return
		}
		for _, m := range uri.Modes() {
			fuzzMode(t, c, found, u, m)
		}
	})
}

// checkReads returns an error for a scheme that Fuzz cannot test.
func checkReads(schemes []fetch.Scheme) error {
	for _, s := range schemes {
		if s.Read == nil {
			return fmt.Errorf("the scheme %q has no Read: set it to a function that parses a URI", s.Name())
		}
	}
	return nil
}

func fuzzMode(t *testing.T, c *fetch.Client, s fetch.Scheme, u uri.URI, m uri.Mode) {
	got, readErr := s.Read(u, m)
	if readErr == nil {
		if _, err := json.Marshal(got); err != nil {
			t.Fatalf("%s %q: Scheme.Read returns a value without a JSON form: %v", m, u, err)
		}
	} else if fetch.KindOf(readErr) == "" {
		t.Fatalf("%s %q: Scheme.Read returns an error without a Kind: %v", m, u, readErr)
	}
	for _, op := range []fetch.Op{fetch.Retrieve, fetch.Metadata, fetch.Send, fetch.Attach} {
		p, err := c.Plan(u, &fetch.Options{Mode: m, Op: op})
		if err != nil {
			continue
		}
		if readErr != nil {
			t.Fatalf("%s %q: Scheme.Read returns %v, want no error because the URI has a plan", m, u, readErr)
		}
		fuzzLines(t, p)
		if q, _ := c.Plan(u, &fetch.Options{Mode: m, Op: op}); Describe(p) != Describe(q) {
			t.Fatalf("%s %q: the second plan is\n%s\nwant that of the first\n%s", m, u, Describe(q), Describe(p))
		}
		if _, err := json.Marshal(p); err != nil {
			t.Fatalf("%s %q: the plan has no JSON form: %v", m, u, err)
		}
	}
}

func fuzzLines(t *testing.T, p *fetch.Plan) {
	if err := hasSteps(p); err != nil {
		t.Fatalf("%q: %v", p.URI, err)
	}
	for _, s := range p.Steps {
		if strings.ContainsAny(s.Line(), "\r\n\x00") {
			t.Fatalf("%q: the command %q contains CR, LF or NUL", p.URI, s.Line())
		}
	}
}
