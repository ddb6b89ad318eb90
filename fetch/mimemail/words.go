package mimemail

import (
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// Words decodes the encoded words (RFC 2047) of a header field into UTF-8. Words that cannot be decoded are left unchanged. Raw bytes are
// UTF-8 if they are valid, else Latin-1. Control characters become blanks.
func Words(value string) string {
	if !strings.Contains(value, "=?") {
		return plain(value)
	}
	d := mime.WordDecoder{CharsetReader: charsetReader}
	if s, err := d.DecodeHeader(value); err == nil {
		return plain(s)
	}
	return plain(value)
}

// plain returns s as one line of valid UTF-8.
func plain(s string) string {
	if !utf8.ValidString(s) {
		s = latin1(s)
	}
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			return ' '
		}
		return r
	}, s)
}

func control(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }

// latin1 decodes ISO 8859-1, in which every byte is a character.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

func charsetReader(label string, in io.Reader) (io.Reader, error) {
	label, _, _ = strings.Cut(label, "*") // the language (RFC 2231 section 5)
	// Text with the label Latin-1 may be UTF-8. plain distinguishes them.
	if e := charset.Lookup(label); e != nil && e != charmap.Windows1252 {
		return transform.NewReader(in, e.NewDecoder()), nil
	}
	b, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	return strings.NewReader(plain(string(b))), nil
}
