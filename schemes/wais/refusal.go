package wais

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// Diagnostic codes of Z39.50-1988.
const (
	outOfRange = "SF" // freeWAIS sends it for all errors of documents
	permanent  = "S1"
)

// isMissing reports whether the database does not exist.
func isMissing(d z3950.Diagnostic) bool { return fails(d, "not available") }

// isUnknownField reports whether a word names a field that the database lacks ("field unexists: au", freeWAIS-sf 2.2.10).
func isUnknownField(d z3950.Diagnostic) bool { return fails(d, "field unexists") }

// isSyntaxError reports whether servers could not parse the words.
func isSyntaxError(d z3950.Diagnostic) bool { return fails(d, "syntax error") }

// fails reports whether d is a permanent error whose text contains part.
func fails(d z3950.Diagnostic, part string) bool {
	return d.Code == permanent && strings.Contains(strings.ToLower(d.Text), part)
}

// refusal returns the error of a diagnostic without data. begun means that a part of the document was received.
func refusal(d z3950.Diagnostic, begun bool) error {
	text := printable(strings.TrimSpace(d.Text))
	if isUnknownField(d) {
		return &fetch.Error{Kind: fetch.ErrNotFound, Text: "bad query: the server responded " + printable(d.Code) + ": " + text,
			Hint: "the database's description lists its fields"}
	}
	return fetch.Errorf(kindOf(d, begun), "the server responded %s: %s", printable(d.Code), text)
}

func kindOf(d z3950.Diagnostic, begun bool) fetch.Kind {
	switch d.Code {
	case outOfRange:
		return fetch.ErrNotFound
	case permanent:
		switch {
		case isMissing(d), isUnknownField(d):
			return fetch.ErrNotFound
		case fails(d, "syntax"):
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

// printable converts a server's text to UTF-8 without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text(s))
}

// notes adds the diagnostics that were sent with data to the document's header.
func notes(d *fetch.Document, r *z3950.Response) {
	for _, x := range r.Diagnostics {
		d.Header.Add("Diagnostic", printable(x.Code+" "+x.Text))
	}
	if r.SeedWords != "" {
		d.Header.Set("Seed-Words-Used", printable(r.SeedWords))
	}
}
