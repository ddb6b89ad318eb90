package news

import (
	"cmp"
	"io"
	"iter"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

// mailbox makes one document of the articles of a group or range. Where a part of it is there already, it goes on with the last article
// that is there; where that cannot be found in the group, what was there is asked for again and passed over.
func (r *run) mailbox(g group) (*fetch.Document, error) {
	low, high := r.boundsOf(g)
	d := fetch.NewDocument(nil)
	r.doc = d
	d.Validator = fetch.Validator{Tag: tagOf(g) + strconv.FormatInt(low, 10)}
	g.setHeader(d)
	m, ok, err := r.resumePoint(g)
	if err != nil {
		return nil, err
	}
	if ok { // whether the articles are the same, they tell themselves
		d.Validator = cmp.Or(r.plan.Options.IfSame, d.Validator)
	}
	if err := r.asMailbox(d); err != nil {
		return nil, err
	}
	skip := d.Offset
	if ok {
		low, skip = m.number, d.Offset-m.at
	}
	numbers, err := r.numbers(g, low, high)
	d.Body = maildoc.MailboxBody(r.eachArticle(numbers), skip)
	return d, err
}

// tagOf begins the validators of a group's mailboxes; the first number follows.
func tagOf(g group) string { return "mboxrd " + g.name + " " }

func (r *run) storedMailbox(list []stored) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	if err := r.asMailbox(d); err != nil {
		return nil, err
	}
	d.Body = maildoc.MailboxBody(func(yield func(*fetch.Document, error) bool) {
		for _, a := range list {
			d, err := r.storedText(a, "")
			if !yield(d, err) || err != nil {
				return
			}
		}
	}, d.Offset)
	return d, nil
}

// mailboxOf makes a mailbox of one article.
func (r *run) mailboxOf(article *fetch.Document) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	d.Base, d.Modified, d.Validator = article.Base, article.Modified, article.Validator
	if err := r.asMailbox(d); err != nil {
		article.Body.Close()
		return nil, err
	}
	d.TypeReason = "an article"
	m := &single{article: article}
	m.ReadCloser = maildoc.MailboxBody(m.each, d.Offset)
	d.Body = m
	return d, nil
}

// single is the Body of a mailbox of one article, which is closed with it.
type single struct {
	io.ReadCloser
	article *fetch.Document
	taken   bool
}

func (m *single) each(yield func(*fetch.Document, error) bool) {
	m.taken = true
	yield(m.article, nil)
}

func (m *single) Close() error {
	if !m.taken {
		m.article.Body.Close()
	}
	return m.ReadCloser.Close()
}

// asMailbox says of d what it will be, and from which octet on.
func (r *run) asMailbox(d *fetch.Document) error {
	d.Type, d.TypeReason, d.End = maildoc.MailboxType, "the articles of a newsgroup", fetch.EndTerminated
	o := r.plan.Options
	if o.Range.From < 0 || o.Range.To > 0 {
		return fetch.Errorf(fetch.ErrRange, "of a mailbox that is made now, only what is behind an offset can be had")
	}
	if o.Range.From > 0 && (o.IfSame.IsZero() || o.IfSame.Same(d.Validator)) {
		d.Offset = o.Range.From
	}
	return nil
}

// eachArticle says ARTICLE for each number, in flights, and yields a document for each that there is and that is not too old.
func (r *run) eachArticle(numbers iter.Seq[int64]) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		defer r.release()
		for _, err := range r.eachNumber(r.step("ARTICLE"), numbers) {
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
			h := mimemail.ParseHeader(b.ahead)
			setFields(d, h)
			if !r.wants(h.Get("Date")) {
				if err := b.rest(); err != nil {
					yield(nil, err)
					return
				}
				continue
			}
			if !yield(d, nil) {
				r.end(fetch.Errorf(fetch.ErrLocal, "the mailbox was left"))
				return
			}
		}
	}
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
