package mimemail

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch/charset"
	"golang.org/x/text/encoding/charmap"
)

// Words decodes the encoded words (RFC 2047) of a header field into UTF-8. Words that cannot be decoded are left unchanged. Raw bytes are
// UTF-8 if they are valid, else in the charset that charset.Detect guesses. Control characters become blanks.
func Words(value string) string { return WordsIn(value, "") }

// WordsIn is Words for a field of a message whose text is in a charset: raw bytes that are not UTF-8 are in it, as RFC 1036 and old mail programs
// have it. The empty label means an unknown one.
func WordsIn(value, label string) string {
	return plain(decodeWords(value, func(s string) string { return rawText(s, label) }))
}

// EncodedWords decodes only the encoded words of a field. Its raw bytes stay as they are, so that nothing is lost of a field whose charset is
// unknown.
func EncodedWords(value string) string {
	return decodeWords(value, func(s string) string { return s })
}

// Charset returns the charset of raw bytes in the fields of h: that of the body, or else one that is guessed from all fields. It returns "" if
// they are ASCII.
func (h Header) Charset() string {
	_, params := h.Type()
	if label := params["charset"]; charset.Lookup(label) != nil {
		return label
	}
	var raw strings.Builder
	for _, f := range h {
		if !isASCII(f.Value) {
			raw.WriteString(f.Value + "\n")
		}
	}
	return charset.Detect([]byte(raw.String()))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || r == 0x1b }) < 0
}

// rawText decodes bytes without a charset of their own.
func rawText(s, label string) string {
	switch {
	case isASCII(s):
		return s
	case strings.Contains(s, "\x1b"): // the escapes of ISO-2022 are of no other charset
		if found := charset.Detect([]byte(s)); found != "" {
			return charset.TextIn(s, found)
		}
	case utf8.ValidString(s):
		return s
	}
	if charset.Lookup(label) == nil || charset.IsWide(label) { // fields are not written in UTF-16 or EBCDIC, as the body may be
		return charset.Text(s)
	}
	return charset.TextIn(s, label)
}

// An encodedWord is one word of RFC 2047: its charset, and its bytes.
type encodedWord struct {
	label string
	data  string
	end   int // after it
}

// decodeWords decodes the encoded words in value, and what is between them by raw. Blanks between two words are not part of the text (RFC 2047
// section 6.2).
//
// QUIRK: a character of several bytes may be split between two words, although section 5 forbids it: old mail programs cut Japanese and Chinese
// subjects anywhere. The bytes of adjacent words in one charset are decoded together.
func decodeWords(value string, raw func(string) string) string {
	var out strings.Builder
	x := words{value: value}
	at := 0 // the end of the text that is done
	for {
		i := strings.Index(value[at:], "=?")
		if i < 0 {
			break
		}
		start := at + i
		w, ok := x.at(start)
		if !ok {
			out.WriteString(raw(value[at : start+2]))
			at = start + 2
			continue
		}
		out.WriteString(raw(value[at:start]))
		data := []byte(w.data)
		for {
			next, ok := x.at(w.end + blanks(value[w.end:]))
			if !ok {
				break
			}
			if next.label != w.label {
				out.WriteString(wordText(w.label, string(data)))
				data = data[:0]
			}
			w, data = next, append(data, next.data...)
		}
		out.WriteString(wordText(w.label, string(data)))
		at = w.end
	}
	out.WriteString(raw(value[at:]))
	return out.String()
}

func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }

// words finds the words of a value, at ascending places.
type words struct {
	value  string
	closes int // the first "?=" after the last place, looked up once for all places before it
}

// at parses the word at a place.
func (x *words) at(place int) (w encodedWord, ok bool) {
	rest, is := strings.CutPrefix(x.value[place:], "=?")
	label, rest, has := strings.Cut(rest, "?")
	if !is || !has || label == "" || strings.ContainsAny(label, " \t") || len(rest) < 2 || rest[1] != '?' {
		return w, false
	}
	text := len(x.value) - len(rest) + 2
	if x.closes < text {
		i := strings.Index(rest[2:], "?=")
		if i < 0 {
			i = len(x.value)
		}
		x.closes = text + i
	}
	if x.closes >= len(x.value) {
		return w, false
	}
	data := x.value[text:x.closes]
	w.end = x.closes + len("?=")
	w.label, _, _ = strings.Cut(strings.ToLower(label), "*") // without the language (RFC 2231 section 5)
	switch rest[0] {
	case 'q', 'Q':
		w.data = unquoted(data)
	case 'b', 'B':
		if strings.Contains(data, "?") { // it is not decoded again and again for each "=?" in it
			return w, false
		}
		b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Join(strings.Fields(data), ""), "="))
		if err != nil {
			return w, false
		}
		w.data = string(b)
	default:
		return w, false
	}
	return w, true
}

// unquoted decodes the encoding Q. A "=" that is not one of an escape stays.
func unquoted(s string) string { return unescaped(strings.ReplaceAll(s, "_", " "), '=') }

// unescaped decodes the escapes of a text, which are a mark and two hexadecimal digits. Others stay.
func unescaped(s string, mark byte) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == mark && i+2 < len(s) {
			if c, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				b.Write(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// wordText decodes the bytes of words into a line of UTF-8. Bytes with the label Latin-1, UTF-8 or an unknown one may be UTF-8 or not.
func wordText(label, data string) string {
	if e := charset.Lookup(label); e != nil && e != charmap.Windows1252 {
		return plain(charset.TextIn(data, label))
	}
	return plain(rawText(data, label))
}

// plain returns s as one line of valid UTF-8: control characters are blanks. Those of C1, which are bytes that a charset does not have, are U+FFFD, so
// that their place is visible.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80 && control(r):
			return utf8.RuneError
		case control(r):
			return ' '
		}
		return r
	}, s)
}

func control(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }

// ExtendedValue decodes the value of a parameter such as filename*, charset'language'bytes (RFC 2231 section 4, RFC 8187 section 3.2), in any charset
// that mail uses. It returns false if it has another form, or the charset is unknown.
func ExtendedValue(v string) (text string, ok bool) {
	label, rest, ok := strings.Cut(v, "'")
	_, value, has := strings.Cut(rest, "'")
	if !ok || !has || label != "" && !charset.IsKnown(label) {
		return "", false
	}
	data := unescaped(value, '%')
	if charset.Lookup(label) != nil {
		return charset.TextIn(data, label), true
	}
	return rawText(data, label), true
}

// parameter returns the text of a parameter in any of its forms: name, name* and name*0, name*1 and so on (RFC 2231). params are the parameters that
// package mime has parsed; it drops those in charsets other than UTF-8.
func parameter(field, name string, params map[string]string) string {
	extended := map[string]string{}
	_, rest, _ := strings.Cut(field, ";")
	for p := range strings.SplitSeq(rest, ";") {
		key, value, ok := strings.Cut(p, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); ok && strings.HasPrefix(key, name+"*") {
			extended[key] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	whole := extended[name+"*"]
	if whole == "" && extended[name+"*0*"] != "" {
		for i, has := 0, true; has; i++ {
			var part string
			key := name + "*" + strconv.Itoa(i)
			if part, has = extended[key+"*"]; !has {
				part, has = extended[key]
				part = strings.ReplaceAll(part, "%", "%25")
			}
			whole += part
		}
	}
	if text, ok := ExtendedValue(whole); ok {
		return plain(text)
	}
	return Words(params[name])
}
