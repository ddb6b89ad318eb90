package fetch

import (
	"bytes"
	"fmt"
	"sync"

	"example.org/deref/uri"
)

// A Deviation is something in which a server departs from a specification, and which the handler accepted all the same. See Options.Strict.
type Deviation struct {
	URI     uri.URI `json:"uri"`     // that was requested from the server, without a password
	Section string  `json:"section"` // of the specification: "RFC 3659 section 4"
	Where   string  `json:"where"`   // the place in the conversation: "the reply to SIZE"
	Text    string  `json:"text"`    // what is there: "text after the number"
}

// String returns the Deviation without its URI, in one line.
func (d Deviation) String() string { return d.Where + ": " + d.Text + " (" + d.Section + ")" }

// LineEnds names the sections by which the lines of a scheme's servers end with CRLF. "" means that there is no such rule. In strict mode the
// Client reports lines that end with LF alone; it sees those of connections that are recorded in lines (RecordLines and RecordHead).
type LineEnds struct {
	Replies string // of status lines, replies and header fields
	Texts   string // of everything else
}

// maxDeviations bounds what is reported for one request. A server can deviate in every line.
const maxDeviations = 100

// deviations is what was reported for a request, so that it is reported once.
type deviations struct {
	mu   sync.Mutex
	seen map[Deviation]bool
}

// Strict reports whether deviations are reported. A handler calls it only before work that serves nothing else.
func (e *Env) Strict() bool { return e.plan.Options.Strict != nil }

// Deviates reports that the server departs from a specification in something that the handler accepts: to Options.Strict, and as a note in the
// trace. Without Options.Strict it does nothing. section cites the specification ("RFC 959 section 5.4"); where is the place in the
// conversation ("the reply to RETR"); the rest says what is there. Equal Deviations of a request are reported once, so a text that holds for
// many lines does not quote one of them.
func (e *Env) Deviates(section, where, format string, args ...any) {
	if !e.Strict() {
		return
	}
	clean := func(s string) string { return e.secrets.MaskText(oneLine(s)) }
	d := Deviation{URI: e.plan.URI, Section: section, Where: clean(where), Text: clean(fmt.Sprintf(format, args...))}
	if e.scheme.Rules.SecretUser {
		d.URI = d.URI.WithoutUserinfo()
	}
	e.report(d, true)
}

// report reports d once. noting also puts it into the trace, where nested requests have put theirs.
func (e *Env) report(d Deviation, noting bool) {
	all := &e.deviations
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.seen[d] || len(all.seen) >= maxDeviations {
		return
	}
	if all.seen == nil {
		all.seen = map[Deviation]bool{}
	}
	all.seen[d] = true
	if noting && e.trace != nil {
		e.trace(Event{Time: now(), Dir: InWords, Note: "deviation: " + d.String(), Deviation: &d})
	}
	e.callback(func() { e.plan.Options.Strict(d) })
}

// nestedStrict returns Options.Strict of nested requests. It returns nil without strict mode.
func (e *Env) nestedStrict() func(Deviation) {
	if !e.Strict() {
		return nil
	}
	return func(d Deviation) {
		d.Where, d.Text = e.secrets.MaskText(d.Where), e.secrets.MaskText(d.Text)
		e.report(d, false)
	}
}

// watchLines adds the check of line ends to the trace.
func (e *Env) watchLines() {
	if rule := e.scheme.LineEnds; !e.Strict() || rule == (LineEnds{}) {
		return
	}
	shown := e.trace
	e.trace = func(ev Event) {
		if shown != nil {
			shown(ev)
		}
		if ev.Dir == FromServer && ev.Text {
			e.checkLineEnd(ev)
		}
	}
}

func (e *Env) checkLineEnd(ev Event) {
	rule := e.scheme.LineEnds
	section, where := rule.Replies, "a line of a reply"
	switch {
	case rule.Replies == rule.Texts:
		where = "a line"
	case ev.Body:
		section, where = rule.Texts, "a line of the text"
	}
	switch {
	case section == "" || !bytes.HasSuffix(ev.Data, []byte("\n")): // a piece of a line, or the end of the connection
	case !bytes.HasSuffix(ev.Data, []byte("\r\n")):
		e.Deviates(section, where, "LF without CR")
	case bytes.HasSuffix(ev.Data, []byte("\r\r\n")):
		e.Deviates(section, where, "CR CR LF")
	}
}
