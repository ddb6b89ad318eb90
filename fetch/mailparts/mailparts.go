// Package mailparts takes messages apart: the parts that MIME divides them into (RFC 2046), and the files that were put into texts before
// there was MIME, by uuencode, or beside it, by yEnc. Parts are counted from 1 in their order; those that hold parts do not count.
//
//	for p, err := range mailparts.Parts(msg, 50) {
//		...
//		io.Copy(w, p.Body) // decoded; valid until the next part
//	}
package mailparts

import (
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/emersion/go-message"

	"example.org/deref/fetch/mailtext"
)

// A Part is one of a message, with its transfer encoding undone.
type Part struct {
	Number   int
	Path     string // as IMAP counts (RFC 9051 section 6.4.5): "1.2"; "" in a message without parts
	Type     string // media type with its parameters, as written; "text/plain" where nothing is said
	Name     string // of the file, "" none
	ID       string // Content-ID without brackets, "" none
	Encoding string // what was undone: base64, quoted-printable, uuencode, yenc; "" nothing
	Body     io.Reader

	// Of a file that several messages carry (yEnc): which piece of how many the part is. 0 is a whole file, or a number that nobody tells.
	Piece, Pieces int
}

// Errors of messages that are meant to cost.
var (
	errNesting = errors.New("the message's parts are nested too deeply")
	errParts   = errors.New("the message has too many parts")
)

// maxParts bounds the parts of one message.
const maxParts = 10_000

// Parts yields the parts of a message. An error ends them; one of msg comes as it is.
func Parts(msg io.Reader, nesting int) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		w := &walk{yield: yield, nesting: nesting}
		e, err := message.Read(newHeaders(msg))
		if soft(err) {
			err = nil
		}
		if err == nil {
			err = w.entity(e, "", 0)
		}
		if err != nil && err != errLeft {
			yield(Part{}, err)
		}
	}
}

// errLeft says that the caller has left.
var errLeft = errors.New("left")

// soft reports whether an error only says that something stays encoded.
func soft(err error) bool {
	return message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)
}

// walk is one way through a message.
type walk struct {
	yield   func(Part, error) bool
	nesting int
	count   int
}

func (w *walk) entity(e *message.Entity, path string, depth int) error {
	if kind, params, _ := e.Header.ContentType(); strings.HasPrefix(kind, "multipart/") {
		e.Body = newPartHeaders(e.Body, params["boundary"])
	}
	parts := e.MultipartReader()
	if parts == nil {
		return w.leaf(e, path)
	}
	if w.nesting > 0 && depth >= w.nesting {
		return errNesting
	}
	for i := 1; ; i++ {
		p, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil && !soft(err) {
			return err
		}
		sub := strconv.Itoa(i)
		if path != "" {
			sub = path + "." + sub
		}
		if err := w.entity(p, sub, depth+1); err != nil {
			return err
		}
	}
}

func (w *walk) leaf(e *message.Entity, path string) error {
	kind, params, err := e.Header.ContentType()
	p := Part{Path: path, Type: e.Header.Get("Content-Type"), ID: bare(e.Header.Get("Content-Id")), Body: e.Body}
	if err != nil || p.Type == "" {
		kind, p.Type = "text/plain", "text/plain"
	}
	switch enc := strings.ToLower(strings.TrimSpace(e.Header.Get("Content-Transfer-Encoding"))); enc {
	case "base64", "quoted-printable":
		p.Encoding = enc
	}
	_, disposition, _ := e.Header.ContentDisposition()
	for _, name := range []string{disposition["filename"], params["name"]} {
		if p.Name == "" {
			p.Name = mailtext.Words(name)
		}
	}
	if kind == "text/plain" && disposition["filename"] == "" {
		return w.text(p)
	}
	return w.give(p)
}

func bare(id string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(id), "<"), ">")
}

// give hands a part to the caller.
func (w *walk) give(p Part) error {
	if w.count++; w.count > maxParts {
		return errParts
	}
	p.Number = w.count
	if !w.yield(p, nil) {
		return errLeft
	}
	_, err := io.Copy(io.Discard, p.Body)
	return err
}
