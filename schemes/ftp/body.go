package ftp

import (
	"fmt"
	"io"
	"time"

	"example.org/deref/fetch"
)

// body is a file or listing that is being transferred. It is complete if the data connection has ended, the server has confirmed the
// transfer, and the number of bytes is right where it is known. A known size never cuts the body.
type body struct {
	*retrieval
	want      int64 // expected bytes, -1 if unknown
	announced int64 // bytes according to the text of 150, -1 unknown: fewer are too few
	limit     int64 // bytes that are wanted, -1 all
	lists     bool  // it is a listing
	got       int64
	err       error
}

// expect sets the counts for a file of size bytes from offset on.
func (b *body) expect(size, offset int64, rng fetch.Range) {
	if size >= 0 {
		b.want = max(0, size-offset)
	}
	if rng.To > 0 && (size < 0 || rng.To < size) {
		b.limit = max(0, rng.To-offset)
	}
}

// Read returns io.EOF if the transfer is complete and confirmed.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.limit >= 0 {
		p = p[:min(int64(len(p)), b.limit-b.got)]
	}
	if len(p) == 0 && b.limit == b.got {
		return 0, b.close(io.EOF)
	}
	n, err := b.conn.Read(p)
	return b.count(n, err)
}

// WritePiece uses the connection's WritePiece.
func (b *body) WritePiece(w io.Writer, most int64) (int64, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.limit >= 0 {
		most = min(most, b.limit-b.got)
	}
	if most == 0 {
		return 0, b.close(io.EOF)
	}
	n, err := b.conn.WritePiece(w, most)
	if err != nil && err != io.EOF && fetch.KindOf(err) == "" {
		return n, err // the writer's own
	}
	k, err := b.count(int(n), err)
	return int64(k), err
}

func (b *body) count(n int, err error) (int, error) {
	b.got += int64(n)
	switch {
	case b.want >= 0 && b.got > b.want:
		n -= int(b.got - b.want)
		err = b.close(b.surplus())
	case err == io.EOF:
		err = b.confirm(true)
	case err != nil && b.tolerable(err):
		b.env.Deviates("RFC 8446 section 6.1", "the end of the data connection", "no close_notify")
		err = b.confirm(false)
	case err != nil:
		err = b.close(err)
	}
	return max(0, n), err
}

// tolerable reports whether a missing close_notify is harmless because the length agrees with SIZE, which was received inside TLS.
func (b *body) tolerable(err error) bool {
	return b.s.tls && fetch.KindOf(err) == fetch.ErrTruncated && b.want >= 0 && b.got == b.want
}

// surplus returns the error for more bytes than SIZE. After a REST they show that the server has begun at the beginning.
func (b *body) surplus() error {
	switch {
	case b.isListed():
		return fetch.Errorf(fetch.ErrChanged, "got more than the %d bytes of the listing", b.want)
	case b.offset > 0:
		return fetch.Errorf(fetch.ErrRange, "got more than %d bytes from offset %d: the server has ignored REST", b.want, b.offset)
	}
	return fetch.Errorf(fetch.ErrTransfer, "got more than the %d bytes of SIZE", b.want)
}

// confirm closes the data connection, reads the final reply, and compares the count. clean reports that the data ended in order.
//
// QUIRK: proftpd sends 226 only after the client has closed its side; with vsftpd the other order costs 40 ms a file.
func (b *body) confirm(clean bool) error {
	whole := clean && b.isWhole()
	if whole {
		b.s.ctl.Conn.SetReadDeadline(time.Now().Add(finalPatience))
	}
	b.closeData()
	final, err := b.s.ctl.completion()
	b.stopWatch()
	if whole {
		b.s.ctl.Conn.SetReadDeadline(time.Time{})
	}
	switch least := max(b.want, b.announced); {
	case err != nil && whole && b.lostControl():
		b.env.Note(fmt.Sprintf("all %d bytes have arrived; the reply after them was lost with the control connection", b.got))
		err = io.EOF
	case err != nil:
	case final.class() >= 4:
		err = fail(&refusal{fetch.Step{Verb: atEnd}, final})
	case b.lists && incomplete(final.text):
		b.env.Deviates("RFC 959 section 4.2.2", "the reply after the transfer", "%d for an incomplete listing", final.code)
		err = fetch.Errorf(fetch.ErrTransfer, "incomplete listing: %d %s", final.code, clip(final.text))
	case b.got < least && b.isListed():
		err = fetch.Errorf(fetch.ErrChanged, "got %d of the %d bytes of the listing", b.got, b.want)
	case b.got < least:
		err = fetch.Errorf(fetch.ErrTruncated, "got %d of %d bytes, although the server confirms that all were sent", b.got, least)
	default:
		err = io.EOF
	}
	b.err = err
	if err == io.EOF {
		b.finish()
	} else {
		b.done(false)
	}
	return err
}

// isWhole reports whether the number of bytes received is the one the server announced in binary type, by SIZE or in 150. After a REST only
// SIZE counts: servers do not agree whether the number in 150 is of the file or of the rest.
func (b *body) isWhole() bool {
	least := max(b.want, b.announced)
	return !b.lists && !b.req.ascii && least >= 0 && b.got == least && !b.isListed()
}

// isListed reports whether the expected size is that of a listing, which is older than the transfer.
func (b *body) isListed() bool { return b.req.listed.size >= 0 }

// lostControl reports whether there is no final reply because the control connection has ended or is silent: an address translator has
// forgotten it during a long transfer. Any reply counts.
func (b *body) lostControl() bool {
	if b.ctx.Err() != nil {
		return false
	}
	switch fetch.KindOf(b.s.ctl.broken) {
	case fetch.ErrConnection, fetch.ErrTruncated, fetch.ErrTimeout:
		return true
	}
	return false
}

// finalPatience is how long the final reply may take once all bytes are there.
const finalPatience = 20 * time.Second

// close ends the transfer before its end. The conversation cannot continue after that.
func (b *body) close(err error) error {
	b.err = err
	b.s.ctl.end(fetch.Errorf(fetch.ErrLocal, "the transfer was abandoned"))
	b.closeData()
	b.stopWatch()
	b.done(false)
	return err
}

// Close abandons the transfer if it is not over.
func (b *body) Close() error {
	if b.err == nil {
		b.close(io.ErrClosedPipe)
	}
	return nil
}
