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
		fields := &wire.FetchItemBodySection{Specifier: wire.PartSpecifierHeader, HeaderFields: headFields(), Peek: true}
		cmd = s.fetch(set, fields, wire.FetchOptions{InternalDate: true, RFC822Size: true})
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

func wholeMessage() *wire.FetchItemBodySection { return &wire.FetchItemBodySection{Peek: true} }

// fetch sends the command for one section of messages, and for other items.
func (s *session) fetch(set wire.UIDSet, item *wire.FetchItemBodySection, o wire.FetchOptions) *imapclient.FetchCommand {
	s.guard.plan("UID FETCH")
	o.UID, o.BodySection = true, []*wire.FetchItemBodySection{item}
	cmd := s.client.Fetch(set, &o)
	s.drain = cmd.Close
	return cmd
}

// bodies fetches whole messages with one command, and yields each while it arrives. The caller must have read a message before it takes the
// next. It skips those that do not exist. It reports whether more commands may follow.
func (s *session) bodies(uids []uint32, yield func(*sectionBody, error) bool) bool {
	var cmd *imapclient.FetchCommand
	item := wholeMessage()
	err := s.take(func() error {
		cmd = s.fetch(setOf(uids), item, wire.FetchOptions{})
		return nil
	})
	return each(s, err, "FETCH", yield, func() (b *sectionBody, more bool, err error) {
		for b == nil && err == nil {
			s.guard.renew()
			m := cmd.Next()
			if m == nil {
				return nil, false, nil
			}
			b, err = s.bodyOf(m, item)
		}
		return b, true, err
	})
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
func (s *session) text(uid uint32, item *wire.FetchItemBodySection) (b *sectionBody, err error) {
	err = s.take(func() (err error) {
		cmd := s.fetch(wire.UIDSetNum(wire.UID(uid)), item, wire.FetchOptions{})
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
		b, err := s.bodyOf(m, item)
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
func (s *session) bodyOf(m *imapclient.FetchMessageData, item *wire.FetchItemBodySection) (*sectionBody, error) {
	for next := m.Next(); next != nil; next = m.Next() {
		d, ok := next.(imapclient.FetchItemDataBodySection)
		if !ok || d.Literal == nil {
			continue
		}
		if !d.MatchCommand(item) {
			err := fetch.Errorf(fetch.ErrProtocol, "the server sent another part than the requested one")
			s.guard.expect(d.Literal.Size(), err)
			io.Copy(io.Discard, d.Literal)
			s.drain = nil // see each
			return nil, err
		}
		s.guard.expect(d.Literal.Size(), nil)
		return &sectionBody{s: s, in: d.Literal, size: d.Literal.Size(), done: func(bool) {}}, nil
	}
	return nil, nil
}

// document returns a document of the whole message.
func (b *sectionBody) document() *fetch.Document {
	d := fetch.NewDocument(b)
	d.End, d.Size = fetch.EndDeclared, b.size
	return d
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
