package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// follow dereferences the link of u that --link selects. -I, -r, -z and --search apply to the link. What belongs to u's server, such as a password,
// is not sent to another.
func (c *command) follow(ctx context.Context, u uri.URI, to place) error {
	e, err := c.linkOf(ctx, u)
	if err != nil {
		return cmp.Or(err, c.report(to, u, save.Result{}, nil, err, 0))
	}
	return c.get(ctx, e.URI, c.schemes.ReferralOptions(c.options, u, e.URI), to)
}

// linkOf returns the link of u that --link selects.
func (c *command) linkOf(ctx context.Context, u uri.URI) (e fetch.Entry, err error) {
	req := *c.options
	req.Op, req.Search, req.Range, req.IfChanged = fetch.Retrieve, nil, fetch.Range{}, fetch.Validator{}
	d, err := retry.New(c.client, c.flags.policy()).Get(ctx, u, &req)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return e, err
	}
	if e, err = render.Link(render.Links(d, htmltext.Links), c.flags.link); err == nil {
		err = c.chosen(d.URI, e.URI)
	}
	return e, err
}

// linksOf returns the links of d as a listing.
func linksOf(d *fetch.Document) *fetch.Document {
	return &fetch.Document{URI: d.URI, Base: d.Base, Size: -1, Body: d.Body, Entries: render.Links(d, htmltext.Links)}
}

// numbered is the default view of --links: a line for each link, with its number for --link.
func numbered(w io.Writer, d *fetch.Document) error {
	n := 0
	for e, err := range render.Links(d, htmltext.Links) {
		if err != nil {
			return err
		}
		n++
		if _, err := fmt.Fprintf(w, "%d\t%s\t%s\n", n, render.Absolute(e.URI), render.Escape(e.Title)); err != nil {
			return err
		}
	}
	return nil
}

// readHead reads metadata that only the text of a page contains: its BASE, and whether it can be searched. For -I, which has no text, it requests
// the beginning of the page as a range, and ignores a failure.
func (c *command) readHead(ctx context.Context, asked uri.URI, req *fetch.Options, d *fetch.Document) {
	if !strings.HasPrefix(d.Type, "text/html") || len(d.Referrals) > 0 || d.Offset > 0 {
		return
	}
	if !c.flags.head {
		htmltext.Head(d)
		return
	}
	if !strings.HasPrefix(d.URI.Scheme(), "http") {
		return // not worth another transfer
	}
	part := c.schemes.ReferralOptions(req, asked, d.URI)
	part.Search = nil // the words are in the URI already
	part.Op, part.Range, part.IfChanged = fetch.Retrieve, fetch.Range{To: htmltext.HeadSize}, fetch.Validator{}
	page, err := c.client.Get(ctx, d.URI, part)
	if page != nil {
		defer page.Body.Close()
	}
	if err == nil {
		htmltext.Head(page)
		d.Base, d.Search = page.Base, page.Search
	}
}

// warn prints a warning if a referral has replaced https by http: no credentials were sent, but others could read and change the document.
func (c *command) warn(asked uri.URI, d *fetch.Document) {
	from := asked
	for _, r := range d.Via {
		if from.Scheme() == "https" && r.URI.Scheme() == "http" && !c.flags.silent {
			c.progress.aside(func() {
				fmt.Fprintf(c.app.Stderr, "deref: warning: %s redirects to %s, which is not protected by TLS\n", from.Redacted(nil), render.Escape(r.URI.Redacted(nil)))
			})
		}
		from = r.URI
	}
}

// notePart notes that a document is one part of a file: "part 1 of 2".
func (c *command) notePart(d *fetch.Document) {
	if d.Piece == 0 || d.Pieces == 1 || c.flags.silent {
		return
	}
	of := ""
	if d.Pieces > 0 {
		of = fmt.Sprintf(" of %d", d.Pieces)
	}
	c.progress.aside(func() {
		fmt.Fprintf(c.app.Stderr, "deref: note: this is part %d%s of a file; other messages have the rest\n", d.Piece, of)
	})
}
