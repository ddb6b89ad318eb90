// Package mailtext turns the header fields of messages into text: encoded words (RFC 2047) of the charsets that mail and news are
// written in, and raw octets, which are UTF-8 where they can be and else Latin-1.
package mailtext

import (
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// Words returns the text of a field in UTF-8. Words that cannot be decoded stay as they are; control characters become blanks.
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

// plain makes valid UTF-8 of one line.
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

// latin1 reads octets as ISO 8859-1, in which every one is something.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

func charsetReader(label string, in io.Reader) (io.Reader, error) {
	if e := Charset(label); e != nil {
		return transform.NewReader(in, e.NewDecoder()), nil
	}
	b, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	return strings.NewReader(plain(string(b))), nil
}

// Charset finds a charset of single octets by its label, nil if it is not known or nothing need be done.
func Charset(label string) encoding.Encoding {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "iso-8859-2", "latin2":
		return charmap.ISO8859_2
	case "iso-8859-3":
		return charmap.ISO8859_3
	case "iso-8859-4":
		return charmap.ISO8859_4
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-6":
		return charmap.ISO8859_6
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-8", "iso-8859-8-i":
		return charmap.ISO8859_8
	case "iso-8859-9", "latin5":
		return charmap.ISO8859_9
	case "iso-8859-10":
		return charmap.ISO8859_10
	case "iso-8859-13":
		return charmap.ISO8859_13
	case "iso-8859-14":
		return charmap.ISO8859_14
	case "iso-8859-15", "latin-9", "latin9":
		return charmap.ISO8859_15
	case "iso-8859-16":
		return charmap.ISO8859_16
	case "windows-1250", "cp1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251":
		return charmap.Windows1251
	case "windows-1252", "cp1252":
		return charmap.Windows1252
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1254":
		return charmap.Windows1254
	case "windows-1255":
		return charmap.Windows1255
	case "windows-1256":
		return charmap.Windows1256
	case "windows-1257":
		return charmap.Windows1257
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "cp437", "ibm437":
		return charmap.CodePage437
	case "cp850", "ibm850":
		return charmap.CodePage850
	case "cp866", "ibm866":
		return charmap.CodePage866
	case "macintosh":
		return charmap.Macintosh
	}
	return nil
}
