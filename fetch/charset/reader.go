package charset

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/pieces"
)

// A Source is what is known about a text besides its bytes.
type Source struct {
	Chosen string // the label that the user has chosen; it overrides everything else
	Type   string // the media type with its parameters
}

// How is the way in which the charset of a text was found.
type How string

const (
	ByChoice      How = "chosen"
	ByMark        How = "byte order mark"
	ByType        How = "media type"  // the charset parameter
	ByDeclaration How = "declaration" // in the page, XML document or style sheet
	ByGuess       How = "guess"       // Detect
)

// A Reader reads a text in UTF-8, without a byte order mark. The charset is that of
//
//   - Source.Chosen
//   - a byte order mark
//   - the charset parameter of Source.Type
//   - the declaration in an HTML page, XML document or style sheet, of which the first 1,024 bytes are awaited, and more while they are within its head
//   - Detect
//
// in this order. What is read depends on the bytes only, and not on how the network splits them. A Reader passes ASCII on as it arrives. From the
// first other byte on it holds back up to 4 KiB, or less if 16 characters show that they are UTF-8, and these decide for the whole text. So its memory
// is bounded, a text is never a mixture of charsets, and a guess of the first lines is not corrected by the last.
//
// Bytes that are invalid in the charset become U+FFFD, except in UTF-8, where they stay as they are.
type Reader struct {
	in     pieces.Ahead
	about  Source
	kind   string // of about.Type
	safe   int    // bytes of in.Held that are to be passed on unchanged
	last   []byte // the last byte passed on so, or nil: the context of the first one that is not ASCII
	begun  bool   // the beginning has no mark and no declaration
	text   io.Reader
	label  string
	how    How
	decode encoding.Encoding // nil for UTF-8
}

// NewReader returns a Reader of r.
func (s Source) NewReader(r io.Reader) *Reader {
	return &Reader{in: pieces.Ahead{Rest: r}, about: s, kind: mediatype.Essence(s.Type)}
}

// Charset returns the charset of the text and how it was found. It returns "" as long as only ASCII was read.
func (t *Reader) Charset() (label string, how How) { return t.label, t.how }

// Encoding returns the charset's encoding. It returns nil for UTF-8, and as long as only ASCII was read.
func (t *Reader) Encoding() encoding.Encoding { return t.decode }

// Begin reads as much of the text as shows its charset, or HeadSize bytes of ASCII. It returns an error if nothing can be read. Nothing is lost for
// Read.
func (t *Reader) Begin() error {
	for !t.decide() || t.label == "" && len(t.in.Held) < HeadSize {
		if t.in.Err != nil {
			break
		}
		t.in.More(window)
	}
	if len(t.in.Held) == 0 && t.text == nil && t.in.Err != io.EOF {
		return t.in.Err
	}
	return nil
}

func (t *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for t.text == nil {
		if t.safe > 0 {
			n := copy(p, t.in.Held[:t.safe])
			t.in.Held, t.safe, t.last = t.in.Held[n:], t.safe-n, []byte{p[n-1]}
			return n, nil
		}
		switch {
		case t.decide():
		case t.in.Err != nil:
			return 0, t.in.Err
		default:
			t.in.More(window)
		}
	}
	return t.text.Read(p)
}

// Sizes of what is awaited at the beginning of a text.
const (
	markSize = 4
	lineSize = 256     // of a text: its first line shows whether it is UTF-16
	headMost = 8 << 10 // of a page whose head is longer
)

// decide finds the charset from what is held, or how much of it is safe. It returns false if it needs more.
func (t *Reader) decide() bool {
	ended := t.in.Err != nil
	if t.text == nil && !t.begun {
		if !t.begin(ended) {
			return false
		}
	}
	if t.text != nil {
		return true
	}
	at, more := trigger(t.in.Held, ended)
	t.safe = at
	if rest := t.in.Held[at:]; len(rest) > 0 && !more {
		before := t.last
		if at > 0 {
			before = t.in.Held[at-1 : at]
		}
		label, ok := guess(before, rest, ended)
		switch {
		case ok && at == 0 && label == "": // an escape, but not of a charset
			t.safe = min(len(rest), window)
		case ok && at == 0:
			t.choose(label, ByGuess, Lookup)
		case ok && label != "": // when the ASCII before it has been read, the same is found again
			t.label, t.how, t.decode = label, ByGuess, Lookup(label)
		}
	}
	return t.safe > 0 || t.text != nil
}

