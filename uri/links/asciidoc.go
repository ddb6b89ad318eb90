package links

import (
	"bytes"
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// AsciiDoc yields the links of AsciiDoc: URL[label] and bare URIs, the macros link:, xref:, image:, include::, video:: and audio::, and <<references>>
// to other documents and to anchors. Comments and the blocks of code, literal and passed-through text have none. Attributes that the document defines
// are replaced; a target with any other is omitted. r is its text in UTF-8; base resolves the references. If a reference is invalid, its Link comes
// with an error. A read error comes last, with a zero Link.
func AsciiDoc(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		a := asciidoc{paragraph: paragraph{base: base}, attributes: map[string]string{}}
		flush := func() bool {
			a.read()
			return a.flush(yield)
		}
		for l, err := range textLines(r) {
			if err != nil {
				if flush() {
					yield(Link{}, err)
				}
				return
			}
			text, ok := a.line(strings.TrimRight(l.text, " \t"))
			if (!ok || len(a.text) > maxParagraph) && !flush() {
				return
			}
			if ok {
				a.add(text, l.number)
			}
		}
		flush()
	}
}

// An asciidoc is the state of reading one document.
type asciidoc struct {
	paragraph
	attributes map[string]string
	block      string // the delimiter of a block whose contents are not read, or ""
	within     bool   // the line before belongs to a paragraph
	skipping   bool   // the paragraph is code, or literal
	style      bool   // the next paragraph is
	targetEnd  int    // where no target continues, in the paragraph that is being read; no earlier byte after the current one ends a target
}

// maxAttributeValues bounds the attributes of a document, and maxValue the length of one.
const (
	maxAttributeValues = 1000
	maxValue           = 4 << 10
)

// line returns the text of a line, or false if it separates paragraphs or is not read.
func (a *asciidoc) line(line string) (string, bool) {
	switch {
	case a.block != "":
		if line == a.block {
			a.block = ""
		}
		return "", false
	case line == "":
		a.within, a.skipping = false, false
		return "", false
	case delimiterOf(line) != "":
		a.block, a.within, a.style = delimiterOf(line), false, false
		return "", false
	case strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "///"):
		return "", false
	case !a.within && (strings.HasPrefix(line, "[source") || strings.HasPrefix(line, "[listing") || strings.HasPrefix(line, "[literal")):
		a.style = true
		return "", false
	case !a.within && (a.style || (line[0] == ' ' || line[0] == '\t') && !isListItem(line)):
		a.skipping = true
	}
	a.within, a.style = true, false
	if a.skipping {
		return "", false
	}
	a.define(line)
	return line, true
}

// delimiterOf returns the line that ends the block that a line begins, if its contents are not read: a listing, literal text, a passthrough, or a comment.
// It returns "" for any other line.
func delimiterOf(line string) string {
	const fence = "```" // a language may follow it
	switch {
	case strings.HasPrefix(line, fence) && !strings.Contains(line[len(fence):], "`"):
		return fence
	case len(line) >= 4 && strings.IndexByte("-.+/", line[0]) >= 0 && strings.Trim(line, line[:1]) == "":
		return line
	}
	return ""
}

// isListItem reports whether an indented line is an item of a list.
func isListItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	rest := strings.TrimLeft(line, "*-.0123456789")
	return len(rest) < len(line) && strings.HasPrefix(rest, " ") || strings.Contains(line, ":: ") || strings.HasSuffix(line, "::")
}

// define remembers the attribute that a line ":name: value" defines.
func (a *asciidoc) define(line string) {
	rest, ok := strings.CutPrefix(line, ":")
	if !ok {
		return
	}
	name, value, ok := strings.Cut(rest, ":")
	if ok && name != "" && !strings.Contains(name, " ") && len(a.attributes) < maxAttributeValues && len(value) < maxValue {
		if value, ok = a.replaced(strings.TrimSpace(value)); ok {
			a.attributes[strings.ToLower(name)] = value
		}
	}
}

// replaced replaces the attributes in a target. It returns false if one is not defined.
func (a *asciidoc) replaced(s string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, found := strings.Cut(rest, "}")
		value, known := a.attributes[strings.ToLower(name)]
		if !found || !known || b.Len()+len(value) > maxValue {
			return "", false
		}
		b.WriteString(value)
		s = after
	}
}

// read finds the links of a paragraph.
func (a *asciidoc) read() {
	a.targetEnd = -1
	a.passthrough("+++")
	a.passthrough("`+", "+`")
	for at := 0; at < len(a.text); at++ {
		switch c := a.text[at]; {
		case c == '<' && at+1 < len(a.text) && a.text[at+1] == '<':
			at = a.reference(at)
		case c == ':':
			at = a.macro(at)
		case c == '{':
			at = a.fromAttribute(at)
		}
	}
	a.urls()
}

// passthrough blanks the text between two marks, or between two equal ones.
func (a *asciidoc) passthrough(marks ...string) {
	text := string(a.text)
	begin, end := marks[0], marks[len(marks)-1]
	for at := 0; ; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return
		}
		from := at + i
		j := strings.Index(text[from+len(begin):], end)
		if j < 0 {
			return
		}
		at = from + len(begin) + j + len(end)
		a.blank(from, at)
	}
}

