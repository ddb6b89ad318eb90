package schemetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A PlanCase is a URI and its Plan, as Describe writes it.
type PlanCase struct {
	URI     string
	Options fetch.Options
	Want    string
	Kind    fetch.Kind // the refusal, where there is one
}

// Plans compares Plans with a table of them.
func Plans(t *testing.T, cases []PlanCase, s ...fetch.Scheme) {
	t.Helper()
	for _, c := range cases {
		u, err := uri.Parse(c.URI)
		if err != nil {
			t.Errorf("%s: %v", c.URI, err)
			continue
		}
		p, err := fetch.New(s...).Plan(u, &c.Options)
		if fetch.KindOf(err) != c.Kind {
			t.Errorf("%s: kind %q, want %q (%v)", c.URI, fetch.KindOf(err), c.Kind, err)
		} else if err == nil && Describe(p) != strings.TrimSpace(c.Want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.URI, Describe(p), strings.TrimSpace(c.Want))
		}
	}
}

// Describe writes a Plan as text: a line of network, address, TLS, shape and type, then a line for each step or referral.
func Describe(p *fetch.Plan) string {
	head := []string{}
	for _, w := range []string{p.Network, p.Addr, string(p.TLS), string(p.Shape), p.Type} {
		if w != "" {
			head = append(head, w)
		}
	}
	lines := []string{strings.Join(head, " ")}
	for _, s := range p.Steps {
		lines = append(lines, describeStep(s))
	}
	for _, r := range p.Refers {
		own := ""
		if r.Own {
			own = " own"
		}
		lines = append(lines, fmt.Sprintf("-> %s (%s)%s", r.URI, r.Reason, own))
	}
	return strings.Join(lines, "\n")
}

func describeStep(s fetch.Step) string {
	line := ""
	if s.At != "" {
		line = "[" + s.At + "] "
	}
	if line += strings.ReplaceAll(s.Line(), "\r", "\\r"); s.Data != "" {
		line += fmt.Sprintf(" %q", s.Data)
	}
	if len(s.Tail) > 0 {
		line += " " + strings.Join(s.Tail, " ")
	}
	for _, note := range []struct{ word, text string }{{"if", s.If}, {"again", s.Repeat}} {
		if note.text != "" {
			line += fmt.Sprintf(" {%s %s}", note.word, note.text)
		}
	}
	if s.Secret {
		line += " {secret}"
	}
	return line
}

// Injection puts CR, LF and NUL, escaped, in place of the {} of each URI and expects a refusal; with a letter there the URI must
// be planned.
func Injection(t *testing.T, templates []string, o *fetch.Options, s ...fetch.Scheme) {
	t.Helper()
	c := fetch.New(s...)
	for _, tmpl := range templates {
		for _, in := range []string{"x", "%0D", "%0A", "%00", "x%0D%0ADELE%20y", "%0a.%0a"} {
			u, err := uri.Parse(strings.Replace(tmpl, "{}", in, 1))
			if err != nil {
				t.Errorf("%s: %v", tmpl, err)
				continue
			}
			switch _, err := c.Plan(u, o); {
			case in == "x" && err != nil:
				t.Errorf("%s is refused: %v", u, err)
			case in != "x" && fetch.KindOf(err) != fetch.ErrRefusedURL:
				t.Errorf("%s: kind %q (%v)", u, fetch.KindOf(err), err)
			}
		}
	}
}

// NotYetSpoken checks that a handler without its protocol says so, and that nothing is contacted.
func NotYetSpoken(t *testing.T, text string, s ...fetch.Scheme) {
	t.Helper()
	c := fetch.New(s...)
	defer c.Close()
	_, err := c.Get(context.Background(), uri.MustParse(text), nil)
	if !errors.Is(err, fetch.ErrUnsupported) || !strings.Contains(err.Error(), "planned, not yet spoken") {
		t.Errorf("%s: %v", text, err)
	}
}
