package wais

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// Diagnostic codes of Z39.50-1988.
const (
	outOfRange = "SF" // freeWAIS says it of all troubles with documents
	permanent  = "S1"
)

// isMissing reports whether the database does not exist.
func isMissing(d z3950.Diagnostic) bool {
	return d.Code == permanent && contains(d.Text, "not available")
}

// isUnknownField reports whether a word names a field that the database lacks ("field unexists: au", freeWAIS-sf 2.2.10).
func isUnknownField(d z3950.Diagnostic) bool {
	return d.Code == permanent && contains(d.Text, "field unexists")
}

// isSyntaxError reports whether that is all there is.
func isSyntaxError(list []z3950.Diagnostic) bool {
	return len(list) == 1 && list[0].Code == permanent && contains(list[0].Text, "syntax error")
}

func contains(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

// refusal is the error that a diagnostic comes to where it stands alone. begun: a part of the document has come.
func refusal(d z3950.Diagnostic, begun bool) error {
	text := printable(strings.TrimSpace(d.Text))
	if isUnknownField(d) {
		return &fetch.Error{Kind: fetch.ErrNotFound, Text: "a bad query: the server says " + printable(d.Code) + ": " + text,
			Hint: "the database's description lists its fields"}
	}
	return fetch.Errorf(kindOf(d, begun), "the server says %s: %s", printable(d.Code), text)
}

func kindOf(d z3950.Diagnostic, begun bool) fetch.Kind {
	switch d.Code {
	case outOfRange:
		return fetch.ErrNotFound
	case permanent:
		switch {
		case isMissing(d), isUnknownField(d):
			return fetch.ErrNotFound
		case contains(d.Text, "syntax"):
			return fetch.ErrRefused
		}
		return trouble(begun)
	case "SG":
		return trouble(begun)
	case "S2", "SV":
		return fetch.ErrUnavailable
	}
	return fetch.ErrRefused
}

func trouble(begun bool) fetch.Kind {
	if begun {
		return fetch.ErrTransfer
	}
	return fetch.ErrUnavailable
}

// printable keeps a server's octets to text, of ISO Latin 1 where they are no UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text(s))
}

// notes puts the diagnostics that came beside data into the document's header.
func notes(d *fetch.Document, r *z3950.Response) {
	for _, x := range r.Diagnostics {
		d.Header.Add("Diagnostic", printable(x.Code+" "+x.Text))
	}
	if r.SeedWords != "" {
		d.Header.Set("Seed-Words-Used", printable(r.SeedWords))
	}
}
