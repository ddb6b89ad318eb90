package mail

import (
	"context"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// inIMAP searches the folders of a server.
func (q *query) inIMAP(ctx context.Context, s inquiry) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		left := false
		err := s.eachFolder(ctx, q.plan, q.env, &q.hold, func(f opened) (bool, error) {
			list, err := q.find(f)
			for _, m := range list {
				if left = !yield(hit{entry: m.entry(f, s.source), asked: true, open: func() (*fetch.Document, error) { return q.remote(f, s.source, m) }}, nil); left {
					break
				}
			}
			return left, err
		})
		if err != nil && !left {
			yield(hit{}, err)
		}
	}
}

func (m head) entry(f opened, s source) fetch.Entry {
	e := headEntry(m)
	e.Attr["source"], e.Attr["folder"] = []string{s.name}, []string{f.name}
	e.URI, _ = uri.Parse(f.message(m.uid))
	return e
}

// remote is the document of a message of a server: a referral, unless it is needed whole.
func (q *query) remote(f opened, s source, m head) (*fetch.Document, error) {
	if !q.whole() {
		u, err := uri.Parse(f.message(m.uid))
		return s.refer(u), err
	}
	d, err := f.open(m.uid, &q.hold)
	if err != nil {
		return nil, err
	}
	d.Header, d.Modified = headerOf(m.fields), m.date
	return q.document(d)
}

// open fetches the text of a message. While it comes, *hold is true.
func (f opened) open(uid uint32, hold *bool) (*fetch.Document, error) {
	if err := f.sayBody(uid); err != nil {
		return nil, err
	}
	*hold = true
	t, err := f.text(uid, part{})
	if err != nil {
		return nil, err
	}
	t.done = func(reuse bool) { *hold = !reuse }
	d := fetch.NewDocument(t)
	d.End, d.Size = fetch.EndDeclared, t.size
	return d, nil
}

// find searches the open folder, and verifies.
func (q *query) find(f opened) (list []head, err error) {
	if err := f.say("UID SEARCH", ""); err != nil {
		return nil, err
	}
	uids, err := f.searchHeader("Message-ID", string(*q.MessageID))
	if err != nil || len(uids) == 0 {
		return nil, err
	}
	if err := f.say("UID FETCH", numbers(uids)); err != nil {
		return nil, err
	}
	for h, err := range f.heads(uids) {
		if err != nil {
			return nil, err
		}
		if plainID(mimemail.ParseHeader(h.fields).MessageID()) == plainID(string(*q.MessageID)) {
			list = append(list, h) // the rest is read: the session goes on
		}
	}
	return list, nil
}
