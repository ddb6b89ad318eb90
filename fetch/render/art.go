package render

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/pieces"
	"example.org/deref/fetch/render/ansiart"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// An art is a document of text art, or a text of a bulletin board.
type art struct {
	text    io.Reader
	options ansiart.Options
	sauce   *ansiart.Sauce // nil if there is none
}

// maxArt is how much of a file is read to find the SAUCE record at its end. A longer file is drawn without it.
const maxArt = 1 << 20

// HasArtName reports whether the suffix of d's name is one of text art, and its type is not that of something else. The HTML view draws it then,
// although its type may be that of binary data.
func HasArtName(d *fetch.Document) bool {
	kind, _ := mediaType(d.Type)
	return mayBeArt(kind) && isArtSuffix(suffixOf(d))
}

func mayBeArt(kind string) bool {
	switch kind {
	case "", "application/octet-stream", "text/plain", "text/x-ansi", "text/x-nfo":
		return true
	}
	return false
}

// artOf returns d as text art, or nil if it is something else. Afterwards d.Body still reads the whole document if it is not art.
func artOf(d *fetch.Document) *art {
	kind, _ := mediaType(d.Type)
	_, params := mediaType(d.ContentType())
	label, suffix := cmp.Or(d.Charset, params["charset"]), suffixOf(d)
	if !mayBeArt(kind) || !isArtSuffix(suffix) && kind != "text/x-ansi" && !isPCCharset(label) {
		return nil
	}
	b := beginning{pieces.Ahead{Rest: d.Body}}
	d.Body = fetch.NewBody(&b, d.Body.Close)
	decisive := artHead
	switch {
	case isArtSuffix(suffix), kind == "text/x-ansi":
		decisive = maxArt
	case !ansiart.HasSequences(b.firstLine()):
		return nil
	}
	b.await(decisive)
	if !isArt(kind, suffix, label, b.Held[:min(len(b.Held), decisive)]) {
		return nil
	}
	b.await(maxArt)
	a := &art{options: ansiart.Options{Columns: ansiart.MaxColumns}} // a text without sequences has lines of its own
	if isScreen(kind, suffix) || ansiart.HasSequences(b.Held[:min(len(b.Held), maxArt)]) {
		a.options.Columns = 80
	}
	if b.Err == io.EOF {
		b.Held, a.sauce = ansiart.Cut(b.Held)
	}
	if a.sauce != nil {
		a.options.ICE = a.sauce.ICE
		if a.sauce.Columns > 0 {
			a.options.Columns = a.sauce.Columns
		}
	}
	if a.text = &b; !isMarkedUTF8(label) {
		if e := artCharset(label, a.sauce, b.Held); e != nil {
			a.text = transform.NewReader(&b, e.NewDecoder())
		}
	}
	return a
}

// artHead is how much of a text without such a suffix is awaited if its first line has a sequence. Neither depends on how the network splits the
// text, and other texts are shown as they arrive.
const artHead = 4 << 10

// A beginning is a text whose beginning decides what it is.
type beginning struct{ pieces.Ahead }

// firstLine returns the first line that is not empty, or its first 256 bytes.
func (b *beginning) firstLine() []byte {
	const most = 256
	for n := 1; ; n = len(b.Held) + 1 {
		line := bytes.TrimLeft(b.Held, "\r\n")
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		} else if len(b.Held) < most && b.Err == nil {
			b.await(n)
			continue
		}
		return line[:min(len(line), most)]
	}
}

// await reads until at least n bytes are known, or the end or an error of the rest.
func (b *beginning) await(n int) {
	for len(b.Held) < n && b.Err == nil {
		b.More(artHead)
	}
}

func isArtSuffix(suffix string) bool { return isScreen("", suffix) || isPossible(suffix) }

// isScreen reports whether a document is a screen with sequences.
func isScreen(kind, suffix string) bool {
	return kind == "text/x-ansi" || suffix == "ans" || suffix == "ice" || suffix == "cia"
}

// isPossible reports whether the suffix is one of texts that may be art.
func isPossible(suffix string) bool { return suffix == "nfo" || suffix == "diz" || suffix == "asc" }

// isArt reports whether a document that begins with p is text art. One with such a suffix in UTF-8 without sequences is a text as any other.
// A text in another charset that has sequences and boxes is one of a bulletin board.
func isArt(kind, suffix, label string, p []byte) bool {
	if isMarkedUTF8(label) && !ansiart.HasSequences(p) || bytes.IndexByte(p[:min(len(p), artHead)], 0) >= 0 && !isScreen(kind, suffix) {
		return false
	}
	switch {
	case isScreen(kind, suffix):
		return true
	case isPossible(suffix):
		return ansiart.HasSequences(p) || !isUTF8(p)
	}
	return ansiart.HasSequences(p) && !isUTF8(p) && hasBoxes(p) && isPCCharset(label)
}

// isPCCharset reports whether a label allows code page 437: it is empty or names it.
func isPCCharset(label string) bool {
	return label == "" || charset.Lookup(label) == charmap.CodePage437
}

