package fetchtest

import (
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A PlanCase is a URI and the Plan that it must have, in the form of Describe.
type PlanCase struct {
	URI     string
	Options fetch.Options
	Want    string
	Kind    fetch.Kind // of the error, if planning must fail
}

// Plans compares the Plans of cases with a Client for schemes. It contacts no server.
func Plans(t *testing.T, cases []PlanCase, schemes ...fetch.Scheme) {
	t.Helper()
	client := fetch.New(schemes...)
	defer client.Close()
	for _, c := range cases {
		u, err := uri.Parse(c.URI)
		if err != nil {
			t.Errorf("%s: %v, want a valid URI", c.URI, err)
			continue
		}
		p, err := client.Plan(u, &c.Options)
		if fetch.KindOf(err) != c.Kind {
			t.Errorf("%s: error %v of kind %q, want kind %q", c.URI, err, fetch.KindOf(err), c.Kind)
		} else if err == nil && hasSteps(p) != nil {
			t.Errorf("%s: %v", c.URI, hasSteps(p))
		} else if err == nil && strings.TrimSpace(Describe(p)) != strings.TrimSpace(c.Want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.URI, Describe(p), strings.TrimSpace(c.Want))
		}
	}
}

// Describe returns p as text. The first line has network, address, TLS mode, shape and type; each step and each referral follows on a line
// of its own.
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

// Injection replaces the {} in each template by CR, LF and NUL, percent-encoded, and expects ErrRefusedURL. With a letter in that place, the
// URI must have a Plan.
func Injection(t *testing.T, templates []string, o *fetch.Options, schemes ...fetch.Scheme) {
	t.Helper()
	c := fetch.New(schemes...)
	defer c.Close()
	for _, tmpl := range templates {
		for _, in := range []string{"x", "%0D", "%0A", "%00", "x%0D%0ADELE%20y", "%0a.%0a"} {
			u, err := uri.Parse(strings.Replace(tmpl, "{}", in, 1))
			if err != nil {
				t.Errorf("%s: %v, want a valid URI", tmpl, err)
				continue
			}
			switch _, err := c.Plan(u, o); {
			case in == "x" && err != nil:
				t.Errorf("%s: %v, want a plan", u, err)
			case in != "x" && fetch.KindOf(err) != fetch.ErrRefusedURL:
				t.Errorf("%s: error %v of kind %q, want kind %q", u, err, fetch.KindOf(err), fetch.ErrRefusedURL)
			}
		}
	}
}
