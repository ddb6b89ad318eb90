package fetch

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// A PieceWriter is a Body that can move its bytes to w within the system. WritePiece moves at most most bytes and returns how many; err is io.EOF
// at the confirmed end, as for Read. An error of w is returned unchanged.
type PieceWriter interface {
	WritePiece(w io.Writer, most int64) (n int64, err error)
}

// piece bounds how much is moved before limits and deadlines are checked again.
const piece = 4 << 20

// body wraps a handler's Body: it applies limits, masks secrets in errors, and ends the request.
type body struct {
	in   io.ReadCloser
	env  *Env
	doc  *Document
	left int64 // bytes still allowed; negative without a limit
	use  use
	err  error
	once sync.Once
}

// A use is how a Document was read. Its bytes and its entries have the same source, which can be read once.
type use int

const (
	unused use = iota
	asBytes
	asEntries
	usedUp // as entries, to their end or not
)

var errUsed = &Error{Kind: ErrLocal, Text: "the document was read before, as entries or bytes; dereference it again"}

// begin returns an error if bytes cannot be read.
func (b *body) begin() error {
	switch {
	case b.use == usedUp && b.err != errClosed:
		return errUsed
	case b.err != nil:
		return b.err
	case b.use == unused:
		b.use = asBytes
	}
	return nil
}

func (b *body) Read(p []byte) (n int, err error) {
	if err := b.begin(); err != nil {
		return 0, err
	}
	if b.left >= 0 && int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more than allowed, to recognize a document that is too long
	}
	err = b.env.contain(func() (err error) { n, err = b.in.Read(p); return err })
	n, err = b.account(n, err)
	if b.env.recording != nil && n > 0 {
		b.env.recording.Octets(p[:n])
	}
	return n, err
}

func (b *body) account(n int, err error) (int, error) {
	if b.left >= 0 && int64(n) > b.left {
		n, err = int(b.left), Errorf(ErrLimit, "the document is longer than the allowed %d bytes", b.env.client.limits.Document)
	}
	if b.left >= 0 {
		b.left -= int64(n)
	}
	if err != nil {
		b.err = b.env.finishError(err)
		b.env.noteMissing(b.doc, err)
	}
	return n, b.err
}

// WriteTo writes in pieces, so that the handler's WritePiece is used and the limits hold.
func (b *body) WriteTo(w io.Writer) (total int64, err error) {
	pw, ok := b.in.(PieceWriter)
	if !ok {
		return b.copyTo(w)
	}
	if err := b.begin(); err != nil {
		return 0, ended(err)
	}
	if b.env.recording != nil {
		w = recordingWriter{w, b.env.recording}
	}
	w = b.env.callersWriter(w)
	for b.err == nil {
		most := int64(piece)
		if b.left >= 0 {
			most = min(most, b.left+1)
		}
		var n int64
		err = b.env.contain(func() (err error) { n, err = pw.WritePiece(w, most); return err })
		if err != nil && err != io.EOF && KindOf(err) == "" && !errors.Is(err, b.env.ctx.Err()) {
			return total + n, err // the writer's own
		}
		k, _ := b.account(int(n), err)
		total += int64(k)
	}
	return total, ended(b.err)
}

func (b *body) copyTo(w io.Writer) (int64, error) {
	buf := b.env.client.buffers.Get()
	defer b.env.client.buffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{b}, buf[:])
}

func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Close ends the request. It never waits for the peer.
func (b *body) Close() error {
	b.once.Do(func() {
		if l := b.doc.made; l != nil && b.err == nil {
			b.err = l.err // its entries may have been read instead
		}
		b.env.contain(b.in.Close)
		b.env.end()
		if b.err == nil {
			b.env.endRecording(io.ErrClosedPipe)
		} else {
			b.env.endRecording(b.err)
		}
		b.err = errClosed
	})
	return nil
}

// noteMissing records in the trace how many parts of the object were missing.
func (e *Env) noteMissing(d *Document, err error) {
	if err == io.EOF && d.Missing > 0 && e.trace != nil {
		e.trace(Event{Time: now(), Dir: InWords, Note: fmt.Sprintf("%d missing, passed over", d.Missing)})
	}
}

// errClosed is the error of reading after Close.
var errClosed = &Error{Kind: ErrLocal, Text: "the document is closed", Err: io.ErrClosedPipe}
