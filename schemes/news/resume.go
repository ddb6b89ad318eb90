package news

import (
	"bytes"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/mailstore"
)

// A mark is an article with which a mailbox that is there can be gone on: its number, and where it begins in the mailbox.
type resumePoint struct{ number, at int64 }

// resumption looks for the last article of the mailbox that is there which begins before what is wanted of it. All that comes from the
// server from there on is compared with what is there by whoever resumes, as far as it is there: a wrong number would be noticed.
func (r *run) resumePoint(g group) (m resumePoint, ok bool, err error) {
	have, from, same := r.plan.Options.Have, r.plan.Options.Range.From, r.plan.Options.IfSame
	if have == nil || from <= 0 || !same.IsZero() && !strings.HasPrefix(same.Tag, tagOf(g)) {
		return m, false, nil
	}
	at, ok, err := mailstore.Before(have, from)
	if err != nil {
		return m, false, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if !ok {
		return m, false, nil
	}
	h, err := r.headAt(have, at)
	if err != nil {
		return m, false, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	m.at = at
	m.number, err = r.numberOf(g, h)
	return m, m.number >= max(1, g.low) && m.number <= g.high, err
}

// headAt reads the header of a message in a mailbox, behind the line that begins it.
func (r *run) headAt(have io.ReaderAt, at int64) (mimemail.Header, error) {
	most := int64(r.env.Limits().Reply)
	if most <= 0 {
		most = wholeBuffer
	}
	p, err := io.ReadAll(io.NewSectionReader(have, at, min(most, wholeBuffer)))
	_, p, _ = bytes.Cut(p, []byte("\n"))
	return mimemail.ParseHeader(p), err
}

// numberOf is an article's number in a group, by its Xref or by its message-id; 0 where the group does not have it.
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
