package retrieve

import (
	"cmp"
	"context"
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
func (c *command) show(ctx context.Context, o *save.Options, req *fetch.Options, to place) error {
	o.Stdout = c.app.Stdout
	if to.slot != nil {
		o.Stdout = to.slot
	}
	if c.flags.json && to.path == "-" && !c.flags.links {
		o.Stdout = io.Discard
	}
	o.Opened = func(d *fetch.Document) error { return c.opened(ctx, o.URI, req, d, to) }
	if c.flags.head {
		o.View = func(w io.Writer, d *fetch.Document) error {
			if to.path == "-" {
				return nil // opened has printed it
			}
			return printMetadata(w, d, false)
		}
		return nil
	}
	var err error
	o.View, err = c.view(to, to.path == "-" && !to.asked && (c.flags.links || !c.flags.json) && terminal.IsTerminal(c.app.Stdout))
	return err
}

// opened prints what precedes the document, and reduces the document to the requested part.
func (c *command) opened(ctx context.Context, asked uri.URI, req *fetch.Options, d *fetch.Document, to place) error {
	c.warn(asked, d)
	if d.Refusal != nil && !c.flags.failBody {
		return c.refused(d, to)
	}
	c.notePart(d)
	if c.flags.Verbose || c.flags.json || c.flags.template != nil && c.flags.template.Wants("charset") {
		to.text.later = render.Examine(d)
	}
	if c.flags.include || c.flags.head {
		c.readHead(ctx, asked, req, d)
	}
	if (c.flags.include || c.flags.head && to.path == "-") && !c.flags.json {
		if err := c.printMetadata(d, to); err != nil {
			return err
		}
	}
	if to.slot != nil && to.path == "-" {
		to.slot.follow(d)
	}
	if d.Modified.After(c.flags.notAfter) && !c.flags.notAfter.IsZero() {
		return errTooNew
	}
	remember(c.app, d)
	if c.flags.mbox && !c.flags.head && !d.NotModified && d.Type != mailbox {
		return noMailbox(d)
	}
	if !c.flags.fragment || c.flags.head {
		return nil
	}
	if _, ok := asked.Fragment(); !ok && d.Fragment == "" {
		return fetch.Errorf(fetch.ErrNotFound, "--fragment: the URI has no fragment")
	}
	return fragment.Cut(d)
}

func (c *command) printMetadata(d *fetch.Document, to place) error {
	before := c.flags.include && !c.flags.head
	if to.slot != nil {
		return printMetadata(to.slot.words(), d, before)
	}
	c.output.Lock()
	defer c.output.Unlock()
	return printMetadata(c.app.Out(), d, before)
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
func (c *command) view(to place, onTerminal bool) (func(io.Writer, *fetch.Document) error, error) {
	format := render.Format(c.flags.format)
	switch {
	case c.flags.links && c.flags.json:
		format = render.JSON
	case c.flags.links && (format == "" || format == render.Raw):
		return numbered, nil
	case format == "" && onTerminal:
		format = render.Text
	case format == "" || format == render.Raw && !onTerminal:
		return nil, nil
	case !slices.Contains(render.Formats(), format):
		return nil, unknownFormat(format)
	}
	o := &render.Options{Terminal: onTerminal, Color: terminal.HasColors(c.app.Getenv), Page: htmltext.Render, Foreign: framed, Charset: to.text.set}
	if onTerminal {
		if w, _, err := term.GetSize(int(c.app.Stdout.Fd())); err == nil {
			o.Width = w
		}
	}
	return func(w io.Writer, d *fetch.Document) error {
		if c.flags.links {
			d = linksOf(d)
		}
		return render.View(w, d, format, o)
	}, nil
}

// unknownFormat returns the error for an unknown value of --format.
func unknownFormat(word render.Format) error {
	known := []string{"mbox"}
	for _, f := range render.Formats() {
		known = append(known, string(f))
	}
	return flags.NotOneOf("--format "+string(word), string(word), "must be one of "+strings.Join(known[1:], ", ")+" or mbox", known)
}
