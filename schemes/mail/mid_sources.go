package mail

import (
	"context"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/uri"
)

// hitsInStore searches a store on this machine.
func (s *midSearch) hitsInStore(ctx context.Context, src source) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		if err := s.env.Announce(src.steps[0]); err != nil {
			yield(hit{}, err)
			return
		}
		mapped(src.holding(ctx, s.id), func(m storedMessage) (hit, error) {
			return hit{entry: m.entry(src), verified: true, open: func() (*fetch.Document, error) {
				d, err := m.text(src)
				if err != nil {
					return nil, err
				}
				return s.document(d)
			}}, nil
		})(yield)
	}
}

// entry returns the listing entry of a stored message. A message in an mbox file has no URI of its own.
func (m storedMessage) entry(s source) fetch.Entry {
	e := m.head().entry()
	e.Attr["source"], e.Attr["folder"] = []string{s.name}, []string{m.Folder.Name}
	path, err := filepath.Abs(filepath.Join(m.Folder.Path, filepath.FromSlash(m.Name)))
	if err == nil && m.Folder.Kind != "mbox" {
		path = strings.TrimPrefix(escapeIn(filepath.ToSlash(path), "/:,=+@!$"), "/")
		e.URI, _ = uri.Parse("file:///" + path) // C:\x is file:///C:/x
	}
	return e
}

// text opens the message.
func (m storedMessage) text(s source) (*fetch.Document, error) {
	in, err := m.Open()
	if err != nil {
		return nil, storeError(s, err)
	}
	d := fetch.NewDocument(in)
	d.End = fetch.EndClosed
	maildoc.SetFields(d, mimemail.ParseHeader(m.fields))
	return d, nil
}

func (m storedMessage) head() head { return head{size: m.Size, date: m.Modified, fields: m.fields} }

// fieldsOf reads the header of a stored message.
func fieldsOf(m mailstore.Message) ([]byte, error) {
	in, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fields, _, err := mailstore.CutHeader(in, mimemail.MaxHeader)
	return fields, err
}

// hitsInIMAP searches the mailboxes of a server.
func (s *midSearch) hitsInIMAP(ctx context.Context, src source) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		for b, err := range src.eachMailbox(ctx, s.env, &s.busy) {
			var list []head
			if err == nil {
				list, err = s.find(b)
			}
			for _, m := range list {
				h := hit{entry: b.entry(m, src), verified: true}
				h.open = func() (*fetch.Document, error) { return s.open(b, src, m) }
				if !yield(h, nil) {
					return
				}
			}
			if err != nil {
				s.busy = true
				yield(hit{}, err)
				return
			}
		}
	}
}

// entry returns the listing entry of a message in the mailbox.
func (b openMailbox) entry(m head, s source) fetch.Entry {
	e := m.entry()
	e.Attr["source"], e.Attr["folder"] = []string{s.name}, []string{b.name}
	e.URI = b.messageURI(m.uid)
	return e
}

// open returns a referral to a message on a server, or the document if the whole message is needed.
func (s *midSearch) open(b openMailbox, src source, m head) (*fetch.Document, error) {
	if !s.whole() {
		return src.refer(b.messageURI(m.uid)), nil
	}
	d, err := b.open(m.uid, &s.busy)
	if err != nil {
		return nil, err
	}
	maildoc.SetFields(d, mimemail.ParseHeader(m.fields))
	d.SetModified(m.date, time.Second)
	return s.document(d)
}

// find searches the open mailbox and verifies the hits.
func (s *midSearch) find(b openMailbox) (list []head, err error) {
	if err := b.announce("UID SEARCH"); err != nil {
		return nil, err
	}
	uids, err := b.searchHeader("Message-ID", s.id)
	if err != nil || len(uids) == 0 {
		return nil, err
	}
	if err := b.announceFetch(headerItems, uids); err != nil {
		return nil, err
	}
	for h, err := range b.heads(uids) {
		if err != nil {
			return nil, err
		}
		if normalizeID(mimemail.ParseHeader(h.fields).MessageID()) == normalizeID(s.id) {
			list = append(list, h) // keep reading: the session goes on after the last response
		}
	}
	return list, nil
}
