package charset

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/transform"
)

// newISO2022KR decodes ISO-2022-KR (RFC 1557): a header ESC $ ) C, then SO and SI switch between ASCII and KS X 1001.
func newISO2022KR() transform.Transformer {
	const so, si = 0x0e, 0x0f
	shifted := false
	d := &unitDecoder{reset: func() { shifted = false }}
	d.next = func(src []byte) ([]rune, int) {
		const designation = "\x1b$)C"
		switch c := src[0]; {
		case c == 0x1b && len(src) < len(designation) && bytes.HasPrefix([]byte(designation), src):
			return nil, 0
		case bytes.HasPrefix(src, []byte(designation)):
			return nil, len(designation)
		case c == so || c == si:
			shifted = c == so
			return nil, 1
		case c == '\n' || c == '\r': // SO and SI hold for one line
			shifted = false
			return []rune{rune(c)}, 1
		case !shifted || c <= ' ' || c == 0x7f:
			return oneByte(c), 1
		case len(src) < 2:
			return nil, 0
		}
		return ksx1001(src[0]|0x80, src[1]|0x80), 2
	}
	return d
}

func oneByte(c byte) []rune {
	if c >= utf8.RuneSelf {
		return []rune{utf8.RuneError}
	}
	return []rune{rune(c)}
}

// ksx1001 returns the character of two bytes in the form of EUC-KR.
func ksx1001(lead, trail byte) []rune {
	var dst [utf8.UTFMax * 2]byte
	n, _, err := korean.EUCKR.NewDecoder().Transform(dst[:], []byte{lead, trail}, true)
	if r, size := utf8.DecodeRune(dst[:n]); err == nil && size == n {
		return []rune{r}
	}
	return []rune{utf8.RuneError}
}

// newJohab decodes Johab (KS X 1001:1992 annex 3, cp1361). A syllable is one bit and three letters of five bits each; hanja and symbols are rows
// of KS X 1001 in another place.
func newJohab() transform.Transformer {
	d := &unitDecoder{reset: func() {}}
	d.next = func(src []byte) ([]rune, int) {
		switch c := src[0]; {
		case c == '\\':
			return []rune{'₩'}, 1
		case c < utf8.RuneSelf:
			return []rune{rune(c)}, 1
		case len(src) < 2:
			return nil, 0
		case c < 0xd4:
			return johabSyllable(uint(c)<<8 | uint(src[1])), 2
		}
		return johabSymbol(src[0], src[1]), 2
	}
	return d
}

// johabSyllable returns a syllable (U+AC00 and later), or a single letter.
func johabSyllable(code uint) []rune {
	const lead, vowel, trail = 19, 21, 28
	const fill = -1
	at := func(bits uint, table string) int { // the table has a letter's index plus 'A', '.' for the filler, and ' ' for an invalid code
		switch c := table[bits&31]; c {
		case ' ':
			return -2
		case '.':
			return fill
		default:
			return int(c - 'A')
		}
	}
	l := at(code>>10, " .ABCDEFGHIJKLMNOPQRS           ")
	v := at(code>>5, "  .ABCDE  FGHIJK  LMNOPQ  RSTU  ")
	t := at(code, " .BCDEFGHIJKLMNOPQ RSTUVWXYZ[\\  ")
	letters := []rune("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")
	finals := []rune(" ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
	switch {
	case l == -2 || v == -2 || t == -2:
	case l >= 0 && v >= 0:
		return []rune{0xac00 + rune((l*vowel+v)*trail+max(t, 0))}
	case l >= 0 && t == fill:
		return []rune{letters[l%lead]}
	case v >= 0 && l == fill && t == fill:
		return []rune{'ㅏ' + rune(v)}
	case t > 0 && l == fill && v == fill:
		return []rune{finals[t]}
	}
	return []rune{utf8.RuneError}
}

// johabSymbol returns a hanja or symbol. Two rows of KS X 1001 share a lead byte.
func johabSymbol(c, d byte) []rune {
	low := d >= 0x31 && d <= 0x7e
	if !low && (d < 0x91 || d == 0xff) {
		return []rune{utf8.RuneError}
	}
	row, cell := 0, int(d)-0x31
	if !low {
		cell = int(d) - 0x91 + 78
	}
	switch {
	case c >= 0xd9 && c <= 0xde:
		row = 2*(int(c)-0xd9) + 0x21
	case c >= 0xe0 && c <= 0xf9:
		row = 2*(int(c)-0xe0) + 0x4a
	default:
		return []rune{utf8.RuneError}
	}
	if cell >= 94 {
		row, cell = row+1, cell-94
	}
	return ksx1001(byte(row)|0x80, byte(cell+0x21)|0x80)
}
