package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"example.org/deref/fetch/charset"
	"example.org/deref/uri/markup"
)

// A Kind is a class of errors, in one word. It is itself an error, so that callers can write
//
//	errors.Is(err, fetch.ErrNotFound)
//
// The kinds form families, which a handler must not confuse: refused here, not reached, refused by the server, protocol violated.
type Kind string

// Error returns the word.
func (k Kind) Error() string { return string(k) }

const (
	// Refused here: nothing was contacted.
	ErrRefusedURL  Kind = "refused-url"  // injection, a host that begins with "-", bad grammar
	ErrRefusedPort Kind = "refused-port" // the port belongs to another service
	ErrDenied      Kind = "denied"       // the address policy forbids it
	ErrUnsupported Kind = "unsupported"  // no handler, or no such operation
	ErrInteractive Kind = "interactive"  // a session: the first screen was delivered

	// Not reached.
	ErrDNS        Kind = "dns"        // the name has no address
	ErrConnect    Kind = "connect"    // the connection could not be established
	ErrConnection Kind = "connection" // the connection broke before any answer
	ErrTimeout    Kind = "timeout"    // a deadline of the Client has passed
	ErrTLS        Kind = "tls"        // certificate, handshake, or TLS required and not available

	// Refused by the server.
	ErrAuth        Kind = "auth"        // it requires other credentials
	ErrNotFound    Kind = "notfound"    // there is no such object
	ErrRefused     Kind = "refused"     // access to the object is forbidden
	ErrUnavailable Kind = "unavailable" // not now

	// Protocol violated, or transfer broken.
	ErrProtocol  Kind = "protocol"  // a malformed or unexpected reply
	ErrTruncated Kind = "truncated" // the connection broke after data had arrived
	ErrTransfer  Kind = "transfer"  // the server reported a failure after data had begun
	ErrDecode    Kind = "decode"    // a content coding does not decode

	// Limits and options.
	ErrLimit    Kind = "limit"    // a bound of Limits was exceeded
	ErrRedirect Kind = "redirect" // a referral that must not be followed, a loop, too many
	ErrRange    Kind = "range"    // the protocol or the server cannot return that part
	ErrChanged  Kind = "changed"  // the object is no longer in the state that IfSame or Listed names

	// The caller.
	ErrCanceled Kind = "interrupted" // the context was canceled

	// This machine.
	ErrLocal Kind = "local" // a file, device or setting here
	ErrDisk  Kind = "disk"  // writing failed
)

// Error is the error of every function of this package when dereferencing fails. Its text contains no secret: the Client masks the passwords
// of the request, whoever wrote them into the text.
//
// context.Canceled and context.DeadlineExceeded are visible to errors.Is.
type Error struct {
	Kind Kind
	Text string // one line, lower case, no full stop; it may quote the peer, so filter it before writing it to a terminal
	Hint string // advice to the user: a sentence, or the name of a field to set (package hint); "" if unknown
	Err  error  // the cause, or nil

	// Status is the code of the server's response, as in Document; 0 if there was none.
	Status int

	// Gone is set if the server reported, by an unambiguous code or text, that there is no object with exactly this URI (HTTP 404 and 410; 550
	// and "No such file"). An ErrNotFound without it may be a lack of permission, and one after a referral is about another URI.
	Gone bool

	// Busy is set if the server accepts no further request of this client for now, whatever it is for (FTP 421, HTTP 429). An ErrUnavailable
	// without it may be about the document alone.
	Busy bool

	// NotFollowed is set, with ErrRedirect, if the Policy or the Registry does not let a referral be followed. Its target may work, unlike that
	// of a loop, or after too many referrals.
	NotFollowed bool

	// Asks is set, mostly with ErrAuth, if the server asks for credentials, or for other ones: with them the same request may succeed. Realm is what it
	// calls the area that it protects, "" if unknown.
	Asks  bool
	Realm string

	// Question is what the server wants to know, in its own words, with hint.Search or hint.Password: the prompt of gemini; "" if unknown.
	Question string

	// Pending is what the peer owed when a deadline expired (ErrTimeout). The text names it, too.
	Pending Pending

	// After is how long the server asks to wait before the next request, 0 if unknown.
	After time.Duration
}

// Errorf makes an *Error of the given kind. An operand wrapped with %w becomes its cause.
func Errorf(k Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Text: err.Error(), Err: errors.Unwrap(err)}
}

// LineError returns err, the error of a bufio.Scanner of lines of at most most bytes. It describes a longer line in our own words, as an ErrLimit.
func LineError(err error, most int) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return Errorf(ErrLimit, "a line is longer than %d bytes", most)
	}
	return err
}

// LimitError returns err, an error of package markup or links. If it reports a part that is too long, LimitError returns an ErrLimit.
func LimitError(err error) error {
	if long, ok := errors.AsType[*markup.LimitError](err); ok {
		return Errorf(ErrLimit, "%w", long)
	}
	return err
}

// Error returns the text without the Kind.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's Kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Timeout reports whether a deadline has passed, for libraries that use net.Error.
func (e *Error) Timeout() bool { return e.Kind == ErrTimeout }

// Temporary completes net.Error. It returns false: no error is worth an immediate retry.
func (e *Error) Temporary() bool { return false }

// KindOf returns the kind of err, that of the outermost *Error. It returns "" if there is none, as for nil, io.EOF and errors of other
// packages.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if k, ok := errors.AsType[Kind](err); ok {
		return k
	}
	return ""
}

// IsGone reports whether err is the server's report that there is no object with exactly the URI that was dereferenced.
func IsGone(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Gone && e.Kind == ErrNotFound
}

// notGone clears Error.Gone, since err is about another URI.
func notGone(err error) error {
	if !IsGone(err) {
		return err
	}
	e, _ := errors.AsType[*Error](err)
	c := *e
	c.Gone = false
	return &c
}

// transportError sets the kind of an error of a socket. answered reports whether any byte of an answer had arrived: a connection that
// breaks before is ErrConnection, one that breaks after it ErrTruncated.
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

// oneLine turns an error text into one line of bounded length, since parts of it may come from the peer.
func oneLine(s string) string {
	const most = 500
	if len(s) > most {
		s = charset.Cut(s, most) + "..."
	}
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' }), " ")
}
