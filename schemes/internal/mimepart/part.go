package mimepart

import (
	"errors"
	"io"
	"strings"
)

// A Part is one of a message; Path counts from 1 as IMAP does (RFC 9051 section 6.4.5.1), and is nil for the message itself.
type Part struct {
	Header
	Path []int
	w    *walker
	body *body
}

// Limits bound what a message may be.
type Limits struct {
	Depth int // of parts within parts
	Parts int
}

// Errors of messages that are broken, or too much.
var (
	ErrDepth = errors.New("parts are nested too deep")
	ErrParts = errors.New("too many parts")
	ErrShort = errors.New("the message ends before its part does")
)

// errStop ends a walk.
var errStop = errors.New("found")

// Find reads a message until found says yes of a part, whose body can be read then. nil is none.
func Find(r io.Reader, l Limits, found func(*Part) bool) (*Part, error) {
	w := newWalker(r, l)
	var hit *Part
	err := w.message(nil, func(p *Part) error {
		if !found(p) {
			return nil
		}
		hit = p
		return errStop
	})
	if err == errStop {
		err = nil
	}
	return hit, err
}

// Walk calls visit with each part, in their order, before its body is passed over. visit may read the body.
func Walk(r io.Reader, l Limits, visit func(*Part) error) error {
	return newWalker(r, l).message(nil, visit)
}

// Raw is the body as it is encoded.
func (p *Part) Raw() io.Reader {
	if p.body == nil {
		p.body = &body{w: p.w, outer: len(p.w.bounds)}
	}
	return p.body
}

// multipart reports whether the part consists of parts, and their boundary.
func (p *Part) multipart() (string, bool) {
	t, params := p.Type()
	b := params["boundary"]
	return b, strings.HasPrefix(t, "multipart/") && b != "" && len(b) <= maxBoundary
}

// enclosed reports whether the part is a message, and not encoded, as RFC 2046 section 5.2.1 has it.
func (p *Part) enclosed() bool {
	t, _ := p.Type()
	switch strings.ToLower(p.Get("Content-Transfer-Encoding")) {
	case "", "7bit", "8bit", "binary":
		return t == "message/rfc822" || t == "message/news" || t == "message/global"
	}
	return false
}
