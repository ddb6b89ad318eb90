package maildoc

import (
	"bytes"
	"io"
	"iter"
	"net/mail"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
)

// MailboxType is the media type of a mailbox (RFC 4155).
const MailboxType = "application/mbox"

// Mailbox returns one document of many messages, in the form mboxrd. It closes each message after writing it. An error of one message
// ends the document.
func Mailbox(messages iter.Seq2[*fetch.Document, error]) *fetch.Document {
	d := fetch.NewDocument(MailboxBody(messages, 0))
	d.Type, d.TypeReason, d.End = MailboxType, "the messages themselves", fetch.EndTerminated
	return d
}

// MailboxBody returns the Body of such a document without its first skip bytes. If it is shorter, Read returns ErrChanged: those bytes
// came from another mailbox.
func MailboxBody(messages iter.Seq2[*fetch.Document, error], skip int64) io.ReadCloser {
	return &mailbox{next: messages, skip: skip}
}

// mailbox is the Body of a mailbox.
type mailbox struct {
	next iter.Seq2[*fetch.Document, error]
	pull func() (*fetch.Document, error, bool)
	stop func()
	now  *fetch.Document // the current message
	out  bytes.Buffer
	w    *mailstore.Writer
	skip int64 // bytes that are not returned
	err  error
}

func (m *mailbox) Read(p []byte) (int, error) {
	for m.out.Len() == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.err = m.step()
		n := min(m.skip, int64(m.out.Len()))
		m.out.Next(int(n))
		m.skip -= n
		if m.err == io.EOF && m.skip > 0 {
			m.err = fetch.Errorf(fetch.ErrChanged, "the mailbox is now shorter, by %d bytes, than its saved part", m.skip)
		}
	}
	return m.out.Read(p)
}

// step writes a piece.
func (m *mailbox) step() error {
	switch {
	case m.pull == nil:
		m.pull, m.stop = iter.Pull2(m.next)
		m.w = mailstore.NewWriter(&m.out)
		return nil
	case m.now == nil:
		return m.begin()
	}
	n, err := io.CopyN(m.w, m.now.Body, 32<<10)
	if err == nil || n > 0 && err == io.EOF {
		return nil
	}
	if err != io.EOF {
		return err
	}
	m.now.Body.Close()
	m.now = nil
	return m.w.End()
}

func (m *mailbox) begin() error {
	d, err, ok := m.pull()
	switch {
	case !ok:
		return io.EOF
	case err != nil:
		return err
	}
	m.now = d
	return m.w.Begin(sender(d), d.Modified)
}

// sender returns the author's address for the From line, or "".
func sender(d *fetch.Document) string {
	if a, err := mail.ParseAddress(d.Header.Get("From")); err == nil {
		return a.Address
	}
	return ""
}

// Close closes the current message and abandons the others.
func (m *mailbox) Close() error {
	if m.now != nil {
		m.now.Body.Close()
		m.now = nil
	}
	if m.stop != nil {
		m.stop()
	}
	if m.err == nil {
		m.err = io.ErrClosedPipe
	}
	return nil
}
