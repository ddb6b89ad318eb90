package retrieve

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// quietTime is how long a server may be silent before a note is printed.
const quietTime = 5 * time.Second

// note prints a note, unless -s is given.
func (c *command) note(text string) {
	if !c.flags.silent {
		c.progress.aside(func() { fmt.Fprintln(c.app.Stderr, "deref: note: "+render.Escape(text)) })
	}
}

// note prints a note about the document.
func (r *retrieval) note(text string) { r.command.note(r.subject() + text) }

// warn prints a warning about the document. It does nothing if err is nil.
func (r *retrieval) warn(err error) {
	if err != nil {
		r.progress.aside(func() { r.app.Warn(errors.New(r.subject() + err.Error())) })
	}
}

// subject is the beginning of a line about one of many.
func (r *retrieval) subject() string {
	if !r.flags.isMany() {
		return ""
	}
	return r.schemes.Redact(r.uri) + ": "
}

// waitFor writes a note if the server of u has not responded after a time. The caller calls stop when it has. It writes nothing for one of many
// URIs, because those wait at the same time.
func (r *retrieval) waitFor(u uri.URI, after time.Duration, w io.Writer) (stop func()) {
	if r.flags.silent || r.flags.isMany() || u.Hostname() == "" {
		return func() {}
	}
	t := time.AfterFunc(after, func() {
		r.progress.aside(func() {
			fmt.Fprintf(w, "deref: note: no response from %s yet, still waiting\n", render.Escape(u.Hostname()))
		})
	})
	return func() { t.Stop() }
}

// noteOpened prints what the way to the document and its metadata show. A referral that replaces https by http is a warning: no credentials were sent,
// but others could read and change the document.
func (r *retrieval) noteOpened(d *fetch.Document) {
	from := r.uri
	for _, v := range d.Via {
		if from.Scheme() == "https" && v.URI.Scheme() == "http" && !r.flags.silent {
			r.progress.aside(func() {
				r.app.Warn(errors.New(from.Redacted(nil) + " redirects to " + v.URI.Redacted(nil) + ", which is not protected by TLS"))
			})
		}
		from = v.URI
	}
	if d.Refusal != nil && !r.flags.failBody || d.Piece == 0 || d.Pieces == 1 {
		return
	}
	of := ""
	if d.Pieces > 0 {
		of = fmt.Sprintf(" of %d", d.Pieces)
	}
	r.note(fmt.Sprintf("this is part %d%s of a file; other messages have the rest", d.Piece, of))
}

// countEntries counts the entries of a listing while a view shows them.
func (r *retrieval) countEntries(d *fetch.Document) {
	entries := d.Entries
	if entries == nil {
		return
	}
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		for e, err := range entries {
			if err == nil {
				r.entries++
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// noteGuess notes with -v that a charset was guessed, because a guess can be wrong.
func (r *retrieval) noteGuess() {
	label, how := r.text.end()
	if how == charset.ByGuess && label != charset.UTF8 && r.flags.Verbose {
		r.note("the charset is a guess, " + label + "; --charset chooses another")
	}
}

// noteResult notes what a file does not show, and warns of what it has lost.
func (r *retrieval) noteResult(o *save.Options, err error) {
	s := r.result
	if s.Path != "" {
		if s.Document != nil && s.Document.Missing > 0 {
			r.note(fmt.Sprintf("%s: %d missing, skipped", s.Path, s.Document.Missing))
		}
		if len(s.Repaired) > 0 {
			var parts []string
			for _, p := range s.Repaired {
				parts = append(parts, fmt.Sprintf("%d-%d", p.From, p.To-1))
			}
			r.note(fmt.Sprintf("%s: bytes %s were damaged and were fetched again", s.Path, strings.Join(parts, ", ")))
		}
		if err == nil && s.Restarted {
			r.note(s.Path + " could not be continued; it was replaced by the whole document")
		}
	}
	if err == nil {
		r.noteEmpty(o)
	}
	r.warn(s.LostMetadata)
}

// noteEmpty notes that a listing has no entries. Otherwise a search without results would print nothing.
func (r *retrieval) noteEmpty(o *save.Options) {
	d := r.result.Document
	if d == nil || d.Type != fetch.ListingType || d.NotModified || r.entries > 0 || r.result.Size > 0 && o.View == nil || r.flags.head {
		return
	}
	what := "the listing is empty"
	if _, ok := r.uri.Query(); ok || len(r.request.Search) > 0 {
		what = "nothing found"
	}
	if to := d.Header.Get("Catalogue"); to != "" {
		what += "; the server offers its catalogue, " + to
	}
	r.note(what)
}
