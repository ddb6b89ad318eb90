package ftp

import (
	"fmt"
	"io"
	"time"

	"example.org/deref/fetch"
)

// body is a file or listing on its way. Its end is the end of the data connection, the server's word that all was sent, and
// the number of octets where that is known; numbers only check, they never cut.
type body struct {
	*run
	want      int64 // octets that must come, -1 unknown
	announced int64 // octets that the text of 150 speaks of, -1 unknown: fewer are too few
	limit     int64 // octets that are wanted, -1 all
	lists     bool  // it is a listing
	got       int64
	err       error
}

// expect sets what is to come of a file of size octets from offset on.
func (b *body) expect(size, offset int64, rng fetch.Range) {
	if size >= 0 {
		b.want = max(0, size-offset)
	}
	if rng.To > 0 && (size < 0 || rng.To < size) {
		b.limit = max(0, rng.To-offset)
	}
}

// Read gives io.EOF when the transfer is whole and confirmed.
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
	n, err := b.conn().Read(p)
	return b.account(n, err)
}

// WritePiece lets the connection move octets in its own way.
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
	n, err := b.conn().WritePiece(w, most)
	if err != nil && err != io.EOF && fetch.KindOf(err) == "" {
		return n, err // the writer's own
	}
	k, err := b.account(int(n), err)
	return int64(k), err
}

func (b *body) account(n int, err error) (int, error) {
	b.got += int64(n)
	switch {
	case b.want >= 0 && b.got > b.want:
		n -= int(b.got - b.want)
		err = b.close(b.surplus())
	case err == io.EOF:
		err = b.confirm(true)
	case err != nil && b.tolerable(err):
		err = b.confirm(false)
	case err != nil:
		err = b.close(err)
	}
	return max(0, n), err
}

// tolerable reports whether a missing close_notify takes nothing away: SIZE and the final reply came inside TLS, and agree.
func (b *body) tolerable(err error) bool {
	return b.s.tls && fetch.KindOf(err) == fetch.ErrTruncated && b.want >= 0 && b.got == b.want
}

// surplus is more than SIZE. Behind a REST it shows that the server has begun at the beginning.
func (b *body) surplus() error {
	if b.offset > 0 {
		return fetch.Errorf(fetch.ErrRange, "the server sends more than the %d octets from %d on: it has ignored REST", b.want, b.offset)
	}
	return fetch.Errorf(fetch.ErrTransfer, "the server sends more than the %d octets of its SIZE", b.want)
}

// confirm closes the data connection, reads the final reply, and compares the count. clean tells an orderly end of the data.
//
// QUIRK: proftpd sends 226 only after the client has closed its side; with vsftpd the other order costs 40 ms a file.
func (b *body) confirm(clean bool) error {
	whole := clean && b.isWhole()
	if whole {
		b.s.ctl.Conn.SetReadDeadline(time.Now().Add(finalPatience))
	}
	err := b.resp.Close()
	b.watched()
	if whole {
		b.s.ctl.Conn.SetReadDeadline(time.Time{})
	}
	switch least := max(b.want, b.announced); {
	case err != nil && whole && b.lostControl(err):
		b.env.Note(fmt.Sprintf("all %d bytes have arrived; the reply after them was lost with the control connection", b.got))
		err = io.EOF
	case err != nil:
		err = b.called(err, fetch.Step{Verb: atEnd})
	case b.lists && incomplete(b.s.ctl.last.text):
		err = fetch.Errorf(fetch.ErrTransfer, "the listing is not whole: %d %s", b.s.ctl.last.code, clip(b.s.ctl.last.text))
	case b.got < least:
		err = fetch.Errorf(fetch.ErrTruncated, "%d octets came of %d, although the server says that all were sent", b.got, least)
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

// isWhole reports whether as many bytes have come as the server announced in binary type, by SIZE or in 150. Behind a REST only SIZE tells:
// servers do not agree whether the number in 150 is of the file or of the rest.
func (b *body) isWhole() bool {
	least := max(b.want, b.announced)
	return !b.lists && !b.w.ascii && least >= 0 && b.got == least
}

// lostControl reports whether there is no final reply because the control connection has ended or is silent: an address translator has
// forgotten it during a long transfer. A reply, whatever it says, counts.
func (b *body) lostControl(err error) bool {
	if b.ctx.Err() != nil || b.s.ctl.broken == nil || refused(err) != nil {
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

// close ends the transfer with what remains unread; the conversation cannot go on then.
func (b *body) close(err error) error {
	b.err = err
	b.watched()
	b.s.ctl.end(fetch.Errorf(fetch.ErrLocal, "the transfer was left"))
	b.data.Close()
	b.done(false)
	return err
}

// Close leaves the transfer, if it is not over.
func (b *body) Close() error {
	if b.err == nil {
		b.close(io.ErrClosedPipe)
	}
	return nil
}
