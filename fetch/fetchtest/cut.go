package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"example.org/deref/fetch"
)

// checkCut: the server closes the connection after each byte. The result is an error of the right kind, never a short document that looks
// complete. Only if the protocol marks the end by nothing but the close (fetch.EndClosed, not over TLS) may a document be short. A document of
// declared length may be complete before the server's last byte.
func checkCut(x *subject) error {
	return x.eachPlace(func(n int) error {
		err := x.cutAt(n, false)
		if n%7 == 0 {
			err = errors.Join(err, x.cutAt(n, true))
		}
		return err
	})
}

func (x *subject) cutAt(n int, reset bool) error {
	a := x.attempt()
	a.faults.CutAfter, a.faults.Reset = n, reset
	r, err := a.run()
	if err == nil {
		err = x.cutResult(r, n, reset)
	}
	if err != nil {
		how := "closes"
		if reset {
			how = "resets"
		}
		return fmt.Errorf("the server %s the connection after %d of %d bytes: %w", how, n, x.script.Bytes(), err)
	}
	return nil
}

func (x *subject) cutResult(r *result, n int, reset bool) error {
	switch {
	case r.play != nil:
		return fmt.Errorf("the client sends other bytes: %w", r.play)
	case r.err != nil && n >= x.script.Needed() && !reset && x.Err == "":
		return fmt.Errorf("the document is complete, but reading it returns: %w", r.err)
	case r.err != nil:
		return x.cutError(r.err)
	case n == 0 && len(x.base.body) > 0 && len(r.body) == 0 && len(r.doc.Referrals) == 0:
		return errors.New("got an empty document without an error: call Conn.BeginReply before BeginBody; a close without a byte is then ErrConnection")
	case x.mayBeShort(r, reset):
		return nil
	case x.Err != "":
		return fmt.Errorf("got the document %q, want an error of kind %s", r.body, x.Err)
	case n >= x.script.Needed():
		return sameBody(x.base.body, r.body)
	case x.isDeclared(r):
		return nil
	}
	return x.short(r)
}

// short is the error for a document that ends early, and without an error.
func (x *subject) short(r *result) error {
	do := "return one if the connection ends before the document"
	if r.doc.End != fetch.EndClosed && x.closes() {
		do += fmt.Sprintf(", or, if only the close marks its end, set Document.End to EndClosed (it is %q)", r.doc.End)
	}
	return fmt.Errorf("got %d of %d bytes without an error: %s", len(r.body), len(x.base.body), do)
}

// mayBeShort reports whether r may be a short document because only the close marks its end. (Without the end marker of the complete
// document, such as its terminator, it may have been read in another way.)
func (x *subject) mayBeShort(r *result, reset bool) bool {
	if r.doc == nil || r.doc.End != fetch.EndClosed || reset || x.script.Secure() {
		return false
	}
	return x.base.doc == nil || x.base.doc.End != fetch.EndClosed || bytes.HasPrefix(x.base.body, r.body)
}

// isDeclared reports whether r is the complete document although the server's last bytes are missing: all bytes of its declared length have
// arrived. FTP has a reply after the document, which is lost with the control connection of a long transfer. The handler must note that in the
// trace, by Env.Note; a handler that does not read the reply at all is not meant.
func (x *subject) isDeclared(r *result) bool {
	return r.noted.Load() && r.err == nil && r.doc != nil && r.doc.End == fetch.EndDeclared && r.doc.Size-r.doc.Offset == int64(len(r.body)) &&
		x.base.err == nil && bytes.Equal(x.base.body, r.body)
}

func sameBody(want, got []byte) error {
	if !bytes.Equal(want, got) {
		return fmt.Errorf("the document is complete, but its body is %q, want %q", got, want)
	}
	return nil
}

// cutError returns nil if err is of a kind that a broken connection may have.
func (x *subject) cutError(err error) error {
	k := fetch.KindOf(err)
	switch {
	case x.Err != "" && errors.Is(err, x.Err):
		return nil
	case k == fetch.ErrConnection, k == fetch.ErrTruncated, k == fetch.ErrTransfer, k == fetch.ErrConnect, k == fetch.ErrTLS && x.script.Secure():
		return nil
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the end of the connection is returned as %w: return io.ErrUnexpectedEOF if more is due", err)
	}
	return fmt.Errorf("the error has kind %q, want connection, truncated, transfer or connect: %w", k, err)
}
