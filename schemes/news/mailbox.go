package news

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/mail"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
)

// mboxType is the media type of a mailbox: RFC 4155.
const mboxType = "application/mbox"

// mailbox makes one document of the articles of a group or range. It is the same each time as long as no article goes, so that it can
// be resumed: what was there before is asked for again and passed over.
func (r *run) mailbox(g group) (*fetch.Document, error) {
	low, high := r.wantedOf(g)
	b := &mailbox{next: r.eachArticle(low, high)}
	d := fetch.NewDocument(b)
	d.Validator = fetch.Validator{Tag: fmt.Sprintf("mboxrd %s %d", g.name, low)}
	g.describe(d)
	return r.asMailbox(d, b)
}

func (r *run) storedMailbox(list []stored) *fetch.Document {
	b := &mailbox{next: func(yield func(*fetch.Document, error) bool) {
		for _, a := range list {
			d, err := r.storedDocument(a, "")
			if !yield(d, err) || err != nil {
				return
			}
		}
	}}
	d, _ := r.asMailbox(fetch.NewDocument(b), b) // a store is not resumed
	return d
}

func (r *run) asMailbox(d *fetch.Document, b *mailbox) (*fetch.Document, error) {
	d.Type, d.TypeReason, d.End = mboxType, "the articles of a newsgroup", fetch.EndTerminated
	o := r.plan.Options
	if o.Range.From < 0 || o.Range.To > 0 {
		return nil, fetch.Errorf(fetch.ErrRange, "of a mailbox that is made now, only what is behind an offset can be had")
	}
	if o.Range.From > 0 && (o.IfSame.IsZero() || o.IfSame.Same(d.Validator)) {
		b.skip, d.Offset = o.Range.From, o.Range.From
	}
	return d, nil
}

// eachArticle says ARTICLE for each number, in flights, and yields a document for each that there is.
func (r *run) eachArticle(low, high int64) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		defer r.finish()
		for _, err := range r.eachNumber(r.step("ARTICLE"), low, high) {
			if err != nil {
				yield(nil, err)
				return
			}
			b := &body{text: newText(r.s.wire, func(err error) {
				if err != io.EOF {
					r.end(err)
				}
			})}
			if err := b.readHead(r.env.Limits()); err != nil {
				yield(nil, err)
				return
			}
			d := fetch.NewDocument(b)
			parseHeader(b.ahead).into(d)
			if !yield(d, nil) {
				r.end(fetch.Errorf(fetch.ErrLocal, "the mailbox was left"))
				return
			}
		}
	}
}

// mailbox is a Body of articles in the form mboxrd.
type mailbox struct {
	next iter.Seq2[*fetch.Document, error]
	pull func() (*fetch.Document, error, bool)
	stop func()
	now  *fetch.Document // being written
	out  bytes.Buffer
	w    *mailstore.Writer
	skip int64 // octets not to be given out
	err  error
}

func (m *mailbox) Read(p []byte) (int, error) {
	for m.out.Len() == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.err = m.step()
		n := min(m.skip, int64(m.out.Len()))
		m.out.Next(int(n))
		m.skip -= n
		if m.err == io.EOF && m.skip > 0 {
			m.err = fetch.Errorf(fetch.ErrChanged, "the mailbox is shorter now, by %d octets, than what is there of it", m.skip)
		}
	}
	return m.out.Read(p)
}

// step writes a piece.
func (m *mailbox) step() error {
	switch {
	case m.pull == nil:
		m.pull, m.stop = iter.Pull2(m.next)
		m.w = mailstore.NewWriter(&m.out)
		return nil
	case m.now == nil:
		return m.begin()
	}
	n, err := io.CopyN(m.w, m.now.Body, 32<<10)
	if err == nil || n > 0 && err == io.EOF {
		return nil
	}
	if err != io.EOF {
		return err
	}
	m.now.Body.Close()
	m.now = nil
	return m.w.End()
}

func (m *mailbox) begin() error {
	d, err, ok := m.pull()
	switch {
	case !ok:
		return io.EOF
	case err != nil:
		return err
	}
	m.now = d
	return m.w.Begin(sender(d), d.Modified)
}

// sender is who has written an article, as far as the line needs it.
func sender(d *fetch.Document) string {
	if a, err := mail.ParseAddress(d.Header.Get("From")); err == nil {
		return a.Address
	}
	return ""
}

// Close leaves the mailbox.
func (m *mailbox) Close() error {
	if m.now != nil {
		m.now.Body.Close()
		m.now = nil
	}
	if m.stop != nil {
		m.stop()
	}
	if m.err == nil {
		m.err = io.ErrClosedPipe
	}
	return nil
}

// step finds the plan's step of a verb.
func (r *run) step(verb string) fetch.Step {
	for _, s := range r.plan.Steps {
		if s.Verb == verb {
			return s
		}
	}
	return fetch.Step{Verb: verb}
}
