package news

import (
	"io"
	"iter"

	"example.org/deref/fetch"
)

const mboxType = "application/mbox"

func (r *run) look() (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "stores are not read yet")
}
func (r *run) threadListing() (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "threads are not made yet")
}
func (r *run) mailbox(group) (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "mailboxes are not made yet")
}
func (r *run) archived(reply) *fetch.Document { return nil }
func (r *run) contents(d *fetch.Document, h header) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return nil
}
func (r *run) onlyPart(d *fetch.Document) (*fetch.Document, error) { d.Entries = nil; return d, nil }
