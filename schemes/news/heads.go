package news

import (
	"bytes"
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
	base := d.Type
	r.asOverview(d, g)
	d.Type = base
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
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			var b bytes.Buffer
			if err := r.readAll(&b); err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if !yield(r.messageEntry(g.name, n, mimemail.ParseHeader(b.Bytes())), nil) {
				r.end(errAbandoned)
				return
			}
		}
	}
}

// readAll reads a whole text within the limit of a reply.
func (r *run) readAll(b *bytes.Buffer) error {
	r.s.conn.BeginPart()
	return r.end(r.s.readText(func(line string) {
		b.WriteString(line)
		b.WriteString("\r\n")
	}))
}

// errAbandoned ends a session because a listing was not read to its end.
var errAbandoned = &fetch.Error{Kind: fetch.ErrLocal, Text: "listing was only partly read"}
