package retrieve

import (
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/retry"
)

// followLink replaces the URI by its link that --link selects. -I, -r, -z and --search apply to the link. What belongs to the URI's server, such as a
// password, is not sent to another.
func (r *retrieval) followLink() error {
	req := *r.request
	req.Op, req.Search, req.Range, req.IfChanged = fetch.Retrieve, nil, fetch.Range{}, fetch.Validator{}
	d, err := retry.New(r.client, r.flags.policy()).Get(r.ctx, r.uri, &req)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return err
	}
	e, err := render.Link(render.Links(d, htmltext.Links), r.flags.link)
	if err == nil {
		err = r.chosen(d.URI, e.URI)
	}
	if err == nil {
		r.uri, r.request = e.URI, r.schemes.ReferralOptions(r.request, r.uri, e.URI)
	}
	return err
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
func (r *retrieval) readHead(d *fetch.Document) {
	if !mediatype.IsPage(d.Type) || len(d.Referrals) > 0 || d.Offset > 0 {
		return
	}
	if !r.flags.head {
		htmltext.Head(d)
		return
	}
	if !strings.HasPrefix(d.URI.Scheme(), "http") {
		return // not worth another transfer
	}
	part := r.schemes.ReferralOptions(r.request, r.uri, d.URI)
	part.Search = nil // the words are in the URI already
	part.Op, part.Range, part.IfChanged = fetch.Retrieve, fetch.Range{To: htmltext.HeadSize}, fetch.Validator{}
	page, err := r.client.Get(r.ctx, d.URI, part)
	if page != nil {
		defer page.Body.Close()
	}
	if err == nil {
		htmltext.Head(page)
		d.Base, d.Search = page.Base, page.Search
	}
}
