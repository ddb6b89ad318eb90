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

// follow dereferences the link of u that --link names. Then -I, -r, -z and --search are for that one, and what is bound to u's server,
// like a password, goes along to no other.
func (g *getter) follow(ctx context.Context, u uri.URI, to place) error {
	e, err := g.linkOf(ctx, u)
	if err != nil {
		return cmp.Or(err, g.tell(to, u, save.Result{}, err, 0))
	}
	return g.get(ctx, e.URI, g.schemes.Along(g.options, u, e.URI), to)
}

// linkOf finds the link of u that --link names.
func (g *getter) linkOf(ctx context.Context, u uri.URI) (e fetch.Entry, err error) {
	wish := *g.options
	wish.Op, wish.Search, wish.Range, wish.IfChanged = fetch.Retrieve, nil, fetch.Range{}, fetch.Validator{}
	d, err := retry.New(g.client, g.flags.policy()).Get(ctx, u, &wish)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return e, err
	}
	if e, err = render.Link(render.Links(d, htmltext.Links), g.flags.link); err == nil {
		err = g.chosen(d.URI, e.URI)
	}
	return e, err
}

// linksOf is d as a listing of what it leads to.
func linksOf(d *fetch.Document) *fetch.Document {
	return &fetch.Document{URI: d.URI, Base: d.Base, Size: -1, Body: d.Body, Entries: render.Links(d, htmltext.Links)}
}

// numbered is the view of --links where no other is asked for: a line for each, by the numbers that --link takes.
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

// lookAt lets a page say what only its text says: its BASE, and whether it can be searched. For -I, which has no text, its beginning is
// asked for besides, as a part; where that fails it stays unknown.
func (g *getter) lookAt(ctx context.Context, asked uri.URI, wish *fetch.Options, d *fetch.Document) {
	if !strings.HasPrefix(d.Type, "text/html") || len(d.Referrals) > 0 || d.Offset > 0 {
		return
	}
	if !g.flags.head {
		htmltext.Head(d)
		return
	}
	if !strings.HasPrefix(d.URI.Scheme(), "http") {
		return // another transfer, for two lines
	}
	part := g.schemes.Along(wish, asked, d.URI)
	part.Search = nil // they are in the URI
	part.Op, part.Range, part.IfChanged = fetch.Retrieve, fetch.Range{To: htmltext.HeadSize}, fetch.Validator{}
	page, err := g.client.Get(ctx, d.URI, part)
	if page != nil {
		defer page.Body.Close()
	}
	if err == nil {
		htmltext.Head(page)
		d.Base, d.Search = page.Base, page.Search
	}
}

// warn says when a referral has led out of TLS: no credentials went along, but what came is anybody's to read and change.
func (g *getter) warn(asked uri.URI, d *fetch.Document) {
	from := asked
	for _, r := range d.Via {
		if from.Scheme() == "https" && r.URI.Scheme() == "http" && !g.flags.silent {
			g.progress.aside(func() {
				fmt.Fprintf(g.app.Stderr, "deref: warning: %s leads to %s, which is not protected by TLS\n", from.Redacted(nil), render.Escape(r.URI.Redacted(nil)))
			})
		}
		from = r.URI
	}
}

// tellPiece says that a document is not the whole of what it belongs to: "part 1 of 2".
func (g *getter) tellPiece(d *fetch.Document) {
	if d.Piece == 0 || d.Pieces == 1 || g.flags.silent {
		return
	}
	of := ""
	if d.Pieces > 0 {
		of = fmt.Sprintf(" of %d", d.Pieces)
	}
	g.progress.aside(func() {
		fmt.Fprintf(g.app.Stderr, "deref: note: this is part %d%s of a file; other messages have the rest\n", d.Piece, of)
	})
}
