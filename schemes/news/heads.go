package news

import (
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// headListing is the overview of a group on a server without OVER: the pipelined headers of its articles.
func (r *run) headListing(g group, low, high int64) *fetch.Document {
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		defer r.release()
		r.recent(r.eachHead(g, low, high))(yield)
	})
	d.TypeReason = "a newsgroup"
	g.setHeader(d)
	r.doc = d
	return d
}

// eachHead yields an entry for each article. It skips numbers without one.
func (r *run) eachHead(g group, low, high int64) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		numbers, err := r.numbers(g, low, high)
		if err != nil {
			yield(fetch.Entry{}, err)
			return
		}
		for n, err := range r.eachNumber(r.plan.When(ifNoXover)[0], numbers) {
			var h mimemail.Header
			if err == nil {
				h, err = r.readHeader()
			}
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if !yield(r.messageEntry(g.name, n, h), nil) {
				r.end(errAbandoned)
				return
			}
		}
	}
}

// readHeader reads a text that is the header of an article.
func (r *run) readHeader() (mimemail.Header, error) {
	b := r.text()
	if err := b.readHead(r.env.Limits()); err != nil {
		return nil, r.end(err)
	}
	return mimemail.ParseHeader(b.ahead), r.end(b.rest())
}

// errAbandoned ends a session because a listing was not read to its end.
var errAbandoned = &fetch.Error{Kind: fetch.ErrLocal, Text: "listing was only partly read"}
