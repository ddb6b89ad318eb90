package retrieve

import (
	"fmt"
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// quietTime is how long a server may be silent before a note is printed.
const quietTime = 5 * time.Second

// waitFor writes a note if the server of u has not responded after a time. The caller calls stop when it has. It writes nothing for one of many
// URIs, because those wait at the same time.
func (c *command) waitFor(u uri.URI, after time.Duration, w io.Writer) (stop func()) {
	if c.flags.silent || c.flags.isMany() || u.Hostname() == "" {
		return func() {}
	}
	t := time.AfterFunc(after, func() {
		c.progress.aside(func() {
			fmt.Fprintf(w, "deref: note: no response from %s yet, still waiting\n", render.Escape(u.Hostname()))
		})
	})
	return func() { t.Stop() }
}

// entryCount counts the entries of a listing while a view shows them.
type entryCount int

// of counts the entries of d as they are read.
func (n *entryCount) of(d *fetch.Document) {
	entries := d.Entries
	if entries == nil {
		return
	}
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		for e, err := range entries {
			if err == nil {
				*n++
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// noteGuess notes with -v that a charset was guessed, because a guess can be wrong.
func (c *command) noteGuess(f *textCharset) {
	label, how := f.end()
	if how != charset.ByGuess || label == charset.UTF8 || !c.flags.Verbose {
		return
	}
	c.progress.aside(func() {
		fmt.Fprintf(c.app.Stderr, "deref: note: the charset is a guess, %s; --charset chooses another\n", label)
	})
}

// noteEmpty notes that a listing has no entries. Otherwise a search without results would print nothing.
func (c *command) noteEmpty(u uri.URI, req *fetch.Options, r save.Result, shown bool, n entryCount) {
	d := r.Document
	if d == nil || d.Type != fetch.ListingType || d.NotModified || n > 0 || r.Size > 0 && !shown || c.flags.silent || c.flags.head {
		return
	}
	what := "the listing is empty"
	if _, ok := u.Query(); ok || req != nil && len(req.Search) > 0 {
		what = "nothing found"
	}
	if to := d.Header.Get("Catalogue"); to != "" {
		what += "; the server offers its catalogue, " + render.Escape(to)
	}
	if c.flags.isMany() {
		what = render.Escape(c.schemes.Redact(u)) + ": " + what
	}
	c.progress.aside(func() { fmt.Fprintln(c.app.Stderr, "deref: note: "+what) })
}
