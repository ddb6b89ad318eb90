package mail

import (
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"example.org/deref/fetch"
)

// A head holds the parts of a message that a listing shows.
type head struct {
	uid    uint32
	size   int64
	date   time.Time
	fields []byte // header fields, raw
}

// maxPerFetch keeps commands shorter than the 8192 bytes that servers accept (RFC 7162 section 4).
const maxPerFetch = 500

// heads fetches the heads of messages. nil means all of the mailbox.
func (s *session) heads(uids []uint32) iter.Seq2[head, error] {
	return func(yield func(head, error) bool) {
		if uids == nil {
			s.headsOf(wire.UIDSet{wire.UIDRange{Start: 1}}, yield)
			return
		}
		for batch := range slices.Chunk(uids, maxPerFetch) {
			if !s.headsOf(setOf(batch), yield) {
				return
			}
		}
	}
}

func setOf(uids []uint32) (set wire.UIDSet) {
	for _, u := range uids {
		set.AddNum(wire.UID(u))
	}
	return set
}

func (s *session) headsOf(set wire.UIDSet, yield func(head, error) bool) bool {
	var cmd *imapclient.FetchCommand
	err := s.take(func() error {
		s.guard.plan("UID FETCH")
		fields := &wire.FetchItemBodySection{Specifier: wire.PartSpecifierHeader, HeaderFields: headFields(), Peek: true}
		cmd = s.client.Fetch(set, &wire.FetchOptions{
			UID: true, InternalDate: true, RFC822Size: true, BodySection: []*wire.FetchItemBodySection{fields},
		})
		s.drain = cmd.Close
		return nil
	})
	return each(s, err, "FETCH", yield, func() (h head, more bool, err error) {
		s.guard.renew()
		m := cmd.Next()
		if m == nil {
			return h, false, nil
		}
		h, err = s.readHead(m)
		return h, true, err
	})
}

// bodies fetches whole messages with one command, and yields each while it arrives. The caller must have read a message before it takes the
// next. A response without the text is a change of flags that the server reports on its own; such messages, and those that do not exist, are
// in rest. bodies reports whether more commands may follow.
func (s *session) bodies(uids []uint32, yield func(*sectionBody, error) bool) (rest []uint32, good bool) {
	var cmd *imapclient.FetchCommand
	item := &wire.FetchItemBodySection{Peek: true}
	rest = slices.Clone(uids)
	err := s.take(func() error {
		s.guard.plan("UID FETCH")
		cmd = s.client.Fetch(setOf(uids), &wire.FetchOptions{UID: true, BodySection: []*wire.FetchItemBodySection{item}})
		s.drain = cmd.Close
		return nil
	})
	good = each(s, err, "FETCH", yield, func() (b *sectionBody, more bool, err error) {
		for b == nil && err == nil {
			s.guard.renew()
			m := cmd.Next()
			if m == nil {
				return nil, false, nil
			}
			var uid uint32
			if b, uid, err = s.bodyOf(m, item); b != nil {
				rest = slices.DeleteFunc(rest, func(u uint32) bool { return u == uid })
			}
		}
		return b, true, err
	})
	return rest, good
}

func (s *session) readHead(m *imapclient.FetchMessageData) (h head, err error) {
	h.size = -1
	for item := m.Next(); item != nil; item = m.Next() {
		switch d := item.(type) {
		case imapclient.FetchItemDataUID:
			h.uid = uint32(d.UID)
		case imapclient.FetchItemDataRFC822Size:
			h.size = d.Size
		case imapclient.FetchItemDataInternalDate:
			h.date = d.Time
		case imapclient.FetchItemDataBodySection:
			if d.Literal == nil {
				continue
			}
			size := d.Literal.Size()
			if most := int64(s.guard.env.Limits().Reply); most >= 0 && size > most {
				err = fetch.Errorf(fetch.ErrLimit, "the header fields of a message have more than %d bytes", most)
			}
			s.guard.expect(size, err)
			if h.fields, err = io.ReadAll(d.Literal); err == nil && int64(len(h.fields)) != size {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return h, err
			}
		}
	}
	return h, nil
}

