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
