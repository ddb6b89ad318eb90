package schemetest

import (
	"encoding/json"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Fuzz checks of any URI of the schemes: nothing panics; what is planned is read too; a reading has a JSON form; no CR, LF or
// NUL stands on a line of a Plan; and the same URI is planned the same twice.
func Fuzz(f *testing.F, seeds []string, s ...fetch.Scheme) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	c := fetch.New(s...)
	f.Fuzz(func(t *testing.T, in string) {
		u, err := uri.Parse(in)
		if err != nil {
			return
		}
		found, ok := c.Schemes.Lookup(u.Scheme())
		if !ok {
			return
		}
		for m := uri.RFC3986; m <= uri.Perl; m++ {
			checkMode(t, c, found, u, m)
		}
	})
}

func checkMode(t *testing.T, c *fetch.Client, s fetch.Scheme, u uri.URI, m uri.Mode) {
	got, readErr := s.Read(u, m)
	if readErr == nil {
		if _, err := json.Marshal(got); err != nil {
			t.Fatalf("%s %q: %v", m, u, err)
		}
	} else if fetch.KindOf(readErr) == "" {
		t.Fatalf("%s %q: %v has no kind", m, u, readErr)
	}
	for _, op := range []fetch.Op{fetch.Retrieve, fetch.Metadata, fetch.Send, fetch.Attach} {
		p, err := c.Plan(u, &fetch.Options{Mode: m, Op: op})
		if err != nil {
			continue
		}
		if readErr != nil {
			t.Fatalf("%s %q is planned, but not read: %v", m, u, readErr)
		}
		checkLines(t, p)
		if q, _ := c.Plan(u, &fetch.Options{Mode: m, Op: op}); Describe(p) != Describe(q) {
			t.Fatalf("%s %q is planned in two ways", m, u)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Fatalf("%s %q: %v", m, u, err)
		}
	}
}

func checkLines(t *testing.T, p *fetch.Plan) {
	if len(p.Steps) == 0 && len(p.Refers) == 0 {
		t.Fatalf("%q: the Plan is void", p.URI)
	}
	for _, s := range p.Steps {
		if strings.ContainsAny(s.Line(), "\r\n\x00") {
			t.Fatalf("%q: %q", p.URI, s.Line())
		}
	}
}
