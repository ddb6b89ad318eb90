package retrieve

import (
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// maxPage bounds the page of a refusal in --json.
const maxPage = 64 << 10

// A refusal is what --json prints about a refusal besides its error.
type refusal struct {
	document *fetch.Document
	page     []byte
}

// refused prints the metadata and the page of a refusal for -i, keeps both for --json, and returns the error. Nothing is written to the file of the
// document.
func (r *retrieval) refused(d *fetch.Document) error {
	page, err := io.ReadAll(io.LimitReader(d.Body, maxPage))
	if err != nil {
		page = nil
	}
	r.page = refusal{d, page}
	if r.flags.include && !r.flags.json {
		if err := r.printMetadata(d); err != nil {
			return err
		}
		if _, err := r.words().Write(page); err != nil {
			return err
		}
	}
	return d.Refusal
}

// describe adds the response of a refusal to the report about it.
func (p *refusal) describe(info *render.Info, failed error) {
	if p.document == nil || info.Error == nil {
		return
	}
	full := render.NewInfo(p.document.URI, p.document, failed)
	info.Protocol, info.Status, info.Reason, info.Header = full.Protocol, full.Status, full.Reason, full.Header
	info.Error.Body = fetch.Octets(p.page)
}
