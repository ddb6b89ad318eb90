package mail

import (
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// listing is a Document of entries; the session is given back when they are at their end.
func (r *box) listing(s *session, done func(bool), entries iter.Seq2[fetch.Entry, error]) *fetch.Document {
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for e, err := range entries {
			if !yield(e, err) || err != nil {
				return
			}
		}
		done(true)
	})
	d.Body = &closing{d.Body, func() { done(false) }}
	return d
}

// closing does something more when a Body is closed.
type closing struct {
	io.ReadCloser
	also func()
}

func (c *closing) Close() error {
	c.also()
	return c.ReadCloser.Close()
}

// folderEntries are the lines of LIST.
func (r *box) folderEntries(s *session) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for f, err := range s.folders() {
			e := fetch.Entry{Title: f.name, Kind: fetch.KindDir, Size: -1}
			if err == nil {
				e.Attr = map[string][]string{"attributes": f.attrs}
				u, bad := uri.Parse(r.base() + escapeIn(f.name, mailboxSafe))
				switch {
				case bad != nil || f.name == "":
					e.Kind = fetch.KindUnknown
				case f.has(`\Noselect`) || f.has(`\NonExistent`):
					e.Kind = fetch.KindText
				default:
					e.URI = u
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// headEntries are the messages of a folder.
func (r *box) headEntries(s *session, validity uint32, uids []uint32) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for h, err := range s.heads(uids) {
			e := fetch.Entry{}
			if err == nil {
				e = headEntry(h)
				e.URI, err = uri.Parse(messageURI(r.base(), string(*r.Mailbox), validity, h.uid))
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
