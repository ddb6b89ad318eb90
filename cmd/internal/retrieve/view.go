package retrieve

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/term"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/fragment"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// errTooNew stops the retrieval of a document that is newer than the date of -z -DATE. That is not a failure.
var errTooNew = errors.New("the document is newer than the date of -z")

// show sets how the document is printed: what precedes it, and the view.
func (r *retrieval) show(o *save.Options) error {
	o.Stdout = r.app.Stdout
	if r.slot != nil {
		o.Stdout = r.slot
	}
	if r.flags.json && r.path == "-" && !r.flags.links {
		o.Stdout = io.Discard
	}
	o.Opened = r.onOpened
	if r.flags.head {
		o.View = func(w io.Writer, d *fetch.Document) error {
			if r.path == "-" {
				return nil // opened has printed it
			}
			return render.Metadata(w, d)
		}
		return nil
	}
	var err error
	o.View, err = r.view(r.path == "-" && !r.asked && (r.flags.links || !r.flags.json) && terminal.IsTerminal(r.app.Stdout))
	return err
}

// opened prints what precedes the document, and reduces the document to the requested part.
func (r *retrieval) opened(d *fetch.Document) error {
	r.printed = r.path == "-"
	r.answered()
	r.countEntries(d)
	r.noteOpened(d)
	if d.Refusal != nil && !r.flags.failBody {
		return r.refused(d)
	}
	if r.flags.Verbose || r.flags.json || r.flags.template != nil && r.flags.template.Wants("charset") {
		r.text.later = render.Examine(d)
	}
	if r.flags.include || r.flags.head {
		r.readHead(d)
	}
	if (r.flags.include || r.flags.head && r.path == "-") && !r.flags.json {
		if err := r.printMetadata(d); err != nil {
			return err
		}
	}
	if r.slot != nil && r.path == "-" {
		r.slot.setDeadline(d.Deadline)
	}
	if d.Modified.After(r.flags.notAfter) && !r.flags.notAfter.IsZero() {
		r.state = "modified"
		return errTooNew
	}
	if r.flags.mbox && !r.flags.head && !d.NotModified && d.Type != mailbox {
		return noMailbox(d)
	}
	if !r.flags.fragment || r.flags.head {
		return nil
	}
	if _, ok := r.uri.Fragment(); !ok && d.Fragment == "" {
		return fetch.Errorf(fetch.ErrNotFound, "--fragment: the URI has no fragment")
	}
	return fragment.Cut(d)
}

func (r *retrieval) printMetadata(d *fetch.Document) error {
	if r.slot == nil {
		r.output.Lock()
		defer r.output.Unlock()
	}
	w := r.words()
	if err := render.Metadata(w, d); err != nil || r.flags.head {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// framed writes a server's page for the frame of the HTML view: without scripts, and with nothing that loads by itself.
func framed(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, href func(uri.URI) string, _ bool) error {
	return foreign.Write(w, r, isXML, base, foreign.Links{To: href})
}

// mailbox is the media type that --format mbox requests (RFC 4155).
const mailbox = "application/mbox"

// noMailbox returns the error of --format mbox for a document without messages.
func noMailbox(d *fetch.Document) error {
	return &fetch.Error{Kind: fetch.ErrUnsupported, Text: "--format mbox: " + d.URI.Scheme() + " returned " + cmp.Or(d.Type, "a document without a type") + ", not a mailbox",
		Hint: "mid, mailto, imap and news can return mailboxes"}
}

// view returns the function that writes the document. It returns nil if the document is unchanged. The default on a terminal is text, through the
// filter.
func (r *retrieval) view(onTerminal bool) (func(io.Writer, *fetch.Document) error, error) {
	format := render.Format(r.flags.format)
	switch {
	case r.flags.links && r.flags.json:
		format = render.JSON
	case r.flags.links && (format == "" || format == render.Raw):
		return numbered, nil
	case format == "" && onTerminal:
		format = render.Text
	case format == "" || format == render.Raw && !onTerminal:
		return nil, nil
	case !slices.Contains(render.Formats(), format):
		return nil, flags.NotOneOf("--format "+string(format), string(format), "must be one of "+strings.Join(Formats(), ", "), Formats())
	}
	o := &render.Options{Terminal: onTerminal, Color: terminal.HasColors(r.app.Getenv), Page: htmltext.Render, Foreign: framed, Charset: r.text.set}
	if onTerminal {
		if w, _, err := term.GetSize(int(r.app.Stdout.Fd())); err == nil {
			o.Width = w
		}
	}
	return func(w io.Writer, d *fetch.Document) error {
		if r.flags.links {
			d = &fetch.Document{URI: d.URI, Base: d.Base, Size: -1, Body: d.Body, Entries: render.Links(d, htmltext.Links)}
		}
		return render.View(w, d, format, o)
	}, nil
}

// Formats returns the values of --format.
func Formats() (names []string) {
	for _, f := range render.Formats() {
		names = append(names, string(f))
	}
	return append(names, "mbox")
}
