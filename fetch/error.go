package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// A Kind says what sort of thing went wrong, in the word that the command prints. It is itself an error, so that callers ask
//
//	errors.Is(err, fetch.ErrNotFound)
//
// The kinds fall into families, and a handler must not confuse them: we refuse, could not reach, the server said no,
// the peer broke the protocol.
type Kind string

// Error returns the word.
func (k Kind) Error() string { return string(k) }

const (
	// We refuse: nothing was contacted.
	ErrRefusedURL  Kind = "refused-url"  // injection, a host that begins with "-", bad grammar
	ErrRefusedPort Kind = "refused-port" // the port belongs to another service
	ErrDenied      Kind = "denied"       // the address policy forbids it
	ErrUnsupported Kind = "unsupported"  // no handler, or the handler has no such operation
	ErrInteractive Kind = "interactive"  // a session: the first screen was delivered

	// Could not reach.
	ErrDNS        Kind = "dns"        // the name has no address
	ErrConnect    Kind = "connect"    // the connection could not be established
	ErrConnection Kind = "connection" // it broke before any answer
	ErrTimeout    Kind = "timeout"    // a deadline of ours passed
	ErrTLS        Kind = "tls"        // certificate, handshake, or TLS demanded and not to be had

	// The server said no.
	ErrAuth        Kind = "auth"        // it wants other credentials
	ErrNotFound    Kind = "notfound"    // it has no such object
	ErrRefused     Kind = "refused"     // it forbids the object
	ErrUnavailable Kind = "unavailable" // not now

	// The peer broke the protocol, or the transfer.
	ErrProtocol  Kind = "protocol"  // the reply is not the protocol's
	ErrTruncated Kind = "truncated" // it broke after data had come
	ErrTransfer  Kind = "transfer"  // the server itself reported failure after data began
	ErrDecode    Kind = "decode"    // a coding that was asked for does not decode

	// Our limits and wishes.
	ErrLimit    Kind = "limit"    // a bound of Limits was passed
	ErrRedirect Kind = "redirect" // a referral that may not be followed, a loop, too many
	ErrRange    Kind = "range"    // the protocol or the server cannot give that part
	ErrChanged  Kind = "changed"  // the object is no longer the one that IfSame names

	// The caller.
	ErrCanceled Kind = "interrupted" // the context was canceled

	// This machine.
	ErrLocal Kind = "local" // a file, device or setting here
	ErrDisk  Kind = "disk"  // writing failed
)

// Error is what every function of this package returns when dereferencing fails. Its text holds no secret: passwords of the
// request are blanked by the Client, whoever wrote them into the text.
//
// context.Canceled and context.DeadlineExceeded stay visible to errors.Is.
type Error struct {
	Kind Kind
	Text string // one line, lower case, no full stop; may quote the peer, so filter it before showing it on a terminal
	Hint string // what the user can do about it, "" where nothing helps
	Err  error  // the cause, or nil

	// Status is the code of the server's answer, as in Document; 0 where there was none or it is not known.
	Status int

	// Gone: the server said, in words or by a code that mean nothing else, that it has no object of exactly this URI (HTTP 404 and 410;
	// 550 and "No such file"). An ErrNotFound without it may be a lack of permission, and one behind a referral is about another URI.
	Gone bool

	// Busy: the server serves no further request of ours for now, whatever it is for (FTP 421, HTTP 429). An ErrUnavailable without it may be
	// about the document alone.
	Busy bool

	// After is how long the server asks to be left alone before it is asked again, 0 where it does not say.
	After time.Duration
}

// Errorf makes an *Error of the given kind. An operand wrapped with %w becomes its cause.
func Errorf(k Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Text: err.Error(), Err: errors.Unwrap(err)}
}

// Error returns the text alone; the kind's word is left to whoever prints it.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's Kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Timeout reports whether a deadline passed, for libraries that ask a net.Error.
func (e *Error) Timeout() bool { return e.Kind == ErrTimeout }

// Temporary completes net.Error; nothing here is worth trying again at once.
func (e *Error) Temporary() bool { return false }

// KindOf returns the kind of err, "" when it has none: nil, io.EOF at the end of a Body, and what no Client returned. The kind nearest to the caller wins.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if k, ok := errors.AsType[Kind](err); ok {
		return k
	}
	return ""
}

// IsGone reports whether err is the server's word that it has no object of exactly the URI that was dereferenced.
func IsGone(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Gone && e.Kind == ErrNotFound
}

// notGone takes Error.Gone from err: what was said of another URI.
func notGone(err error) error {
	if !IsGone(err) {
		return err
	}
	e, _ := errors.AsType[*Error](err)
	c := *e
	c.Gone = false
	return &c
}

// transportError gives the kind that an error of a socket has by itself. before says whether any octet of an answer had come:
// a connection that breaks before is "connection", after it "truncated".
func transportError(err error, answered bool) error {
	if err == nil || err == io.EOF || KindOf(err) != "" || errors.Is(err, context.Canceled) {
		return err
	}
	if isTimeout(err) {
		return Errorf(ErrTimeout, "the peer did not answer in time: %w", err)
	}
	if answered {
		return Errorf(ErrTruncated, "the connection broke: %w", err)
	}
	return Errorf(ErrConnection, "the connection broke before an answer: %w", err)
}

func isTimeout(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	ne, ok := errors.AsType[net.Error](err)
	return ok && ne.Timeout()
}

// oneLine keeps an error text to one line of bounded length, since much of it may come from the peer.
func oneLine(s string) string {
	const most = 500
	if len(s) > most {
		s = s[:most] + "..."
	}
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' }), " ")
}
