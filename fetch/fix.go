package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// fix is the last thing that happens to an error of a request: it gets a kind if it has none, becomes one line, and loses every
// secret of the request. The end of the caller's context outranks what it made of the connections.
func (e *Env) fix(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if e.outer.Err() != nil && !errors.Is(err, e.outer.Err()) {
		err = contextError(e.outer)
	}
	if errors.Is(err, context.Canceled) {
		return err // the caller's own, and no failure of a kind
	}
	fe, ok := errors.AsType[*Error](err)
	text := oneLine(err.Error())
	masked := e.secrets.maskString(text)
	if ok && error(fe) == err && masked == fe.Text {
		return err
	}
	out := &Error{Kind: kindFor(err), Text: masked, Err: err}
	if ok {
		out.Hint, out.Err, out.After, out.Status = fe.Hint, fe.Err, fe.After, fe.Status
	}
	if masked != text {
		out.Err = nil
	}
	return out
}

// kindFor gives a kind to errors that come from libraries without one.
func kindFor(err error) Kind {
	if k := KindOf(err); k != "" {
		return k
	}
	if k := KindOf(transportError(err, false)); k != "" && k != ErrConnection {
		return k
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return ErrLocal
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return ErrProtocol
}
