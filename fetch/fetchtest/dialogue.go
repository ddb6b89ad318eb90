package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// checkDialogue: the client sends exactly the bytes of the script, and the result is that of the case.
func checkDialogue(x *subject) error {
	a := x.attempt()
	r, err := a.run()
	if err != nil {
		return err
	}
	if err := x.asInCase(a, r); err != nil {
		return err
	}
	x.base = r
	return nil
}

// asInCase compares a result with the script and the Case.
func (x *subject) asInCase(a *attempt, r *result) error {
	switch {
	case r.play != nil && a.trace.refers():
		return advise(r.play, "the Client follows a referral; to test the referral itself, set Client: func(c *fetch.Client) { c.Policy.NoFollow = true } "+
			"in the Case, keep only the first connection of the script, and compare d.Referrals in Check")
	case r.play != nil && strings.Contains(r.play.Error(), "has no connection"):
		return advise(r.play, "Run must neither try again nor follow referrals: return an error, or Document.Referrals, and the Client decides; if the protocol "+
			"has another connection, the script needs it, too")
	case r.play != nil:
		return errors.Join(r.play, x.explain(r.err))
	case x.Err != "":
		return x.checkError(r)
	case r.err != nil:
		return fmt.Errorf("got an error of kind %q, want a document: %w", fetch.KindOf(r.err), x.explain(r.err))
	case x.Body != "" && x.Body != string(r.body):
		return fmt.Errorf("got body %q, want %q", r.body, x.Body)
	}
	return nil
}

func (x *subject) checkError(r *result) error {
	if r.err == nil {
		return fmt.Errorf("got the document %q, want an error of kind %s: return it by fetch.Errorf when the server reports it", r.body, x.Err)
	}
	if errors.Is(r.err, x.Err) {
		return nil
	}
	return fmt.Errorf("got an error of kind %q, want %s: %w", fetch.KindOf(r.err), x.Err, x.explain(r.err))
}

// explain adds to an error of a request what the handler has probably forgotten.
func (x *subject) explain(err error) error {
	k := fetch.KindOf(err)
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case err == nil:
		return nil
	case strings.Contains(text, "returned neither a document nor an error"):
		return advise(err, "Run must return one of them")
	case k == fetch.ErrTruncated && x.Err == "" && x.closes() && strings.Contains(text, "within a reply"):
		return advise(err, "if the close ends the document, call Conn.BeginBody before it; the close is then io.EOF")
	case x.Err != "" && (k == "" || k == fetch.ErrProtocol):
		return advise(err, "give errors a kind by fetch.Errorf, and return those of Env's connections unchanged")
	}
	return err
}

// checkDocument: the Document's fields are set and correct.
func checkDocument(x *subject) error {
	d, n := x.base.doc, int64(len(x.base.body))
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.Type == "" && !d.NotModified && (n > 0 || len(d.Referrals) == 0) {
		bad("Document.Type is empty: set the media type, from the protocol or from Plan.Type")
	}
	if x.Type != "" && d.Type != x.Type {
		bad("got Type %q (%s), want %q", d.Type, d.TypeReason, x.Type)
	}
	if whole := x.Options.Range.IsZero() && x.Options.Op == fetch.Retrieve && !d.NotModified; whole && d.Size != -1 && d.Size != d.Offset+n {
		bad("Size is %d, but the body has %d bytes: set Size to -1 if it is unknown", d.Size, n)
	}
	if x.End != "" && d.End != x.End {
		bad("got End %q, want %q", d.End, x.End)
	}
	if d.End == fetch.EndClosed && x.lastLine() == "." && n > 0 && !bytes.HasSuffix(bytes.TrimSpace(x.base.body), []byte(".")) {
		bad("End is %q, but the server's last line is a dot, which is not in the document: set End to EndTerminated, and return an error if the "+
			"connection ends before the dot", d.End)
	}
	for _, r := range d.Referrals {
		if !r.URI.IsAbs() {
			bad("the referral to %s is relative: resolve it with p.URI.Resolve", r.URI)
		}
	}
	if d.End == fetch.EndDeclared && d.Size < 0 && n > 0 {
		bad("End is %q, but Size is %d: set Size to the length that the server declares, or End to EndTerminated or EndClosed", d.End, d.Size)
	}
	if d.End == fetch.EndClosed && len(x.script.Lines) > 0 && !x.closes() {
		bad("End is %q, but the server has not closed the connection: set it to EndDeclared (by a length) or EndTerminated (by a mark)", d.End)
	}
	if !slices.Contains([]fetch.End{fetch.EndClosed, fetch.EndDeclared, fetch.EndTerminated}, d.End) && n > 0 {
		bad("End is %q: set it to how the end of the document is known: EndDeclared (by a length), EndTerminated (by a mark) or EndClosed", d.End)
	}
	return errors.Join(errs...)
}

// lastLine returns the last line that the server sends, without its line end.
func (x *subject) lastLine() string {
	if list := x.serverLines(); len(list) > 0 {
		return string(bytes.TrimRight(x.script.Lines[list[len(list)-1]].Data, "\r\n"))
	}
	return ""
}

func (x *subject) closes() bool {
	return slices.ContainsFunc(x.script.Lines, func(l dialogue.Line) bool { return l.Mark == dialogue.End })
}

// checkTrace: the trace shows the bytes sent and received, with secrets masked.
func checkTrace(x *subject) error {
	a := x.attempt()
	r, err := a.run()
	if err != nil {
		return err
	}
	for n := range a.player.Dialled() {
		fromClient, fromServer := a.player.Wire(n + 1)
		if t := a.trace.wire[way{n + 1, fetch.FromClient}]; !dialogue.Match(t, fromClient) {
			return fmt.Errorf("the trace of connection %d shows that the client sent %q, want %q", n+1, t, fromClient)
		}
		t := a.trace.wire[way{n + 1, fetch.FromServer}]
		if r.err == nil && !matchBegin(t, fromServer) {
			return fmt.Errorf("the trace of connection %d shows that the server sent %q, want %q", n+1, t, fromServer)
		}
	}
	return x.checkWords(a)
}

// matchBegin reports whether the server's bytes begin with trace: a client does not have to read everything.
func matchBegin(trace, fromServer []byte) bool {
	if len(trace) <= len(fromServer) && dialogue.Match(trace, fromServer[:len(trace)]) {
		return true
	}
	return dialogue.Match(trace, fromServer)
}

// checkWords compares the announced steps with those of the script, if it has any.
func (x *subject) checkWords(a *attempt) error {
	want := x.script.Steps()
	if len(want) == 0 {
		return nil
	}
	var got []string
	for _, s := range a.trace.announced {
		got = append(got, dialogue.Words(s.step))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("got the steps %q, want %q", got, want)
	}
	return nil
}

// checkFragment: the fragment is returned to the caller and not sent to the server.
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
		return fmt.Errorf("Document.Fragment is not that of the URI (%v): leave it to the Client", r.err)
	}
	return nil
}
