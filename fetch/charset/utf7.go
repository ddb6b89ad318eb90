package charset

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// newUTF7 decodes UTF-7 (RFC 2152): "+" begins base64 of UTF-16, "-" or any byte that is not base64 ends it.
func newUTF7() transform.Transformer {
	var within bool
	var bits uint32 // those not yet used, count of them
	var count int
	var high rune // the first half of a surrogate pair, or 0
	d := &unitDecoder{reset: func() { within, bits, count, high = false, 0, 0, 0 }}
	end := func() (out []rune) {
		if high != 0 {
			out = []rune{utf8.RuneError}
		}
		within, bits, count, high = false, 0, 0, 0
		return out
	}
	d.next = func(src []byte) ([]rune, int) {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		c := src[0]
		if !within {
			switch {
			case c != '+':
				return oneByte(c), 1
			case len(src) < 2:
				return nil, 0
			case src[1] == '-':
				return []rune{'+'}, 2
			}
			within = true
			return nil, 1
		}
		v := strings.IndexByte(alphabet, c)
		if v < 0 {
			if c == '-' {
				return end(), 1
			}
			return append(end(), oneByte(c)...), 1
		}
		bits, count = bits<<6|uint32(v), count+6
		if count < 16 {
			return nil, 1
		}
		count -= 16
		unit := rune(bits >> count & 0xffff)
		bits &= 1<<count - 1
		first := high
		high = 0
		switch {
		case first != 0 && utf16.DecodeRune(first, unit) != utf8.RuneError:
			return []rune{utf16.DecodeRune(first, unit)}, 1
		case first != 0:
			return []rune{utf8.RuneError, unit}, 1
		case unit >= 0xd800 && unit < 0xdc00:
			high = unit
			return nil, 1
		}
		return []rune{unit}, 1
	}
	return d
}
