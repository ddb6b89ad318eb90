package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// finishError makes an error of a request ready for the caller: it has a kind, is one line, and contains no secret of the request. The end of the
// caller's context takes precedence over the errors that it causes on connections.
func (e *Env) finishError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if e.callerCtx.Err() != nil && !errors.Is(err, e.callerCtx.Err()) {
		err = contextError(e.callerCtx)
	}
	secret := e.revealsSecret(err)
	if errors.Is(err, context.Canceled) { // takes precedence over any kind, because the caller has caused it
		if known, ok := err.(*Error); ok && known.Kind == ErrCanceled && !secret {
			return err
		}
		out := &Error{Kind: ErrCanceled, Text: e.secrets.MaskText(oneLine(err.Error())), Err: err}
		if secret {
			out.Err = context.Canceled
		}
		return out
	}
	fe, ok := errors.AsType[*Error](err)
	text := oneLine(err.Error())
	if ok && error(fe) == err && text == fe.Text && !secret && fe.namesPending() {
		return err
	}
	out := Error{Err: err}
	if ok {
		out = *fe
	}
	out.Kind, out.Text = kindFor(err), text
	for _, text := range [...]*string{&out.Text, &out.Hint, &out.Realm, &out.Question} {
		*text = e.secrets.MaskText(*text)
	}
	e.addPending(&out)
	if secret {
		out.Err = sentinelOf(err)
	}
	return &out
}

// finishEnd is finishError for functions that do not end with io.EOF: from them it means that the peer closed the connection too early.
func (e *Env) finishEnd(err error) error {
	if err == io.EOF {
		err = Errorf(ErrTruncated, "the connection ended too early: %w", io.ErrUnexpectedEOF)
	}
	return e.finishError(err)
}

// revealsSecret reports whether err, its other texts, or anything that it wraps contains a secret of the request.
func (e *Env) revealsSecret(err error) bool {
	text := err.Error()
	if fe, ok := err.(*Error); ok {
		text += "\n" + fe.Hint + "\n" + fe.Realm + "\n" + fe.Question
	}
	if e.secrets.MaskText(text) != text {
		return true
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		next := x.Unwrap()
		return next != nil && e.revealsSecret(next)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(x.Unwrap(), e.revealsSecret)
	}
	return false
}

// sentinelOf returns the sentinel error in the chain of err, nil if there is none. Callers may test for it even if the rest of err must not
// be shown.
func sentinelOf(err error) error {
	for _, known := range [...]error{context.DeadlineExceeded, io.ErrUnexpectedEOF, fs.ErrNotExist, fs.ErrPermission} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}

// kindFor returns the kind of an error, also of one from a library.
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
