package news

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/schemes/internal/mailstore"
)

// mailbox returns one document with the articles of a group or range. If the caller has a part of it, it continues with the last article
// of that part. If the group does not have that article, it reads the whole part again, and skips it if the caller compares some of it.
func (r *run) mailbox(g group) (*fetch.Document, error) {
	low, high := r.boundsOf(g)
	d := fetch.NewDocument(nil)
	r.doc = d
	d.Validator = fetch.Validator{Tag: fmt.Sprintf("%s%d %d", tagOf(g), low, g.missing())} // a cancelled article changes it
	g.setHeader(d)
	number, at, err := r.resumePoint(g)
	switch {
	case err != nil:
		return nil, err
	case number > 0: // the articles themselves show whether they are the same
		d.Validator = cmp.Or(r.plan.Options.IfSame, d.Validator)
	case r.plan.Options.Have != nil: // the last article has been cancelled, and perhaps others
		d.Validator = fetch.Validator{}
	}
	if err := r.asMailbox(d); err != nil {
		return nil, err
	}
	skip := d.Offset - at
	if number > 0 {
		low = number
	}
	numbers, err := r.numbers(g, low, high)
	if err == nil {
		d.Body = maildoc.MailboxBody(r.eachArticle(numbers), skip)
	}
	return d, err
}

// tagOf returns the beginning of the validators of a group's mailboxes.
func tagOf(g group) string { return "mboxrd " + g.name + " " }

func (r *run) storedMailbox(list []stored) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	if err := r.asMailbox(d); err != nil {
		return nil, err
	}
	d.Body = maildoc.MailboxBody(func(yield func(*fetch.Document, error) bool) {
		for _, a := range list {
			d, err := r.storedText(a, "")
			if errors.Is(err, fs.ErrNotExist) {
				continue // another program has removed it
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}, d.Offset)
	return d, nil
}

// mailboxOf returns a mailbox of one article.
func (r *run) mailboxOf(article *fetch.Document) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	d.Base, d.Modified, d.Validator = article.Base, article.Modified, article.Validator
	if err := r.asMailbox(d); err != nil {
		article.Body.Close()
		return nil, err
	}
	d.TypeReason = "an article"
	d.Body = maildoc.SingleBody(article, d.Offset)
	return d, nil
}

// asMailbox sets the type, end and offset of a mailbox.
func (r *run) asMailbox(d *fetch.Document) error {
	d.Type, d.TypeReason, d.End = maildoc.MailboxType, "the articles of a newsgroup", fetch.EndTerminated
	o := r.plan.Options
	if o.Range.From < 0 || o.Range.To > 0 {
		return fetch.Errorf(fetch.ErrRange, "this mailbox supports only ranges from an offset to the end")
	}
	if o.Range.From > 0 && (o.IfSame.IsZero() || o.IfSame.Same(d.Validator)) {
		d.Offset = o.Range.From
	}
	return nil
}

// eachArticle sends ARTICLE for each number in pipelines, and yields a document for each article that exists and is not too old.
func (r *run) eachArticle(numbers iter.Seq[int64]) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		defer r.release()
		for _, err := range r.eachNumber(r.step("ARTICLE"), numbers) {
			if err != nil {
				yield(nil, err)
				return
			}
			b := r.text()
			if err := b.readHead(r.env.Limits()); err != nil {
				yield(nil, err)
				return
			}
			d := fetch.NewDocument(b)
			h := mimemail.ParseHeader(b.ahead)
			maildoc.SetFields(d, h)
			if !r.wants(h.Get("Date")) {
				if err := b.rest(); err != nil {
					yield(nil, err)
					return
				}
				continue
			}
			if !yield(d, nil) {
				r.end(fetch.Errorf(fetch.ErrLocal, "mailbox was only partly read"))
				return
			}
		}
	}
}

// step returns the plan's step with a verb and, if it is given, a first argument.
func (r *run) step(verb string, arg ...string) fetch.Step {
	for _, s := range r.plan.Steps {
		if s.Verb == verb && slices.Equal(s.Args[:min(len(arg), len(s.Args))], arg) {
			return s
		}
	}
	return fetch.Step{Verb: verb}
}

// resumePoint returns the number of the last article of the partial mailbox that begins before the requested range, and its offset there. It returns
// zeros if the mailbox cannot be continued. The caller compares what the server sends from there on with what it has, so a wrong number would be noticed.
func (r *run) resumePoint(g group) (number, at int64, err error) {
	have, from, same := r.plan.Options.Have, r.plan.Options.Range.From, r.plan.Options.IfSame
	if have == nil || from <= 0 || !same.IsZero() && !strings.HasPrefix(same.Tag, tagOf(g)) {
		return 0, 0, nil
	}
	at, ok, err := mailstore.Before(have, from)
	var h mimemail.Header
	if ok && err == nil {
		h, err = r.headAt(have, at)
	}
	if err != nil {
		return 0, 0, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if number, err = r.numberOf(g, h); number < max(1, g.low) || number > g.high {
		return 0, 0, err
	}
	return number, at, err
}

// headAt reads the header of the message at an offset of a mailbox, after its From line.
func (r *run) headAt(have io.ReaderAt, at int64) (mimemail.Header, error) {
	most := int64(64 << 10)
	if limit := int64(r.env.Limits().Reply); limit > 0 {
		most = min(most, limit)
	}
	p, err := io.ReadAll(io.NewSectionReader(have, at, most))
	_, p, _ = bytes.Cut(p, []byte("\n"))
	return mimemail.ParseHeader(p), err
}

// numberOf returns an article's number in a group, by its Xref or message-id. It returns 0 if the group does not have it.
func (r *run) numberOf(g group, h mimemail.Header) (n int64, err error) {
	for name, number := range xrefs(h.Get("Xref")) {
		if name == g.name {
			return number, nil
		}
	}
	id := strings.TrimSpace(h.Get("Message-Id"))
	if _, ok := cutID(id); !ok || g.high < g.low {
		return 0, nil
	}
	_, err = r.fields("Message-ID", g.low, g.high, func(number int64, value string) {
		if value == id {
			n = number
		}
	})
	return n, err
}
