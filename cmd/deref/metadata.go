package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// printMetadata prints what is known of a document: our own words for every scheme first, then the fields that the server sent.
func printMetadata(w io.Writer, d *fetch.Document, before bool) error {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, render.Escape(value))
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

// report prints the --json object of one URI.
func (g *getter) report(u uri.URI, r save.Result, failed error, took time.Duration) error {
	if s, ok := g.schemes.Lookup(u.Scheme()); ok && s.Rules.SecretUser {
		u = u.WithoutUserinfo()
	}
	info := render.NewInfo(u, r.Document, failed)
	info.SHA256, info.Path, info.Time = r.SHA256, r.Path, took.Seconds()
	if r.Document != nil && !g.flags.head {
		info.Size = &r.Size
	}
	g.output.Lock()
	defer g.output.Unlock()
	enc := json.NewEncoder(g.app.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(info)
}
