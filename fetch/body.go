package fetch

import (
	"fmt"
	"io"
	"sync"
)

// A PieceWriter is a Body that can move its octets to w without copying them where the system can. WritePiece moves at most most
// octets and returns how many; err is io.EOF at the confirmed end, as for Read. An error of w comes back as w gave it.
type PieceWriter interface {
	WritePiece(w io.Writer, most int64) (n int64, err error)
}

// piece bounds how much is moved before limits and deadlines are looked at again.
const piece = 4 << 20

// body is the Client's wrapper around a handler's Body: limits, errors without secrets, and the end of the request.
type body struct {
	in   io.ReadCloser
	env  *Env
	doc  *Document
	stop func() bool
	left int64 // octets still allowed, negative for no limit
	use  use
	err  error
	once sync.Once
}

// A use is how a Document was used. Its octets and its entries come from the same source, which can be read once.
type use int

const (
	unused use = iota
	asOctets
	asEntries
	usedUp // as entries, which came to their end or were left
)

var errUsed = &Error{Kind: ErrLocal, Text: "the document was read before, as entries or octets: it must be dereferenced again"}

// begin reports whether octets may be read.
func (b *body) begin() error {
	switch {
	case b.use == usedUp && b.err != errClosed:
		return errUsed
	case b.err != nil:
		return b.err
	case b.use == unused:
		b.use = asOctets
	}
	return nil
}

func (b *body) Read(p []byte) (n int, err error) {
	if err := b.begin(); err != nil {
		return 0, err
	}
	if b.left >= 0 && int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more than allowed tells a document that is too long from one that just fits
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
		n, err = int(b.left), Errorf(ErrLimit, "the document has more than the %d octets allowed", b.env.client.limits.Document)
	}
	if b.left >= 0 {
		b.left -= int64(n)
	}
	if err != nil {
		b.err = b.env.fix(err)
		b.env.tellGaps(b.doc, err)
	}
	return n, b.err
}

// WriteTo copies in pieces, so that the handler's own way of moving octets is used and the limits hold all the same.
func (b *body) WriteTo(w io.Writer) (total int64, err error) {
	pw, ok := b.in.(PieceWriter)
	if !ok {
		return b.copyTo(w)
	}
	if err := b.begin(); err != nil {
		return 0, ended(err)
	}
	if b.env.recording != nil {
		w = teller{w, b.env.recording}
	}
	w = b.env.theirs(w)
	for b.err == nil {
		most := int64(piece)
		if b.left >= 0 {
			most = min(most, b.left+1)
		}
		var n int64
		err = b.env.contain(func() (err error) { n, err = pw.WritePiece(w, most); return err })
		if err != nil && err != io.EOF && KindOf(err) == "" {
			return total + n, err // the writer's own
		}
		k, _ := b.account(int(n), err)
		total += int64(k)
	}
	return total, ended(b.err)
}

func (b *body) copyTo(w io.Writer) (total int64, err error) {
	buf := b.env.client.buffers.Get()
	defer b.env.client.buffers.Put(buf)
	for {
		n, err := b.Read(buf[:])
		if n > 0 {
			m, werr := w.Write(buf[:n])
			total += int64(m)
			if werr != nil {
				return total, werr
			}
		}
		if err != nil {
			return total, ended(err)
		}
	}
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
		b.stop()
		if l := b.doc.made; l != nil && b.err == nil {
			b.err = l.err // its entries may have been read instead
		}
		b.env.contain(b.in.Close)
		b.env.end()
		if b.err == nil {
			b.env.ended(io.ErrClosedPipe)
		} else {
			b.env.ended(b.err)
		}
		b.err = errClosed
	})
	return nil
}

// tellGaps says in the trace how much was missing from what came to its end.
func (e *Env) tellGaps(d *Document, err error) {
	if err == io.EOF && d.Missing > 0 && e.trace != nil {
		e.trace(Event{Time: now(), Dir: InWords, Note: fmt.Sprintf("%d missing, passed over", d.Missing)})
	}
}

// errClosed is what reading meets after Close.
var errClosed = &Error{Kind: ErrLocal, Text: "the document is closed", Err: io.ErrClosedPipe}
