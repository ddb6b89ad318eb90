package news

import (
	"bytes"
	"iter"

	"example.org/deref/fetch"
)

// heads is the overview of a server that has none: the header of each article, asked for in flights.
func (r *run) heads(g group, low, high int64) *fetch.Document {
	d := fetch.NewListing(r.recent(r.eachHead(g, low, high)))
	base := d.Type
	r.asOverview(d, g)
	d.Type = base
	return d
}

// eachHead yields an entry for each article that there is; numbers without one are passed over.
func (r *run) eachHead(g group, low, high int64) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		defer r.finish()
		step := r.plan.When(ifNoXover)[0]
		for n, err := range r.eachNumber(step, low, high) {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			var b bytes.Buffer
			if err := r.gather(&b); err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if !yield(r.messageEntry(g.name, n, parseHeader(b.Bytes())), nil) {
				r.end(fetch.Errorf(fetch.ErrLocal, "the listing was left"))
				return
			}
		}
	}
}

// gather reads a whole text within the limit of a reply.
func (r *run) gather(b *bytes.Buffer) error {
	r.s.conn.Turn()
	return r.end(r.s.readText(func(line string) {
		b.WriteString(line)
		b.WriteString("\r\n")
	}))
}

// eachNumber says step for each number, in flights, and yields those that were granted, whose text is to be read then. Numbers without an
// article (423; QUIRK: leafnode says 430) are gaps: they are counted and passed over.
func (r *run) eachNumber(step fetch.Step, low, high int64) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		next := low
		for n := low; n <= high; n++ {
			for ; next <= high && len(r.s.sent)+len(r.s.queue) < maxCommands; next++ {
				r.s.say(numbered(step, next))
			}
			said, a, err := r.hear()
			switch {
			case err != nil:
				yield(n, err)
				return
			case a.code == 423 || a.code == 430 || a.code == 420:
				r.gaps++
				continue
			case a.class() != 2:
				yield(n, r.end(fail(said, a)))
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}
