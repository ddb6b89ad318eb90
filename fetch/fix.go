package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
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
	told := e.tells(err)
	if errors.Is(err, context.Canceled) { // outranks any kind: the caller's own doing
		if known, ok := err.(*Error); ok && known.Kind == ErrCanceled && !told {
			return err
		}
		out := &Error{Kind: ErrCanceled, Text: e.secrets.MaskText(oneLine(err.Error())), Err: err}
		if told {
			out.Err = context.Canceled
		}
		return out
	}
	fe, ok := errors.AsType[*Error](err)
	text := oneLine(err.Error())
	if ok && error(fe) == err && text == fe.Text && !told {
		return err
	}
	out := &Error{Kind: kindFor(err), Text: e.secrets.MaskText(text), Err: err}
	if ok {
		out.Hint, out.Err, out.After, out.Status, out.Gone = e.secrets.MaskText(fe.Hint), fe.Err, fe.After, fe.Status, fe.Gone
	}
	if told {
		out.Err = sentinelOf(err)
	}
	return out
}

// fixEnd is fix for what does not end with io.EOF: there it means that the peer closed the connection too early.
func (e *Env) fixEnd(err error) error {
	if err == io.EOF {
		err = Errorf(ErrTruncated, "the connection ended too early: %w", io.ErrUnexpectedEOF)
	}
	return e.fix(err)
}

// tells reports whether err, its hint, or anything that it wraps holds a secret of the request.
func (e *Env) tells(err error) bool {
	text := err.Error()
	if fe, ok := err.(*Error); ok {
		text += "\n" + fe.Hint
	}
	if e.secrets.MaskText(text) != text {
		return true
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		next := x.Unwrap()
		return next != nil && e.tells(next)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(x.Unwrap(), e.tells)
	}
	return false
}

// sentinelOf is what callers ask of a cause that cannot be shown.
func sentinelOf(err error) error {
	for _, known := range [...]error{context.DeadlineExceeded, io.ErrUnexpectedEOF, fs.ErrNotExist, fs.ErrPermission} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
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
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return ErrTruncated
	}
	return ErrProtocol
}