// macro adds the link of the macro whose colon is at an offset, and returns the offset of its last byte.
func (a *asciidoc) macro(colon int) int {
	from := colon
	for from > 0 && colon-from < 8 && isLetter(a.text[from-1]) {
		from--
	}
	name := string(a.text[from:colon])
	switch name {
	case "link", "xref", "image", "include", "video", "audio":
	default:
		return colon
	}
	begin := colon + 1
	if begin < len(a.text) && a.text[begin] == ':' {
		begin++
	}
	target, label, end := a.bracketed(begin)
	if end < 0 || target == "" || from > 0 && a.text[from-1] == '\\' {
		return colon
	}
	a.target(from, name, target, label)
	a.blank(from, end)
	return end - 1
}

// bracketed parses TARGET[LABEL] at an offset. The end is -1 if there is none.
func (a *asciidoc) bracketed(at int) (target, label string, end int) {
	if a.targetEnd < at {
		a.targetEnd = at + bytes.IndexAny(a.text[at:], "[ \n\t<") // a line end follows
	}
	n := a.targetEnd
	if a.text[n] != '[' || n-at > maxLabel {
		return "", "", -1
	}
	label, length := labelOf(string(a.text[n:min(len(a.text), n+maxLabel)]))
	if length == 0 {
		return "", "", -1
	}
	return string(a.text[at:n]), label, n + length
}

// labelOf parses [label], in which a backslash escapes a bracket. The length is 0 if s does not begin with it.
func labelOf(s string) (label string, length int) {
	if s == "" || s[0] != '[' {
		return "", 0
	}
	for i := 1; i < min(len(s), maxLabel); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return s[1:i], i + 1
		}
	}
	return "", 0
}

// target adds the link of a macro.
func (a *asciidoc) target(at int, macro, ref, label string) {
	ref, ok := a.replaced(strings.TrimSuffix(strings.TrimPrefix(ref, "++"), "++"))
	if !ok {
		return
	}
	label, _, _ = strings.Cut(label, ",")
	switch dir := a.attributes["imagesdir"]; {
	case macro == "xref":
		ref = documentOf(ref, true)
	case macro == "image" && dir != "" && !strings.Contains(ref, ":"):
		ref = strings.TrimSuffix(dir, "/") + "/" + strings.TrimPrefix(ref, "/")
	}
	a.link(at, macro, ref, strings.Trim(label, `"^`))
}

// reference adds the link of <<target,label>> at an offset, and returns the offset of its last byte.
func (a *asciidoc) reference(at int) int {
	n := bytes.Index(a.text[at:min(len(a.text), at+maxLabel)], []byte(">>"))
	if n < 0 {
		return at + 1
	}
	ref, label, _ := strings.Cut(string(a.text[at+2:at+n]), ",")
	if ref, ok := a.replaced(strings.TrimSpace(ref)); ok && !strings.ContainsAny(ref, " <") {
		a.link(at, "xref", documentOf(ref, false), label)
	}
	a.blank(at, at+n+2)
	return at + n + 1
}

// documentOf returns the reference of an xref: an anchor of this document, or another document, whose suffix may be omitted before "#". A target with
// a blank is the title of a section: "".
func documentOf(ref string, macro bool) string {
	document, part, hasPart := strings.Cut(ref, "#")
	last := document[strings.LastIndexByte(document, '/')+1:]
	switch {
	case strings.Contains(ref, " "):
		return ""
	case !hasPart && !(macro && strings.Contains(last, ".")):
		return "#" + ref
	case document != "" && !strings.Contains(last, "."):
		document += ".adoc"
	}
	if part == "" {
		return document
	}
	return document + "#" + part
}

// fromAttribute adds the link of {attribute}path[label] at an offset, if the attribute begins with a URI.
func (a *asciidoc) fromAttribute(at int) int {
	ref, label, end := a.bracketed(at)
	if end < 0 {
		return at
	}
	full, ok := a.replaced(ref)
	if u, err := uri.Parse(full); !ok || err != nil || !u.IsAbs() {
		return at
	}
	a.link(at, "link", full, label)
	a.blank(at, end)
	return end - 1
}

// urls adds the bare URIs, and those with a [label]. A backslash before a URI prevents a link.
func (a *asciidoc) urls() {
	text := string(a.text)
	end := 0 // of the last label
	for f := range uri.Find(text) {
		if f.Start > 0 && text[f.Start-1] == '\\' {
			continue
		}
		u, ref := f.URI, text[f.Start:f.End]
		if strings.ContainsAny(ref, "{}") || f.Start < end { // an attribute that is not defined here; a label
			continue
		}
		label, _ := labelOf(text[f.End:])
		if n := strings.IndexByte(ref, '['); n > 0 && ref[n-1] != '/' {
			ref = ref[:n]
			var length int
			if label, length = labelOf(text[f.Start+len(ref):]); length > 0 {
				end = f.Start + len(ref) + length
			}
			var err error
			if u, err = uri.Parse(ref); err != nil {
				continue
			}
		}
		label, _, _ = strings.Cut(label, ",")
		a.found = append(a.found, placed{f.Start, Link{URI: u.ASCII(), Ref: ref, Title: title(strings.Trim(label, `"^`))}, nil})
	}
}
