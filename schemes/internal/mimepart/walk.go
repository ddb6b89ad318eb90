package mimepart

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

// maxBoundary is RFC 2046 section 5.1.1, with some patience.
const maxBoundary = 200

// lineOctets is how much of a line is looked at; a longer one comes in pieces, of which only the first can be a delimiter.
const lineOctets = 4 << 10

// A walker goes through the lines of a message. bounds are the boundaries of the parts that it is in, the innermost last.
type walker struct {
	r      *bufio.Reader
	limits Limits
	bounds []string
	parts  int

	piece  []byte // a piece of a line that was read and not yet taken
	begins bool   // it is the beginning of its line
	whole  bool   // the line before it was complete
	err    error
}

func newWalker(r io.Reader, l Limits) *walker {
	return &walker{r: bufio.NewReaderSize(r, lineOctets), limits: l, whole: true}
}

// peek returns the next piece of a line, which stays until it is taken.
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

func (w *walker) take() { w.piece = nil }

// delimiter reports whether the piece in hand is a delimiter of one of the open parts, the innermost first, and whether it closes it.
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

// skip passes over lines up to the next delimiter, which is left, or the end.
func (w *walker) skip() error {
	for {
		if _, err := w.peek(); err != nil {
			return err
		}
		if _, _, ok := w.delimiter(); ok {
			return nil
		}
		w.take()
	}
}

// header reads that of a part. A delimiter ends it, too.
func (w *walker) header() (h Header, err error) {
	size := 0
	for {
		line, err := w.peek()
		if err == io.EOF {
			return h, nil
		}
		if err != nil {
			return h, err
		}
		if _, _, ok := w.delimiter(); ok {
			return h, nil
		}
		begins := w.begins
		text := string(bytes.TrimRight(line, "\r\n"))
		w.take()
		if text == "" && begins {
			return h, nil
		}
		if size += len(line); size > MaxHeader || len(h) >= maxFields || text == "" {
			continue
		}
		if !begins {
			text = " " + text
		}
		h = h.add(text)
	}
}

// message reads a message, or the inside of an enclosed one.
func (w *walker) message(path []int, visit func(*Part) error) error {
	h, err := w.header()
	if err != nil {
		return err
	}
	return w.part(&Part{Header: h, Path: path, w: w}, visit)
}

// part visits p and what is in it. It ends before the delimiter that ends p, or at the end of the message.
func (w *walker) part(p *Part, visit func(*Part) error) error {
	if w.parts++; w.parts > w.limits.Parts {
		return ErrParts
	}
	if err := visit(p); err != nil {
		return err
	}
	boundary, multi := p.multipart()
	switch {
	case p.body != nil: // visit has read it
	case multi:
		return w.children(p, boundary, visit)
	case p.enclosed():
		if len(p.Path) >= w.limits.Depth {
			return ErrDepth
		}
		return w.message(append(slices.Clip(p.Path), 1), visit)
	}
	return ended(w.skip())
}

// children visits the parts of a multipart.
func (w *walker) children(p *Part, boundary string, visit func(*Part) error) error {
	if len(w.bounds) >= w.limits.Depth {
		return ErrDepth
	}
	me := len(w.bounds)
	w.bounds = append(w.bounds, boundary) // it stays where an error, or Find, ends the walk: the body in hand needs it
	for n := 0; ; {
		if err := w.skip(); err != nil {
			return ended(err)
		}
		level, closes, _ := w.delimiter()
		if level < me {
			w.bounds = w.bounds[:me]
			return nil // the outer one ends without our end: RFC 2046 section 5.1.2
		}
		w.take()
		if closes {
			w.bounds = w.bounds[:me]
			return ended(w.skip())
		}
		n++
		h, err := w.header()
		if err != nil {
			return err
		}
		if err := w.part(&Part{Header: h, Path: append(slices.Clip(p.Path), n), w: w}, visit); err != nil {
			return err
		}
	}
}

func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
