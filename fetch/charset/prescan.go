package charset

import (
	"bytes"
	"strings"

	"example.org/deref/uri/markup"
)

// htmlWhite is the white space of HTML.
const htmlWhite = " \t\n\f\r"

// metaCharset returns the charset declared in p, the beginning of an HTML page. It returns "" if there is none, or if it is unknown. HTML Standard
// section 13.2.3.2.
func metaCharset(p []byte) string {
	for i := 0; i < len(p); {
		rest := p[i:]
		switch {
		case rest[0] != '<':
			i++
		case bytes.HasPrefix(rest, []byte("<!--")):
			n := bytes.Index(rest[2:], []byte("-->")) // the same dashes may begin and end it: <!-->
			if n < 0 {
				return ""
			}
			i += 2 + n + len("-->")
		case isMeta(rest):
			label, n := declared(rest)
			if label != "" || n < 0 {
				return label
			}
			i += n
		case len(rest) > 1 && isLetter(rest[1]), len(rest) > 2 && rest[1] == '/' && isLetter(rest[2]):
			n := eachAttribute(rest, func(string, string) {})
			if n < 0 {
				return ""
			}
			i += n
		case len(rest) > 1 && strings.IndexByte("!/?", rest[1]) >= 0:
			n := bytes.IndexByte(rest, '>')
			if n < 0 {
				return ""
			}
			i += n + 1
		default:
			i++
		}
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isMeta(p []byte) bool {
	const name = "<meta"
	return len(p) > len(name) && strings.EqualFold(string(p[:len(name)]), name) && strings.IndexByte(htmlWhite+"/", p[len(name)]) >= 0
}

// eachAttribute calls f with the attributes of the tag at the beginning of p. It returns the length of the tag, or -1 if it is incomplete.
func eachAttribute(p []byte, f func(name, value string)) int {
	end := 1
	if end += bytes.IndexAny(p[1:], htmlWhite+">"); end == 0 {
		return -1
	}
	for a := range markup.Attributes(p) {
		f(strings.ToLower(string(p[a.Name:a.NameEnd])), string(p[a.Value:a.ValueEnd]))
		if end = max(a.NameEnd, a.ValueEnd); a.Quoted {
			end++
		}
	}
	for end < len(p) && p[end] != '>' {
		end++
	}
	if end >= len(p) {
		return -1
	}
	return end + 1
}

// declared returns the charset that a <meta> declares, or "", and the length of the tag.
func declared(p []byte) (label string, n int) {
	seen := map[string]bool{}
	isPragma, needsPragma := false, false
	n = eachAttribute(p, func(name, value string) {
		if seen[name] {
			return
		}
		seen[name] = true
		switch name {
		case "http-equiv":
			isPragma = strings.EqualFold(value, "content-type")
		case "content":
			if inner := charsetOf(value); label == "" && inner != "" {
				label, needsPragma = inner, true
			}
		case "charset":
			label, needsPragma = value, false
		}
	})
	if n < 0 || needsPragma && !isPragma {
		return "", n
	}
	if folded(label) == "x-user-defined" {
		return "windows-1252", n
	}
	return readable(label), n
}

// charsetOf returns the charset in the content of a <meta>. HTML Standard section 2.4.4 (extracting a character encoding).
func charsetOf(content string) string {
	const name = "charset"
	for {
		i := strings.Index(strings.ToLower(content), name)
		if i < 0 {
			return ""
		}
		content = strings.TrimLeft(content[i+len(name):], htmlWhite)
		rest, ok := strings.CutPrefix(content, "=")
		if !ok {
			continue
		}
		if rest = strings.TrimLeft(rest, htmlWhite); rest == "" {
			return ""
		}
		if rest[0] == '"' || rest[0] == '\'' {
			inner, _, closed := strings.Cut(rest[1:], rest[:1])
			if !closed {
				return ""
			}
			return inner
		}
		if end := strings.IndexAny(rest, htmlWhite+";"); end >= 0 {
			return rest[:end]
		}
		return rest
	}
}
