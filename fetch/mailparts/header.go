package mailparts

import (
	"bytes"
	"errors"
	"io"
)

// Bounds of a header: each field costs the library some hundred octets besides its own, and the headers of all levels are held at a time.
// go-message bounds that of the message by octets alone, and those of parts not at all.
const (
	maxHeader, maxLines         = 256 << 10, 10_000 // of a message
	maxPartHeader, maxPartLines = 64 << 10, 500     // of a part
)

var errHeader = errors.New("the header of the message or of a part is too long")

// A headers passes octets on, and ends where a header is too long: one begins at once, if it is a message's, or behind each line that is the
// delimiter (RFC 2046 section 5.1.1), and ends at a void line.
type headers struct {
	in            io.Reader
	delimiter     []byte // "--" and the boundary; nil for a message
	line          []byte // the beginning of the line at hand, as long as it may be the delimiter
	long          bool   // the line is longer than that, and no delimiter
	within        bool   // a header is at hand
	octets, lines int    // of it
	over          bool   // it was too long, which the library may pass over once
}

func newHeaders(msg io.Reader) *headers { return &headers{in: msg, within: true} }

func newPartHeaders(body io.Reader, boundary string) *headers {
	return &headers{in: body, delimiter: []byte("--" + boundary)}
}

func (h *headers) Read(p []byte) (int, error) {
	if h.over {
		return 0, errHeader
	}
	n, err := h.in.Read(p)
	if h.delimiter == nil && !h.within {
		return n, err
	}
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		piece := rest[:end]
		if end == 0 {
			piece = rest
		}
		rest = rest[len(piece):]
		if !h.take(piece, end > 0) {
			h.over = true
			return 0, errHeader
		}
	}
	return n, err
}

// take counts a piece of a line, the last one if it is whole then. It is false where the header is too long.
func (h *headers) take(piece []byte, whole bool) bool {
	const blanks = 80 // that may stand behind a delimiter
	if !h.long {
		if room := len(h.delimiter) + blanks - len(h.line); len(piece) > room {
			h.long = true
		} else {
			h.line = append(h.line, piece...)
		}
	}
	if h.within {
		h.octets += len(piece)
	}
	if whole {
		line := bytes.TrimRight(h.line, " \t\r\n")
		switch {
		case h.long:
			h.lines++
		case h.delimiter != nil && bytes.Equal(line, h.delimiter):
			h.within, h.octets, h.lines = true, 0, 0
		case len(line) == 0:
			h.within = false
		default:
			h.lines++
		}
		h.line, h.long = h.line[:0], false
	}
	if h.delimiter == nil {
		return !h.within || h.octets <= maxHeader && h.lines <= maxLines
	}
	return !h.within || h.octets <= maxPartHeader && h.lines <= maxPartLines
}
