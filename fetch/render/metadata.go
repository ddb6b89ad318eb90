package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mimemail"
)

// Metadata writes what is known about a document besides its contents, without control characters: first the rows that all schemes share, then the
// header fields of the server.
func Metadata(w io.Writer, d *fetch.Document) error {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, Escape(value))
		}
	}
	row("URI", d.URI.Redacted(nil))
	row("Status", status(d))
	row("Type", strings.TrimSuffix(d.Type+" ("+d.TypeReason+")", " ()"))
	if d.Size >= 0 {
		row("Size", fmt.Sprint(d.Size))
	}
	if d.Offset > 0 {
		row("Offset", fmt.Sprint(d.Offset))
	}
	if !d.Modified.IsZero() {
		row("Modified", d.Modified.UTC().Format(time.RFC3339))
	}
	row("Tag", d.Validator.Tag)
	row("End", string(d.End))
	if d.NotModified {
		row("State", "not modified")
	}
	if d.Base.String() != d.URI.String() {
		row("Base", d.Base.Redacted(nil))
	}
	if !d.Search.IsZero() {
		row("Search", d.Search.Redacted(nil))
	}
	row("Fragment", d.Fragment)
	for _, r := range d.Referrals {
		row("Leads-to", r.URI.Redacted(nil)+" ("+r.Reason+")")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Header)) {
		for _, v := range d.Header[name] {
			if strings.HasPrefix(d.Type, "message/") {
				v = mimemail.WordsIn(v, charset.LabelOf(d.Header.Get("Content-Type")))
			}
			row(name, v)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// status returns the status line of the server: "HTTP/1.1 200 OK".
func status(d *fetch.Document) string {
	if d.Status == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d %s", d.Protocol, d.Status, d.Reason))
}
