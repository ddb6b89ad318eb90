// Package charset finds the character sets of texts and header fields by the labels that documents, mail and news have for them. The
// encodings of East Asia are left out: their tables are larger than the rest of the program.
package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Lookup returns the encoding of a label; nil for UTF-8, ASCII, and labels that are not known.
func Lookup(label string) encoding.Encoding {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "iso-8859-1", "latin1", "l1", "iso_8859-1", "iso8859-1":
		return charmap.ISO8859_1
	case "iso-8859-2", "latin2", "iso_8859-2":
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
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "macintosh", "mac", "x-mac-roman":
		return charmap.Macintosh
	case "ibm437", "cp437":
		return charmap.CodePage437
	case "ibm850", "cp850":
		return charmap.CodePage850
	case "ibm866", "cp866":
		return charmap.CodePage866
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
	case "utf-16", "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	return nil
}
