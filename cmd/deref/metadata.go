package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// printMetadata prints what is known of a document: our own words for every scheme first, then the fields that the server sent.
func printMetadata(w io.Writer, d *fetch.Document, before bool) error {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, escape(value))
		}
	}
	row("URI", d.URI.Redacted(nil))
	row("Type", typeAndReason(d))
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
	row("Fragment", d.Fragment)
	for _, r := range d.Referrals {
		row("Leads-to", r.URI.Redacted(nil)+" ("+r.Reason+")")
	}
	names := []string{}
	for name := range d.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range d.Header[name] {
			row(name, v)
		}
	}
	if before {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func typeAndReason(d *fetch.Document) string {
	if d.Type == "" || d.TypeReason == "" {
		return d.Type
	}
	return d.Type + " (" + d.TypeReason + ")"
}

// result is the object of --json.
type result struct {
	URI        string       `json:"uri"`
	FinalURI   string       `json:"final_uri,omitempty"`
	Scheme     string       `json:"scheme"`
	Type       string       `json:"type,omitempty"`
	TypeReason string       `json:"type_reason,omitempty"`
	Size       *int64       `json:"size,omitempty"`
	Modified   string       `json:"modified,omitempty"`
	End        fetch.End    `json:"end,omitempty"`
	SHA256     string       `json:"sha256,omitempty"`
	Path       string       `json:"path,omitempty"`
	Time       float64      `json:"time"`
	Referrals  []resultRef  `json:"referrals"`
	Error      *resultError `json:"error,omitempty"`
}

type resultRef struct {
	URI    string       `json:"uri"`
	Reason fetch.Octets `json:"reason"`
}

type resultError struct {
	Class   string       `json:"class"`
	Message fetch.Octets `json:"message"`
}

// report prints the --json object of one URI.
func (g *getter) report(u uri.URI, r save.Result, failed error, took time.Duration) error {
	j := result{URI: u.Redacted(nil), Scheme: u.Scheme(), SHA256: r.SHA256, Path: r.Path, Time: took.Seconds(), Referrals: []resultRef{}}
	if d := r.Document; d != nil {
		j.FinalURI, j.Type, j.TypeReason, j.End = d.URI.Redacted(nil), d.Type, d.TypeReason, d.End
		if !d.Modified.IsZero() {
			j.Modified = d.Modified.UTC().Format(time.RFC3339)
		}
		for _, v := range append(d.Via, d.Referrals...) {
			j.Referrals = append(j.Referrals, resultRef{v.URI.Redacted(nil), fetch.Octets(v.Reason)})
		}
		size := r.Size
		if g.flags.head {
			size = d.Size
		}
		if size >= 0 {
			j.Size = &size
		}
	}
	if failed != nil {
		j.Error = &resultError{class(failed), fetch.Octets(failed.Error())}
	}
	enc := json.NewEncoder(g.app.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}