// A sectionBody reads a section while it arrives. It is the Body of a Document.
type sectionBody struct {
	s    *session
	cmd  *imapclient.FetchCommand // which ends with the section; nil if other messages follow
	in   io.Reader
	size int64
	got  int64
	err  error
	done func(reuse bool)
}

// text fetches a section of a message. It returns as soon as the first bytes can be read.
func (s *session) text(uid uint32, x section) (b *sectionBody, err error) {
	item, err := x.item()
	if err != nil {
		return nil, err
	}
	err = s.take(func() (err error) {
		s.guard.plan("UID FETCH")
		cmd := s.client.Fetch(wire.UIDSetNum(wire.UID(uid)), &wire.FetchOptions{UID: true, BodySection: []*wire.FetchItemBodySection{item}})
		s.drain = cmd.Close
		if b, err = s.findText(cmd, item); b != nil || err != nil {
			return err
		}
		err, s.drain = cmd.Close(), nil
		return err
	})
	switch {
	case fetch.KindOf(err) != "":
		return nil, err
	case err != nil:
		return nil, s.fail(err, "FETCH")
	case b == nil:
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such message in the mailbox, or no such part in the message")
	}
	return b, nil
}

func (s *session) findText(cmd *imapclient.FetchCommand, item *wire.FetchItemBodySection) (*sectionBody, error) {
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		b, _, err := s.bodyOf(m, item)
		if err != nil {
			return nil, err
		}
		if b != nil {
			b.cmd = cmd
			return b, nil
		}
	}
	return nil, nil
}

// bodyOf returns the section of a response, or nil if it has none.
func (s *session) bodyOf(m *imapclient.FetchMessageData, item *wire.FetchItemBodySection) (b *sectionBody, uid uint32, err error) {
	for d := m.Next(); d != nil; d = m.Next() {
		switch d := d.(type) {
		case imapclient.FetchItemDataUID:
			uid = uint32(d.UID)
		case imapclient.FetchItemDataBodySection:
			if d.Literal == nil {
				continue
			}
			if !d.MatchCommand(item) {
				err = fetch.Errorf(fetch.ErrProtocol, "the server sent another part than the requested one")
				s.guard.expect(d.Literal.Size(), err)
				io.Copy(io.Discard, d.Literal)
				s.drain = nil // see each
				return nil, uid, err
			}
			s.guard.expect(d.Literal.Size(), nil)
			return &sectionBody{s: s, in: d.Literal, size: d.Literal.Size(), done: func(bool) {}}, uid, nil
		}
	}
	return nil, uid, nil
}

// Read returns io.EOF only after all announced bytes and, unless other messages follow, the server's OK.
func (b *sectionBody) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	err = b.s.take(func() (err error) {
		n, err = b.in.Read(p)
		b.got += int64(n)
		switch {
		case err == io.EOF:
			err = b.confirm()
		case err != nil:
			b.s.drain = nil // see each
		}
		return err
	})
	switch {
	case err == io.EOF:
		b.done(true)
	case err != nil && fetch.KindOf(err) == "":
		err = b.s.fail(err, "FETCH")
	}
	b.err = err
	return n, err
}

// confirm reads the end of the response.
//
// QUIRK: the library's literal returns io.EOF also if the connection ends within it, so the bytes are counted.
func (b *sectionBody) confirm() error {
	if b.got < b.size {
		b.s.drain = nil
		if _, ended := b.s.guard.state(); ended != nil && ended != io.EOF {
			return ended
		}
		return fetch.Errorf(fetch.ErrTruncated, "got %d of %d bytes: %w", b.got, b.size, io.ErrUnexpectedEOF)
	}
	if b.cmd == nil {
		return io.EOF
	}
	err := b.cmd.Close()
	b.s.drain = nil
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return fetch.Errorf(fetch.ErrTransfer, "the server answers %s after the data: %s", e.Type, clip(e.Text))
	}
	if err != nil {
		return err
	}
	return io.EOF
}

// Close before the end drops the connection.
func (b *sectionBody) Close() error {
	b.done(false)
	return nil
}
