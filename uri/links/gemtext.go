package links

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// Gemtext yields the links of a text/gemini document: lines with "=>", a reference and a title, except between lines with "```". r is its text in
// UTF-8; base resolves the references. If a reference is invalid, its Link comes with an error. A read error comes last, with a zero Link.
func Gemtext(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	verbatim := false
	return byLine(r, func(line string) (Link, bool, error) {
		if strings.HasPrefix(line, "```") {
			verbatim = !verbatim
		}
		ref, at := arrow(line)
		l, err := gemLink(ref, title(line[at+len(ref):]), base)
		return l, !verbatim && ref != "", err
	})
}

// arrow returns the reference of a link line and its offset. It returns "" for other lines.
func arrow(line string) (ref string, at int) {
	rest, ok := strings.CutPrefix(line, "=>")
	if !ok {
		return "", 0
	}
	ref = strings.TrimLeft(rest, " \t")
	at = len(line) - len(ref)
	if i := strings.IndexAny(ref, " \t\r\n"); i >= 0 {
		ref = ref[:i]
	}
	return ref, at
}

func gemLink(ref, title string, base uri.Resolver) (Link, error) {
	u, err := base.Resolve(ref)
	return Link{URI: u, Ref: ref, Element: "=>", Title: title}, err
}

// RewriteGemtext copies a text/gemini document from r to w with other references, like Rewrite.
func RewriteGemtext(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(Link) (ref string, changed bool)) error {
	verbatim := false
	return RewriteLines(w, r, func(line string) string {
		if strings.HasPrefix(line, "```") {
			verbatim = !verbatim
		}
		if verbatim {
			return line
		}
		return relinked(line, base, text, to)
	})
}

// RewriteLines copies a text from r to w with the lines, and their ends, that other returns. A line that is too long for a link is copied.
func RewriteLines(w io.Writer, r io.Reader, other func(line string) string) error {
	in, out := bufio.NewReaderSize(r, maxLine), bufio.NewWriter(w)
	for inside := false; ; { // a line that is too long
		line, err := in.ReadSlice('\n')
		isPart := errors.Is(err, bufio.ErrBufferFull)
		if inside || isPart {
			out.Write(line) // Flush returns the error
		} else {
			out.WriteString(other(string(line)))
		}
		switch inside = isPart; {
		case isPart || err == nil:
		case err == io.EOF:
			return out.Flush()
		default:
			return err
		}
	}
}

// relinked returns line with the new reference, if it is a link.
func relinked(line string, base uri.Resolver, text func([]byte) []byte, to func(Link) (string, bool)) string {
	ref, at := arrow(line)
	if ref == "" {
		return line
	}
	decoded := ref
	if text != nil {
		decoded = string(text([]byte(ref)))
	}
	l, err := gemLink(decoded, "", base)
	if err != nil {
		return line
	}
	if new, changed := to(l); changed {
		return line[:at] + new + line[at+len(ref):]
	}
	return line
}
