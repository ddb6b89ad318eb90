// Package mimemail reads the messages of mail and news: header fields with their encoded words (RFC 2047), and the parts that MIME divides
// messages into (RFC 2045, RFC 2046). It reads in one pass, holds no part in memory, and bounds depth, number and headers.
//
// Parts yields the parts that a reader sees, decoded, and the files that texts contain in uuencode and yEnc:
//
//	for p, err := range mimemail.Parts(msg, 50) {
//		...
//		io.Copy(w, p.Body) // valid until the next part
//	}
//
// Find visits every entity, also multiparts and enclosed messages:
//
//	e, err := mimemail.Find(msg, 50, func(e *mimemail.Entity) bool { return e.ContentID() == "a@b" })
//	body, _ := e.Decoded()
package mimemail

import (
	"errors"
	"io"
	"strings"
)

// An Entity is a message or one of its parts (RFC 2045 section 2.4). Path counts from 1 as IMAP does (RFC 9051 section 6.4.5.1). It is nil
// for the message itself.
type Entity struct {
	Header
	Path []int
	w    *walker
	body *body
}

// A LimitError is the error of a message whose structure exceeds a bound. If a message ends within a part, the error is io.ErrUnexpectedEOF.
type LimitError string

func (e LimitError) Error() string { return string(e) }

const (
	errDepth  LimitError = "parts are nested too deeply"
	errParts  LimitError = "too many parts"
	errHeader LimitError = "the header of the message or of a part is too long"
)

// errStop ends a walk.
var errStop = errors.New("stop")

// Find calls match with the entities of a message in order, until it returns true. The body of that entity can be read then. match may read bodies,
// too; a multipart or message that it has read is not divided. Find returns nil, nil if nothing matches. nesting bounds the depth as in Parts.
func Find(msg io.Reader, nesting int, match func(*Entity) bool) (*Entity, error) {
	var hit *Entity
	err := newWalker(msg, nesting).message(nil, func(e *Entity) error {
		if !match(e) {
			return nil
		}
		hit = e
		return errStop
	})
	if err == errStop {
		err = nil
	}
	return hit, err
}

// Raw returns the body with its transfer encoding.
func (e *Entity) Raw() io.Reader {
	if e.body == nil {
		e.body = newBody(e.w)
	}
	return e.body
}

// boundary returns the boundary of a multipart, and reports whether e is one.
func (e *Entity) boundary() (string, bool) {
	t, params := e.Type()
	b := params["boundary"]
	return b, strings.HasPrefix(t, "multipart/") && b != "" && len(b) <= maxBoundary
}

// enclosed reports whether e encloses a message without a transfer encoding (RFC 2046 section 5.2.1).
func (e *Entity) enclosed() bool {
	t, _ := e.Type()
	return isIdentity(e.encoding()) && (t == "message/rfc822" || t == "message/news" || t == "message/global")
}

// encoding returns the Content-Transfer-Encoding in lower case.
func (e *Entity) encoding() string { return strings.ToLower(e.Get("Content-Transfer-Encoding")) }

// isIdentity reports whether a transfer encoding changes no byte (RFC 2045 section 6.2).
func isIdentity(encoding string) bool {
	return encoding == "" || encoding == "7bit" || encoding == "8bit" || encoding == "binary"
}
