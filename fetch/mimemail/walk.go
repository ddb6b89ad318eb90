package mimemail

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"
)

// maxBoundary is more than the 70 characters that RFC 2046 section 5.1.1 allows.
const maxBoundary = 200

// maxPiece is the longest piece of a line. Only the first piece of a longer line can be a delimiter.
const maxPiece = 4 << 10

// Bounds of a header: each field costs memory besides its own bytes, and the headers of all levels are held at a time.
const (
	maxHeaderLines              = 10_000        // of a message, with MaxHeader bytes
	maxPartHeader, maxPartLines = 64 << 10, 500 // of a part
)

// A walker reads the lines of a message. bounds are the boundaries of the parts that it is in, the innermost last.
type walker struct {
	r      *bufio.Reader
	depth  int // at most, of parts within parts
	bounds []string
	parts  int

	piece  []byte // a piece of a line that was read and not yet consumed
	begins bool   // it is the beginning of its line
	whole  bool   // it, or else the piece before it, ends its line
	err    error
}

func newWalker(r io.Reader, depth int) *walker {
	if depth <= 0 {
		depth = math.MaxInt
	}
	return &walker{r: bufio.NewReaderSize(r, maxPiece), depth: depth, whole: true}
}

// peek returns the next piece of a line until it is consumed.
func (w *walker) peek() ([]byte, error) {
	if w.piece != nil || w.err != nil {
		return w.piece, w.err
	}
	p, err := w.r.ReadSlice('\n')
	if len(p) == 0 {
		w.err = err
		return nil, err
	}
	w.piece, w.begins = p, w.whole
	w.whole = p[len(p)-1] == '\n'
	return p, nil
}

func (w *walker) consume() { w.piece = nil }

// delimiter reports whether the current piece is a delimiter of one of the open parts, the innermost first, and whether it is the closing one.
func (w *walker) delimiter() (level int, closes, ok bool) {
	if !w.begins || len(w.piece) < 3 || w.piece[0] != '-' || w.piece[1] != '-' {
		return 0, false, false
	}
	line := bytes.TrimRight(w.piece[2:], " \t\r\n")
	for i := len(w.bounds) - 1; i >= 0; i-- {
		rest, has := bytes.CutPrefix(line, []byte(w.bounds[i]))
		if has && (len(rest) == 0 || string(rest) == "--") {
			return i, len(rest) > 0, true
		}
	}
	return 0, false, false
}

// skip consumes lines up to the next delimiter, or to the end.
func (w *walker) skip() error {
	for {
		if _, err := w.peek(); err != nil {
			return err
		}
		if _, _, ok := w.delimiter(); ok {
			return nil
		}
		w.consume()
	}
}

// header reads the header of a message or part. A delimiter ends it, too.
func (w *walker) header() (h Header, err error) {
	size, lines := 0, 0
	var line []byte // what has been read of the current line
	for {
		piece, err := w.peek()
		if _, _, ends := w.delimiter(); err != nil || ends {
			if len(line) > 0 {
				h = h.add(string(line))
			}
			return h, ended(err)
		}
		empty := w.begins && len(bytes.TrimRight(piece, "\r\n")) == 0
		line = append(line, piece...)
		size += len(piece)
		w.consume()
		if empty {
			return h, nil
		}
		if w.whole {
			h = h.add(string(line))
			line = line[:0]
			lines++
		}
		if w.tooLong(size, lines) {
			return h, errHeader
		}
	}
}

// tooLong reports whether a header exceeds the bounds.
func (w *walker) tooLong(size, lines int) bool {
	if len(w.bounds) == 0 {
		return size > MaxHeader || lines > maxHeaderLines
	}
	return size > maxPartHeader || lines > maxPartLines
}

// message reads a message, or the inside of an enclosed one.
func (w *walker) message(path []int, visit func(*Entity) error) error {
	h, err := w.header()
	if err != nil {
		return err
	}
	return w.entity(&Entity{Header: h, Path: path, w: w}, visit)
}

// entity visits e and the entities within it. It stops before the delimiter that ends e, or at the end of the message.
func (w *walker) entity(e *Entity, visit func(*Entity) error) error {
	if w.parts++; w.parts > maxParts {
		return errParts
	}
	if err := visit(e); err != nil {
		return err
	}
	boundary, multi := e.boundary()
	switch {
	case e.body != nil: // visit has read it
	case multi:
		return w.children(e, boundary, visit)
	case e.enclosed():
		if len(e.Path) >= w.depth {
			return errDepth
		}
		return w.message(append(slices.Clip(e.Path), 1), visit)
	}
	return ended(w.skip())
}

// children visits the parts of a multipart.
func (w *walker) children(e *Entity, boundary string, visit func(*Entity) error) error {
	level := len(w.bounds)
	if level >= w.depth {
		return errDepth
	}
	w.bounds = append(w.bounds, boundary) // an error, or Find, leaves it there: the current body needs it
	for n := 1; ; n++ {
		if err := w.skip(); err == io.EOF {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
		at, closes, _ := w.delimiter()
		if at < level { // the outer part ends without our closing delimiter (RFC 2046 section 5.1.2)
			w.bounds = w.bounds[:level]
			return nil
		}
		w.consume()
		if closes {
			w.bounds = w.bounds[:level]
			return ended(w.skip())
		}
		h, err := w.header()
		if err != nil {
			return err
		}
		if err := w.entity(&Entity{Header: h, Path: append(slices.Clip(e.Path), n), w: w}, visit); err != nil {
			return err
		}
	}
}

// ended returns nil instead of io.EOF.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