// hasBoxes reports whether p contains a line or area of code page 437: one of their characters three times in a row, which in other charsets
// are letters.
func hasBoxes(p []byte) bool {
	for i := 2; i < len(p); i++ {
		if c := p[i]; c >= 0xb0 && c == p[i-1] && c == p[i-2] && bytes.IndexByte([]byte("\xb0\xb1\xb2\xc4\xcd\xdb\xdc\xdd\xde\xdf"), c) >= 0 {
			return true
		}
	}
	return false
}

// isMarkedUTF8 reports whether a label names UTF-8.
func isMarkedUTF8(label string) bool {
	return strings.EqualFold(label, "utf-8") || strings.EqualFold(label, "utf8")
}

// isUTF8 reports whether p is UTF-8, but for a character that is cut at its end.
func isUTF8(p []byte) bool {
	for i := 0; i < utf8.UTFMax && i < len(p); i++ {
		if utf8.RuneStart(p[len(p)-1-i]) {
			if !utf8.FullRune(p[len(p)-1-i:]) {
				p = p[:len(p)-1-i]
			}
			break
		}
	}
	return utf8.Valid(p)
}

// suffixOf returns the suffix of a document's name in lower case.
func suffixOf(d *fetch.Document) string {
	path := d.URI.Path().Decode()
	i := strings.LastIndexAny(path, "./")
	if i < 0 || path[i] == '/' {
		return ""
	}
	return strings.ToLower(path[i+1:])
}

// artCharset returns the charset that is declared, that the font in the SAUCE record has, or that of the PC. It returns nil for UTF-8.
func artCharset(label string, s *ansiart.Sauce, file []byte) encoding.Encoding {
	if e := charset.Lookup(label); e != nil {
		return e
	}
	font := ""
	if s != nil {
		font = s.Font
	}
	switch page, _ := strings.CutPrefix(font, "IBM "); {
	case strings.HasPrefix(font, "Amiga"):
		return charmap.ISO8859_1
	case page != font:
		for _, word := range strings.Fields(page) {
			if e := charset.Lookup("cp" + word); e != nil {
				return e
			}
		}
		return charmap.CodePage437
	case isUTF8(file):
		return nil
	}
	return charmap.CodePage437
}

// textTo writes the art as text, on a terminal with its colors if they are wanted.
func (a *art) textTo(w io.Writer, o *Options) error {
	b := bufio.NewWriter(w)
	t, _ := w.(*Terminal)
	for row, err := range ansiart.Rows(a.text, &a.options) {
		if err != nil {
			b.Flush()
			return err
		}
		now := ansiart.Plain()
		for _, c := range row {
			if t != nil && o.Color && c.Style != now && c.Rune != 0 {
				b.Flush()
				t.color(c.Style)
				now = c.Style
			}
			if c.Rune != 0 {
				b.WriteRune(c.Rune)
				b.WriteString(c.Marks)
			}
		}
		if now != ansiart.Plain() {
			b.Flush()
			t.color(ansiart.Plain())
		}
		b.WriteByte('\n')
	}
	if s := a.caption(); s != "" {
		b.WriteString("\n" + Escape(s) + "\n")
	}
	return b.Flush()
}

// art shows art in the HTML view.
func (p *page) art(a *art) error {
	p.in("<pre class=\"art\" lang=\"\">\n", preEnd)
	for row, err := range ansiart.Rows(a.text, &a.options) {
		if err != nil {
			return err
		}
		for len(row) > 0 {
			var run strings.Builder
			style, n := row[0].Style, 0
			for ; n < len(row) && row[n].Style == style; n++ {
				if row[n].Rune != 0 {
					run.WriteString(string(row[n].Rune) + row[n].Marks)
				}
			}
			row = row[n:]
			p.b.WriteString(spanOf(style, EscapeHTML(run.String())))
		}
		p.b.WriteByte('\n')
	}
	if s := a.caption(); s != "" {
		p.in("", "")
		p.b.WriteString("<p class=\"facts\">" + EscapeHTML(s) + "</p>\n")
	}
	return nil
}

// spanOf returns text with the classes of its colors.
func spanOf(s ansiart.Style, text string) string {
	var classes []string
	if s.Foreground != ansiart.Plain().Foreground {
		classes = append(classes, "f"+strconv.Itoa(int(s.Foreground)))
	}
	if s.Background != 0 {
		classes = append(classes, "b"+strconv.Itoa(int(s.Background)))
	}
	if classes == nil {
		return text
	}
	return "<span class=\"" + strings.Join(classes, " ") + "\">" + text + "</span>"
}

// caption returns the data of the SAUCE record in one line, or "".
func (a *art) caption() string {
	if a.sauce == nil {
		return ""
	}
	var words []string
	for _, s := range []string{a.sauce.Title, a.sauce.Author, a.sauce.Group, a.sauce.Date} {
		if s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, ", ")
}
