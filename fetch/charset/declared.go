package charset

import (
	"bytes"
	"mime"
	"strings"

	"example.org/deref/fetch/mediatype"
)

// LabelOf returns the charset parameter of a Content-Type. It returns "" if there is none.
//
// QUIRK: servers write `charset = koi8-r` and `charset='koi8-r'`, which RFC 9110 section 5.6.6 does not allow. They mean it, so these are parsed as
// the declaration in a page is.
func LabelOf(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if label := params["charset"]; err == nil && label != "" {
		return strings.Trim(label, `'"`)
	}
	_, rest, _ := strings.Cut(contentType, ";")
	return charsetOf(rest)
}

// pageCharset returns the charset declared in p, the beginning of a page or an XML document. It returns "" if there is none. whole is set if p is
// all that counts.
//
// In HTML, a <meta> takes precedence over an XML declaration (HTML Standard section 13.2.3.2); in XML there is only the latter.
func pageCharset(kind string, p []byte, whole bool) string {
	for i, start := range [...]string{"<\x00?\x00x\x00", "\x00<\x00?\x00x"} {
		if bytes.HasPrefix(p, []byte(start)) {
			return [...]string{"utf-16le", "utf-16be"}[i]
		}
	}
	switch {
	case kind == css:
		return cssCharset(p)
	case !mediatype.IsPage(kind):
		return xmlCharset(p)
	case kind == "application/xhtml+xml":
		if label := xmlCharset(p); label != "" {
			return label
		}
	}
	if label := metaCharset(p); label != "" || !whole {
		return label
	}
	return xmlCharset(p)
}

// xmlCharset returns the encoding that an XML declaration at the beginning of p names, which must be complete. HTML Standard section 13.2.3.2, "get
// an XML encoding".
func xmlCharset(p []byte) string {
	p, is := bytes.CutPrefix(p, []byte("<?xml"))
	declaration, _, closed := bytes.Cut(p, []byte(">"))
	if !is || !closed {
		return ""
	}
	_, rest, ok := bytes.Cut(declaration, []byte("encoding"))
	if rest = bytes.TrimLeft(rest, controls); !ok || len(rest) == 0 || rest[0] != '=' {
		return ""
	}
	if rest = bytes.TrimLeft(rest[1:], controls); len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, closed := bytes.Cut(rest[1:], rest[:1])
	if !closed || bytes.IndexFunc(name, func(r rune) bool { return r <= ' ' }) >= 0 {
		return ""
	}
	return readable(string(name))
}

// readable returns the label of a declaration that was read as ASCII: "" if browsers do not know it, and UTF-8 instead of UTF-16, in which the
// declaration would not be readable.
func readable(label string) string {
	switch name, web := nameOf(label); {
	case !web:
		return ""
	case strings.HasPrefix(name, "utf-16"):
		return UTF8
	}
	return label
}

// css is the media type of style sheets.
const css = "text/css"

// cssCharset returns the encoding that a rule at the beginning of a style sheet names: CSS Syntax 3 section 3.2. It must have exactly this form.
func cssCharset(p []byte) string {
	p, is := bytes.CutPrefix(p, []byte(`@charset "`))
	name, _, closed := bytes.Cut(p, []byte(`";`))
	if !is || !closed {
		return ""
	}
	return readable(string(name))
}

// controls are the bytes that the Standard skips in an XML declaration.
const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "
