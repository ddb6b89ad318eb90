package gopher

import (
	"bytes"

	"example.org/deref/fetch"
)

// A reporter reports what a server does against the specification, as fetch.Env.Deviates.
type reporter func(section, where, format string, args ...any)

// strictly returns the reporter for a text, nil unless deviations are reported.
func strictly(env *fetch.Env) reporter {
	if !env.Strict() {
		return nil
	}
	return env.Deviates
}

// Sections that the forms of texts and menus are checked by.
const (
	textRule = "RFC 1436 section 3.7"
	lineRule = "RFC 1436 Appendix"
)

// checkLineEnds reports lines that do not end with CRLF in the next bytes of a text.
func (t *textBody) checkLineEnds(p []byte) {
	for from := 0; from < len(p); {
		i := bytes.IndexByte(p[from:], '\n')
		if i < 0 {
			break
		}
		before := t.tail
		if i += from; i > 0 {
			before = p[i-1]
		}
		if from = i + 1; before != '\r' {
			t.strict(lineRule, "a line", "LF without CR")
			break // it is reported once
		}
	}
	if len(p) > 0 {
		t.tail = p[len(p)-1]
	}
}