// begin examines the beginning. It returns false if it needs more.
func (t *Reader) begin(ended bool) bool {
	if len(t.in.Held) < markSize && !ended {
		return false
	}
	if t.about.Chosen != "" {
		t.choose(t.about.Chosen, ByChoice, Lookup)
		return true
	}
	if label := byteOrderMark(t.in.Held); label != "" {
		if label == "utf-32" && mediatype.IsPage(t.kind) {
			label = "utf-16le" // browsers do not know UTF-32
		}
		t.choose(label, ByMark, Lookup)
		return true
	}
	if label := LabelOf(t.about.Type); label != "" && t.declared(label, ByType) {
		return true
	}
	head, whole := beginning(t.kind, t.in.Held)
	label := ""
	if mediatype.IsPage(t.kind) || mediatype.IsXML(t.kind) || t.kind == css {
		label = pageCharset(t.kind, head, whole || ended)
	}
	if label == "" && !whole && !ended {
		return false
	}
	t.begun = true
	if label == "" || !t.declared(label, ByDeclaration) {
		if label = wideOrder(head); label != "" {
			t.choose(label, ByGuess, Lookup)
		}
	}
	return true
}

// declared uses a declared label. It returns false for one that is unknown, and for ASCII outside of HTML: the Encoding Standard decodes such texts as
// windows-1252, but many of them are UTF-8.
func (t *Reader) declared(label string, how How) bool {
	name, web := nameOf(label)
	isPage := mediatype.IsPage(t.kind)
	if name == "" || isPage && !web || !isPage && name == "us-ascii" {
		return false
	}
	find := Lookup
	if isPage || how == ByType && name == "utf-16" { // without a mark it is little-endian as in browsers, although RFC 2781 section 4.3 recommends the other
		find = Web
	}
	t.choose(label, how, find)
	return true
}

// choose sets the charset for the rest of the text.
func (t *Reader) choose(label string, how How, find func(string) encoding.Encoding) {
	t.label, t.how, t.decode = folded(label), how, find(label)
	if t.text = &t.in; t.decode == nil {
		t.in.Held = bytes.TrimPrefix(t.in.Held, []byte("\xef\xbb\xbf"))
		return
	}
	t.text = transform.NewReader(&t.in, t.decode.NewDecoder())
}

// beginning returns the part of p that is examined before anything is passed on, and whether it is complete: the first line of a text, or the head
// of a page. A line that may be UTF-16 ends with the byte after its line feed.
func beginning(kind string, p []byte) (head []byte, whole bool) {
	size := HeadSize
	switch {
	case mediatype.IsPage(kind):
		lower := bytes.ToLower(p[:min(len(p), headMost)])
		size = headMost
		for _, tag := range [...]string{"<body", "</head"} { // no declaration follows
			if i := bytes.Index(lower, []byte(tag)); i >= 0 {
				size = min(size, max(i, HeadSize))
			}
		}
	case mediatype.IsXML(kind), kind == css:
	default:
		size = lineSize
		if i := bytes.IndexByte(p, '\n'); i > 0 && isPrintable(p[:i]) {
			size = min(size, i+1)
		} else if i >= 0 {
			size = min(size, i+2)
		}
	}
	return p[:min(len(p), size)], len(p) >= size
}

// isPrintable reports whether p is ASCII without a NUL.
func isPrintable(p []byte) bool {
	return !bytes.ContainsFunc(p, func(c rune) bool { return c == 0 || c >= utf8.RuneSelf })
}

// trigger returns the place of the first byte that may not be ASCII, or the length of p. more is set if p ends within what begins at the place.
func trigger(p []byte, ended bool) (at int, more bool) {
	for i, c := range p {
		switch {
		case c >= utf8.RuneSelf:
			return i, false
		case c != 0x1b && c != '~':
		case i+1 == len(p):
			if !ended {
				return i, true
			}
		case c == 0x1b && (p[i+1] == '$' || p[i+1] == '('), c == '~' && p[i+1] == '{':
			return i, false
		}
	}
	return len(p), false
}

// utf8Proof reports whether p begins with enough valid UTF-8 that no other charset is possible.
func utf8Proof(p []byte) bool {
	n := 0
	for len(p) > 0 && n < 16 {
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 {
			return false
		}
		if size > 1 {
			n++
		}
		p = p[size:]
	}
	return n == 16
}
