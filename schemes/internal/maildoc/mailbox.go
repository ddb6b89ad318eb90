package maildoc

import (
	"bytes"
	"io"
	"iter"
	"net/mail"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/mailstore"
)

// MailboxType is the media type of a mailbox (RFC 4155).
const MailboxType = "application/mbox"

// Mailbox returns a document whose Body is a MailboxBody or SingleBody.
func Mailbox(body io.ReadCloser) *fetch.Document {
	d := fetch.NewDocument(body)
	d.Type, d.TypeReason, d.End = MailboxType, "the messages themselves", fetch.EndTerminated
	return d
}

// MailboxBody returns a mailbox of many messages, in the form mboxrd, without its first skip bytes. It closes each message after writing it.
// An error of one message ends it. If it is shorter, Read returns ErrChanged: those bytes came from another mailbox.
func MailboxBody(messages iter.Seq2[*fetch.Document, error], skip int64) io.ReadCloser {
	next, stop := iter.Pull2(written(messages))
	r := pieces.NewReader(func() ([]byte, error) {
		p, err, ok := next()
		n := min(skip, int64(len(p)))
		skip -= n
		switch {
		case !ok:
			err = io.ErrClosedPipe
		case err == io.EOF && skip > 0:
			err = fetch.Errorf(fetch.ErrChanged, "the mailbox is now shorter, by %d bytes, than its saved part", skip)
		}
		return p[n:], err
	})
	return fetch.NewBody(r, func() error { stop(); return nil })
}

// SingleBody returns a mailbox of one message, without its first skip bytes. Closing it closes the message.
func SingleBody(d *fetch.Document, skip int64) io.ReadCloser {
	message := d.Body
	mailbox := MailboxBody(func(yield func(*fetch.Document, error) bool) {
		message = nil // MailboxBody closes it
		yield(d, nil)
	}, skip)
	return fetch.NewBody(mailbox, func() error {
		if message != nil {
			message.Close()
		}
		return mailbox.Close()
	})
}

// written yields a mailbox in pieces, and then io.EOF.
func written(messages iter.Seq2[*fetch.Document, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var out bytes.Buffer // which returns no errors
		w, block := mailstore.NewWriter(&out), make([]byte, 32<<10)
		for d, err := range messages {
			if err != nil {
				yield(nil, err)
				return
			}
			w.Begin(sender(d), d.Modified)
			more := true
			for more && err == nil {
				var n int
				n, err = d.Body.Read(block)
				w.Write(block[:n])
				failed := err
				if err == io.EOF {
					failed = w.End()
				}
				more = yield(out.Bytes(), failed) && failed == nil
				out.Reset()
			}
			d.Body.Close()
			if !more {
				return
			}
		}
		yield(nil, io.EOF)
	}
}

// sender returns the author's address for the From line, or "".
func sender(d *fetch.Document) string {
	if a, err := mail.ParseAddress(d.Header.Get("From")); err == nil {
		return a.Address
	}
	return ""
}
