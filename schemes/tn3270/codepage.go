package tn3270

import (
	"strings"

	"golang.org/x/text/encoding/charmap"

	"example.org/deref/fetch"
)

// A codePage is a code page of EBCDIC: a table of golang.org/x/text, with other characters for some bytes.
type codePage struct {
	base  *charmap.Charmap
	bytes string
	runes []rune
}

// pageOf returns the code page of the setting tn3270.code-page. Most hosts use 037. 273, the German one, and 500, the international one, are
// differences between IBM's tables and 037.
func pageOf(o *fetch.Options) codePage {
	switch o.Get(setPage) {
	case "1047":
		return codePage{base: charmap.CodePage1047}
	case "1140":
		return codePage{base: charmap.CodePage1140}
	case "273":
		return codePage{charmap.CodePage037, "\x43\x4a\x4f\x59\x5a\x5f\x63\x6a\x7c\xa1\xb0\xb5\xba\xbb\xbc\xc0\xcc\xd0\xdc\xe0\xec\xfc",
			[]rune(`{Ä!~Ü^[ö§ß¢@¬|‾ä¦ü}Ö\]`)}
	case "500":
		return codePage{charmap.CodePage037, "\x4a\x4f\x5a\x5f\xb0\xba\xbb", []rune("[!]^¢¬|")}
	}
	return codePage{base: charmap.CodePage037}
}

// rune returns the character of a byte, a blank if it is not a visible one.
func (p codePage) rune(b byte) rune {
	r := p.base.DecodeByte(b)
	if i := strings.IndexByte(p.bytes, b); i >= 0 {
		r = p.runes[i]
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
