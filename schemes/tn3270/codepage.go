package tn3270

import (
	"golang.org/x/text/encoding/charmap"

	"example.org/deref/fetch"
)

// A codePage is a code page of EBCDIC.
type codePage struct {
	base  *charmap.Charmap
	other func(b byte) rune // where it differs from base, otherwise 0
}

// pageOf returns the code page of the setting tn3270.code-page. Most hosts use 037.
func pageOf(o *fetch.Options) codePage {
	switch o.Get(setPage) {
	case "1047":
		return codePage{charmap.CodePage1047, same}
	case "1140":
		return codePage{charmap.CodePage1140, same}
	case "273":
		return codePage{charmap.CodePage037, page273}
	case "500":
		return codePage{charmap.CodePage037, page500}
	}
	return codePage{charmap.CodePage037, same}
}

func same(byte) rune { return 0 }

// page500 is the international code page, page273 the German one, as differences between IBM's tables and 037.
func page500(b byte) rune {
	switch b {
	case 0x4a:
		return '['
	case 0x4f:
		return '!'
	case 0x5a:
		return ']'
	case 0x5f:
		return '^'
	case 0xb0:
		return '¢'
	case 0xba:
		return '¬'
	case 0xbb:
		return '|'
	}
	return 0
}

func page273(b byte) rune {
	const from = "\x43\x4a\x4f\x59\x5a\x5f\x63\x6a\x7c\xa1\xb0\xb5\xba\xbb\xbc\xc0\xcc\xd0\xdc\xe0\xec\xfc"
	to := [...]rune{'{', 'Ä', '!', '~', 'Ü', '^', '[', 'ö', '§', 'ß', '¢', '@', '¬', '|', '‾', 'ä', '¦', 'ü', '}', 'Ö', '\\', ']'}
	for i := range len(from) {
		if from[i] == b {
			return to[i]
		}
	}
	return 0
}

// rune returns the character of a byte, a blank if it is not a visible one.
func (p codePage) rune(b byte) rune {
	r := p.other(b)
	if r == 0 {
		r = p.base.DecodeByte(b)
	}
	if b < 0x40 || b == 0xff || r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// octet returns the byte of a character. It returns false if there is none.
func (p codePage) octet(r rune) (byte, bool) {
	for b := 0x40; b < 0xff; b++ {
		if p.rune(byte(b)) == r && (r != ' ' || b == 0x40) {
			return byte(b), true
		}
	}
	return 0, false
}
