package mail

import (
	"errors"
	"io"
	"iter"
	"time"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"example.org/deref/fetch"
)

// A head is what a listing shows of a message.
type head struct {
	uid    uint32
	size   int64
	date   time.Time
	fields []byte // header fields as they stand
}

// heads fetches them; no uids are all messages.
func (s *session) heads(uids []uint32) iter.Seq2[head, error] {
	return func(yield func(head, error) bool) {
		all := uids == nil
		for all || len(uids) > 0 {
			set := wire.UIDSet{wire.UIDRange{Start: 1}}
			if !all {
				n := min(len(uids), maxPerFetch)
				set = wire.UIDSet{}
				for _, u := range uids[:n] {
					set.AddNum(wire.UID(u))
				}
				uids = uids[n:]
			}
			if !s.headsOf(set, yield) || all {
				return
			}
		}
	}
}

// maxPerFetch keeps a command within what servers take for a line (RFC 7162 section 4: 8192 octets).
const maxPerFetch = 500

func (s *session) headsOf(set wire.UIDSet, yield func(head, error) bool) bool {
	var cmd *imapclient.FetchCommand
	err := s.take(func() error {
		s.guard.grant(0)
		cmd = s.client.Fetch(set, &wire.FetchOptions{UID: true, InternalDate: true, RFC822Size: true,
			BodySection: []*wire.FetchItemBodySection{{Specifier: wire.PartSpecifierHeader, HeaderFields: headFields(), Peek: true}}})
		s.drain = cmd.Close
		return nil
	})
	return each(s, err, "FETCH", yield, func() (h head, more bool, err error) {
		m := cmd.Next()
		if m == nil {
			return h, false, nil
		}
		h, err = readHead(m)
		return h, true, err
	})
}

func readHead(m *imapclient.FetchMessageData) (h head, err error) {
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
			if h.fields, err = io.ReadAll(d.Literal); err == nil && int64(len(h.fields)) != d.Literal.Size() {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return h, err
			}
		}
	}
	return h, nil
}

// A text is the octets of a section while they come: the Body of a Document.
type text struct {
	s    *session
	cmd  *imapclient.FetchCommand
	in   io.Reader
	size int64
	got  int64
	err  error
	done func(reuse bool)
}

// text fetches a section of a message. It returns when the octets begin.
func (s *session) text(uid uint32, x part) (t *text, err error) {
	item, err := x.item()
	if err != nil {
		return nil, err
	}
	err = s.take(func() (err error) {
		s.guard.grant(1)
		cmd := s.client.Fetch(wire.UIDSetNum(wire.UID(uid)), &wire.FetchOptions{UID: true, BodySection: []*wire.FetchItemBodySection{item}})
		s.drain = cmd.Close
		if t, err = s.findText(cmd, item); t != nil || err != nil {
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
	case t == nil:
		return nil, fetch.Errorf(fetch.ErrNotFound, "the folder has no such message, or the message no such part")
	}
	return t, nil
}

func (s *session) findText(cmd *imapclient.FetchCommand, item *wire.FetchItemBodySection) (*text, error) {
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		for d := m.Next(); d != nil; d = m.Next() {
			b, ok := d.(imapclient.FetchItemDataBodySection)
			if !ok || b.Literal == nil {
				continue
			}
			if !b.MatchCommand(item) {
				return nil, fetch.Errorf(fetch.ErrProtocol, "the server sent another part than the one asked for")
			}
			return &text{s: s, cmd: cmd, in: b.Literal, size: b.Literal.Size()}, nil
		}
	}
	return nil, nil
}

// Read gives io.EOF only when as many octets have come as were announced, and the server has said OK.
func (t *text) Read(p []byte) (n int, err error) {
	if t.err != nil {
		return 0, t.err
	}
	err = t.s.take(func() (err error) {
		n, err = t.in.Read(p)
		t.got += int64(n)
		switch {
		case err == io.EOF:
			err = t.confirm()
		case err != nil:
			t.s.drain = nil // see each
		}
		return err
	})
	switch {
	case err == io.EOF:
		t.done(true)
	case err != nil && fetch.KindOf(err) == "":
		err = t.s.fail(err, "FETCH")
	}
	t.err = err
	return n, err
}

// confirm ends the transfer.
//
// QUIRK: the library's literal ends with io.EOF also where the connection does, so the octets are counted.
func (t *text) confirm() error {
	if t.got < t.size {
		t.s.drain = nil
		if _, ended := t.s.guard.state(); ended != nil && ended != io.EOF {
			return ended
		}
		return fetch.Errorf(fetch.ErrTruncated, "%d of %d octets came: %w", t.got, t.size, io.ErrUnexpectedEOF)
	}
	err := t.cmd.Close()
	t.s.drain = nil
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return fetch.Errorf(fetch.ErrTransfer, "the server answers %s after the data: %s", e.Type, clip(e.Text))
	}
	if err != nil {
		return err
	}
	return io.EOF
}

// Close before the end drops the connection.
func (t *text) Close() error {
	t.done(false)
	return nil
}
