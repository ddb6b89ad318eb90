package fetchtest

import (
	"errors"
	"fmt"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// checkDialogue: exactly the scripted octets are said, and what comes of it is what the case expects.
func checkDialogue(x *subject) error {
	a := x.attempt()
	r, err := a.run()
	if err != nil {
		return err
	}
	x.base = r
	if r.play != nil {
		return errors.Join(r.play, r.err)
	}
	if x.Err != "" {
		return x.checkError(r)
	}
	if r.err != nil {
		return fmt.Errorf("no document: %w (%s)", r.err, fetch.KindOf(r.err))
	}
	if x.Body != "" && x.Body != string(r.body) {
		return fmt.Errorf("the body is %q, not %q", r.body, x.Body)
	}
	return nil
}

func (x *subject) checkError(r *result) error {
	if r.err == nil {
		return fmt.Errorf("a document came instead of %s: %q", x.Err, r.body)
	}
	if !errors.Is(r.err, x.Err) {
		return fmt.Errorf("the error is %s, not %s: %w", fetch.KindOf(r.err), x.Err, r.err)
	}
	return nil
}

// checkDocument: what the Document says of itself is true.
func checkDocument(x *subject) error {
	d, n := x.base.doc, int64(len(x.base.body))
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.Type == "" && n > 0 {
		bad("Type is void")
	}
	if x.Type != "" && d.Type != x.Type {
		bad("Type is %q (%s), not %q", d.Type, d.TypeReason, x.Type)
	}
	if whole := x.Options.Range.IsZero() && x.Options.Op == fetch.Retrieve && !d.NotModified; whole && d.Size != -1 && d.Size != d.Offset+n {
		bad("Size is %d, and %d octets came", d.Size, n)
	}
	if x.End != "" && d.End != x.End {
		bad("End is %q, not %q", d.End, x.End)
	}
	if d.End == fetch.EndClosed && len(x.script.Lines) > 0 && !x.closes() {
		bad("End is %q, and the server has not closed", d.End)
	}
	if !slices.Contains([]fetch.End{fetch.EndClosed, fetch.EndDeclared, fetch.EndTerminated}, d.End) && n > 0 {
		bad("End is %q: nobody can know whether the document is whole", d.End)
	}
	return errors.Join(errs...)
}

func (x *subject) closes() bool {
	return slices.ContainsFunc(x.script.Lines, func(l dialogue.Line) bool { return l.Mark == dialogue.End })
}

// checkTrace: the trace is what crossed the wire, secrets blanked.
func checkTrace(x *subject) error {
	a := x.attempt()
	r, err := a.run()
	if err != nil {
		return err
	}
	for n := range a.player.Dialled() {
		said, told := a.player.Wire(n + 1)
		if t := a.trace.wire[way{n + 1, fetch.FromClient}]; !dialogue.Match(t, said) {
			return fmt.Errorf("the trace of connection %d shows the client say %q, the wire %q", n+1, t, said)
		}
		t := a.trace.wire[way{n + 1, fetch.FromServer}]
		if r.err == nil && !matchBegin(t, told) {
			return fmt.Errorf("the trace of connection %d shows the server say %q, the wire %q", n+1, t, told)
		}
	}
	return x.checkWords(a)
}

// matchBegin reports whether what was told begins with what the trace shows: a client need not hear a server out.
func matchBegin(trace, told []byte) bool {
	if len(trace) <= len(told) && dialogue.Match(trace, told[:len(trace)]) {
		return true
	}
	return dialogue.Match(trace, told)
}

// checkWords compares the steps that the script has in words, if it has any.
func (x *subject) checkWords(a *attempt) error {
	want := x.script.Steps()
	if len(want) == 0 {
		return nil
	}
	var got []string
	for _, s := range a.trace.said {
		got = append(got, dialogue.Words(s.step))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the steps are %q, not %q", got, want)
	}
	return nil
}

// checkFragment: a fragment is the caller's, and no server's.
func checkFragment(x *subject) error {
	if _, has := x.uri.Fragment(); has {
		return nil
	}
	v := *x
	v.uri = x.uri.WithFragment("Fragment")
	r, err := v.attempt().run()
	switch {
	case err != nil:
		return err
	case r.play != nil:
		return fmt.Errorf("with a fragment: %w", r.play)
	case x.Err == "" && (r.err != nil || r.doc.Fragment != "Fragment"):
		return fmt.Errorf("the fragment is not given back: %v", r.err)
	}
	return nil
}
