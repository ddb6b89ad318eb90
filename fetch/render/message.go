package render

import (
	"io"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/fetch/pieces"
)

// maxHeader bounds the header of a message, maxNesting the depth of its parts, and maxLetters the depth of messages within messages, which have
// their own buffers.
const (
	maxHeader  = 256 << 10
	maxNesting = 50
	maxLetters = 10
)

// A messageWriter writes a message: the fields of its header, the beginning of its body, and its parts.
type messageWriter interface {
	field(name, value string)
	body()
	part(mimemail.Part) error
	broken(error) error
}

// writeMessage reads a message, or one within it. An error in the message is shown in its place and not returned.
func writeMessage(w messageWriter, in io.Reader) error {
	head := &pieces.Ahead{Rest: in}
	if head.Until(maxHeader, "\r\n\r\n", "\n\n"); len(head.Held) == 0 && head.Err != io.EOF {
		return head.Err // other errors are those of Parts
	}
	h := mimemail.ParseHeader(head.Held)
	label := h.Charset()
	for _, name := range [...]string{"Subject", "From", "To", "Cc", "Newsgroups", "Date", "Organization", "Reply-To"} {
		if v := h.Get(name); v != "" {
			w.field(name, mimemail.WordsIn(v, label))
		}
	}
	w.body()
	for part, err := range mimemail.Parts(head, maxNesting) {
		if err == nil {
			err = w.part(part)
		}
		switch {
		case fetch.KindOf(err) != "":
			return err
		case err != nil:
			return w.broken(err)
		}
	}
	return nil
}

// A position is the place of a message: at the top, or in a part of another.
type position struct {
	depth int
	path  string // the numbers of the parts around it: "2/1/"
}

// opens reports whether a part is shown as a message (RFC 2046 section 5.2.1).
func (l position) opens(part mimemail.Part) bool { return isMessage(part.Type) && l.depth < maxLetters }

// number returns the number of a part: "3", or "2/1" for the first part of the message in part 2.
func (l position) number(part mimemail.Part) string { return l.path + strconv.Itoa(part.Number) }

// within returns the position of the message in a part.
func (l position) within(part mimemail.Part) position {
	return position{l.depth + 1, l.number(part) + "/"}
}

func isMessage(t string) bool {
	return mediatype.Essence(t) == "message/rfc822"
}

// isShown reports whether a part is shown as text: it is not an attachment.
func isShown(part mimemail.Part) bool { return isText(part.Type) && part.Name == "" }
