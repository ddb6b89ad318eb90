package browse

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// showHistory shows the pages of the visit, the last first.
func (b *Browser) showHistory() {
	var list []fetch.Entry
	var targets []target
	seen := map[string]bool{}
	for _, v := range slices.Backward(b.visits) {
		if v.target.own != "" || seen[b.key(v.target)] {
			continue
		}
		seen[b.key(v.target)] = true
		targets = append(targets, v.target)
		list = append(list, fetch.Entry{URI: v.target.uri, Title: b.name(v.target), Kind: fetch.KindFile, Size: -1})
	}
	p := listing("History", list, "")
	p.targets = targets
	b.push(target{own: "History"}, p)
}

// planText returns a plan as text.
func (b *Browser) planText(p *fetch.Plan) string {
	var s bytes.Buffer
	render.Plan(&s, p)
	return s.String() + "\nNothing has been sent.\n"
}

// showTalk shows the conversation that fetched the page.
func (b *Browser) showTalk() {
	v := b.visit()
	if v == nil || v.target.own != "" {
		b.say("This page was not fetched.")
		return
	}
	text := string(v.page.talk)
	if text == "" {
		text = "There was no conversation.\n"
	}
	if len(v.page.talk) >= maxTalk {
		text += "[and more]\n"
	}
	b.showText("Conversation of "+b.name(v.target), text)
}

// showInfo shows what is known about the page.
func (b *Browser) showInfo() {
	v := b.visit()
	if v == nil || v.page.doc == nil {
		b.say("Nothing is known about this page.")
		return
	}
	d := v.page.doc
	var s strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&s, "%-10s %s\n", name, render.Escape(value))
		}
	}
	row("address", b.config.Client.Schemes.Redact(d.URI))
	for _, r := range d.Via {
		row("redirected", b.config.Client.Schemes.Redact(r.URI)+" ("+r.Reason+")")
	}
	if e, ok := b.selected(); ok {
		row("link", b.config.Client.Schemes.Redact(e.URI))
	}
	row("type", d.Type)
	if d.TypeReason != "" {
		row("because of", d.TypeReason)
	}
	if d.Size >= 0 {
		row("size", fmt.Sprintf("%d bytes", d.Size))
	}
	if len(v.page.raw) > 0 {
		row("received", fmt.Sprintf("%d bytes", len(v.page.raw)))
	}
	if !d.Modified.IsZero() {
		row("modified", d.Modified.UTC().Format(time.RFC3339))
	}
	row("status", strings.TrimSpace(fmt.Sprintf("%s %s", zero(d.Status), d.Reason)))
	names := make([]string, 0, len(d.Header))
	for name := range d.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range d.Header[name] {
			row(name+":", value)
		}
	}
	b.showText("About "+b.name(v.target), s.String())
}

// zero returns a number, or nothing if it is 0.
func zero(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
