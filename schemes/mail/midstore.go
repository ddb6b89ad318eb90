package mail

import (
	"context"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// inStore looks into a store on this machine.
func (q *query) inStore(ctx context.Context, s inquiry) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		if err := q.env.Announce(s.steps[0]); err != nil {
			yield(hit{}, err)
			return
		}
		for m, err := range s.holding(ctx, string(*q.MessageID), q.Cache) {
			h := hit{asked: true}
			if err == nil {
				h.entry = m.entry(s.source)
				h.open = func() (*fetch.Document, error) { return q.stored(m, s.source) }
			}
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// entry is a message of a store in a listing; one of a mailbox has no URI of its own.
func (m found) entry(s source) fetch.Entry {
	e := headEntry(m.head())
	e.Attr["source"], e.Attr["folder"] = []string{s.name}, []string{m.shelf.name}
	path, err := filepath.Abs(filepath.Join(m.shelf.path, filepath.FromSlash(m.Name)))
	if err == nil && m.shelf.kind != "mbox" {
		e.URI, _ = uri.Parse("file:///" + strings.TrimPrefix(escapeIn(filepath.ToSlash(path), "/:,=+@!$"), "/")) // C:\x is file:///C:/x
	}
	return e
}

// stored is the document of a message of a store.
func (q *query) stored(m found, s source) (*fetch.Document, error) {
	d, err := m.text(s)
	if err != nil {
		return nil, err
	}
	return q.document(d)
}

// text is the message itself.
func (m found) text(s source) (*fetch.Document, error) {
	in, err := m.Open()
	if err != nil {
		return nil, storeError(s, err)
	}
	d := fetch.NewDocument(in)
	d.End = fetch.EndClosed
	d.Header = headerOf(m.fields)
	d.Modified = when(d.Header.Get("Date"))
	return d, nil
}

func (m found) head() head { return head{size: m.Size, date: m.Modified, fields: m.fields} }

// fieldsOf reads the header of a stored message.
func fieldsOf(m interface{ Open() (io.ReadCloser, error) }) ([]byte, error) {
	in, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fields, _, err := cutHeader(in)
	return fields, err
}
