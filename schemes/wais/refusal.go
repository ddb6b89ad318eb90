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

// refusal is the error that a diagnostic comes to where it stands alone. begun: a part of the document has come.
func refusal(d z3950.Diagnostic, begun bool) error {
	return fetch.Errorf(kindOf(d, begun), "the server says %s: %s", printable(d.Code), printable(strings.TrimSpace(d.Text)))
}

func kindOf(d z3950.Diagnostic, begun bool) fetch.Kind {
	switch text := strings.ToLower(d.Text); d.Code {
	case outOfRange:
		return fetch.ErrNotFound
	case permanent:
		switch {
		case strings.Contains(text, "not available"):
			return fetch.ErrNotFound
		case strings.Contains(text, "syntax"):
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
