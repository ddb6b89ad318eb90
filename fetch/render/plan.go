package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// Plan writes a plan as text that is safe for a terminal: the server, the expected result, and the commands with their conditions.
func Plan(w io.Writer, p *fetch.Plan) error {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-8s %s\n", name, Escape(value))
		}
	}
	row("uri", p.URI.String())
	row("server", server(p))
	row("answer", expected(p))
	for _, r := range p.Refers {
		row("refers", r.URI.Redacted(nil)+"  ("+r.Reason+")")
	}
	allSteps(&b, p, "  ")
	_, err := io.WriteString(w, b.String())
	return err
}

// expected describes the result: type and shape, or a sentence if it is not a document.
func expected(p *fetch.Plan) string {
	switch {
	case p.Shape == fetch.ShapeReferral && len(p.Refers) == 0:
		return "referral: the server returns where the object is"
	case p.Shape == fetch.ShapeReferral:
		return "referral: a name; dereferencing it tries these in order"
	case p.Shape == fetch.ShapeSession && p.Options != nil && p.Options.Op == fetch.Attach:
		return "session: a terminal is attached"
	case p.Shape == fetch.ShapeSession:
		return "session: interactive; the first screen is shown"
	}
	return strings.TrimSuffix(string(p.Shape)+", "+p.Type, ", ")
}

func server(p *fetch.Plan) string {
	switch {
	case p.Network == "" && len(p.Refers) > 0:
		return "none: the name refers to other URIs"
	case p.Network == "" && slices.ContainsFunc(p.Steps, func(s fetch.Step) bool { return !s.Get.IsZero() }):
		return "none: those of the requests that are its steps"
	case p.Network == "":
		return "none: answered on this machine"
	case p.Network == "exec":
		return "none: a program of this machine"
	case p.TLS == fetch.ImplicitTLS:
		return p.Addr + " (" + p.Network + ", TLS)"
	case p.TLS == fetch.ExplicitTLS:
		return p.Addr + " (" + p.Network + ", then TLS)"
	}
	return p.Addr + " (" + p.Network + ")"
}

// allSteps writes the unconditional steps, and then the others by their conditions.
func allSteps(b *strings.Builder, p *fetch.Plan, indent string) {
	steps(b, p, "", indent)
	done := []string{""}
	for _, s := range p.Steps {
		if !slices.Contains(done, s.If) {
			done = append(done, s.If)
			fmt.Fprintf(b, "%sif %s:\n", indent, Escape(s.If))
			steps(b, p, s.If, indent+"  ")
		}
	}
}

func steps(b *strings.Builder, p *fetch.Plan, cond, indent string) {
	for _, s := range p.When(cond) {
		fmt.Fprintf(b, "%s%s\n", indent, Escape(Step(s)))
		if n := p.NestedOf(s); n != nil {
			nested(b, n, indent+"  ")
		}
	}
}

// nested writes the plan of a request that is a step of another.
func nested(b *strings.Builder, p *fetch.Plan, indent string) {
	fmt.Fprintf(b, "%sserver %s\n", indent, Escape(server(p)))
	for _, r := range p.Refers {
		fmt.Fprintf(b, "%srefers %s\n", indent, Escape(r.URI.Redacted(nil)+"  ("+r.Reason+")"))
	}
	allSteps(b, p, indent+"  ")
}

// Step returns a step as text. Arguments that are empty or have blanks are quoted.
func Step(s fetch.Step) string {
	words := []string{}
	if s.At != "" {
		words = append(words, "["+s.At+"]")
	}
	if s.Verb != "" {
		words = append(words, s.Verb)
	}
	if s.Secret {
		return strings.Join(append(words, "***"), " ")
	}
	for _, a := range s.Args {
		if a == "" || strings.Contains(a, " ") && s.Verb != "" {
			a = `"` + a + `"`
		}
		words = append(words, a)
	}
	if s.Data != "" {
		words = append(words, fmt.Sprintf("%q", s.Data))
	}
	words = append(words, s.Tail...)
	if s.Repeat != "" {
		words = append(words, "(again until "+strings.TrimPrefix(s.Repeat, "until ")+")")
	}
	return strings.Join(words, " ")
}
