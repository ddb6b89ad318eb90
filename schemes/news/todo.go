package news

import (
	"io"
	"iter"

	"example.org/deref/fetch"
)

func (r *run) contents(d *fetch.Document, h header) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return nil
}
func (r *run) onlyPart(d *fetch.Document) (*fetch.Document, error) { d.Entries = nil; return d, nil }
