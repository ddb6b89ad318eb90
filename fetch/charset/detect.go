package charset

import (
	"bytes"
	"math"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// window is how many bytes of a text Detect examines, from the first one that is not ASCII.
const window = 4 << 10

// Detect guesses the charset of a text from p, its beginning, for texts that declare none. It returns a label for Lookup, "utf-8", or "" if p has
// only ASCII. The first of these that applies decides:
//
//   - a byte order mark
//   - UTF-16 without one: the bytes contain NUL, and in one order they are all printable characters
//   - the escapes of ISO-2022-JP or ISO-2022-KR, or the tildes of HZ
//   - UTF-8: the bytes are valid
//   - statistics of letters: Cyrillic (KOI8, windows-1251, CP866, ISO-8859-5, Macintosh), Japanese, Chinese, Korean, Greek, Hebrew, Arabic, Thai,
//     Turkish, Baltic, Central and Western European sets of ISO, Windows and the PC, the line drawing of the PC, and UTF-8 with a few other bytes
//
// What is like none of these is windows-1252. At most 4 KiB from the first byte that is not ASCII are examined. A guess from a few words can be
// wrong; one from a sentence rarely is. A few bytes that a charset does not have, or that it has not assigned, count much against it, but one bad
// byte does not outweigh a long text. ASCII with bytes of UTF-8 and few others is UTF-8.
func Detect(p []byte) string {
	if mark := byteOrderMark(p); mark != "" {
		return mark
	}
	if label := wideOrder(p[:min(len(p), window)]); label != "" {
		return label
	}
	high := fromHigh(p)
	switch {
	case len(high) == 0:
		return escaped(p[:min(len(p), 4*window)])
	case isUTF8(high):
		return UTF8
	}
	label, _ := likeliest(high, "")
	return label
}

// fromHigh returns the part of p that is examined, from the byte before the first one that is not ASCII. It returns nil if there is none.
func fromHigh(p []byte) []byte {
	at := bytes.IndexFunc(p, func(r rune) bool { return r >= utf8.RuneSelf })
	if at < 0 {
		return nil
	}
	return p[max(0, at-1):min(len(p), at+window)]
}

// Guess is Detect for the beginning of a longer text. It returns false if p is too short for a decision; whole is set if nothing follows. The result
// does not depend on how much follows the part that decides: 4 KiB from the first byte that is not ASCII, or 16 characters of UTF-8. A mark is not
// considered.
func Guess(p []byte, whole bool) (label string, ok bool) {
	for at := 0; ; {
		n, more := trigger(p[at:], whole)
		if at += n; at == len(p) {
			return "", true
		}
		if more {
			return "", false
		}
		if label, ok := guess(p[max(0, at-1):at], p[at:], whole); label != "" || !ok {
			return label, ok
		}
		at = min(len(p), at+window)
	}
}

// guess is Guess for p from the byte that triggers it. before is the byte before p, if there is one.
func guess(before, p []byte, whole bool) (label string, ok bool) {
	if utf8Proof(p) {
		return UTF8, true
	}
	if len(p) < window && !whole {
		return "", false
	}
	return Detect(append(slices.Clip(before), p[:min(len(p), window)]...)), true
}

// byteOrderMark returns the charset of the mark at the beginning of a text. FF FE 00 00 is UTF-32, because a text does not
// begin with NUL.
func byteOrderMark(p []byte) string {
	switch {
	case bytes.HasPrefix(p, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(p, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(p, []byte("\x00\x00\xfe\xff")):
		return "utf-32"
	case bytes.HasPrefix(p, []byte("\xfe\xff")):
		return "utf-16be"
	case bytes.HasPrefix(p, []byte("\xff\xfe")):
		return "utf-16le"
	}
	return ""
}

// isUTF8 reports whether p is UTF-8, but for a character that is cut at its end. At least one character must be complete, and all assigned.
func isUTF8(p []byte) bool {
	whole := false
	for len(p) > 0 && utf8.FullRune(p) {
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 || r >= utf8.RuneSelf && !isAssigned(r) {
			return false
		}
		whole = whole || size > 1
		p = p[size:]
	}
	return whole
}

// isAssigned reports whether texts may contain r, which is not ASCII.
func isAssigned(r rune) bool {
	return unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp)
}

// wideOrder returns the order of UTF-16 without a mark. It returns "" if p is not UTF-16. Texts in other charsets have no NUL, and UTF-16 has one
// at least in each line end. In the right order there are fewer different high bytes, because characters of one script are next to each other.
func wideOrder(p []byte) string {
	if len(p) < 4 || bytes.IndexByte(p, 0) < 0 {
		return ""
	}
	le, be := wideBlocks(p, 1), wideBlocks(p, 0)
	switch {
	case le == 0 && be == 0:
		return ""
	case be == 0 || le > 0 && le <= be:
		return "utf-16le"
	}
	return "utf-16be"
}

// wideBlocks returns the number of different high bytes if p is UTF-16 with the high byte of each pair at the given offset. It returns 0 if p has
// characters that are not in texts.
func wideBlocks(p []byte, high int) int {
	var seen [256]bool
	n, ascii, first := 0, 0, rune(0)
	for i := 0; i+1 < len(p); i += 2 {
		h := p[i+high]
		r := rune(h)<<8 | rune(p[i+1-high])
		switch {
		case first != 0 && utf16.DecodeRune(first, r) == utf8.RuneError:
			return 0
		case first != 0:
			r, first = 'x', 0
		case utf16.IsSurrogate(r):
			first = r
			r = 'x'
		}
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) && r != '\b' && r != 0x1b && r != 0x1a && r != 0xfeff {
			return 0
		}
		if !seen[h] {
			seen[h] = true
			n++
		}
		if h >= ' ' && h != 0x30 && p[i] < utf8.RuneSelf && p[i+1] < utf8.RuneSelf { // two of ASCII, or one of Chinese but not kana
			ascii++
		}
	}
	if pairs := len(p) / 2; ascii*4 > pairs && (pairs < 10 || ascii*2 > pairs) {
		return 0
	}
	return n
}

// escaped returns the charset of an ASCII text with the escapes of one, else "".
func escaped(p []byte) string {
	switch {
	case bytes.Contains(p, []byte("\x1b$B")), bytes.Contains(p, []byte("\x1b$@")), bytes.Contains(p, []byte("\x1b(J")), bytes.Contains(p, []byte("\x1b$(D")):
		return "iso-2022-jp"
	case bytes.Contains(p, []byte("\x1b$)C")):
		return "iso-2022-kr"
	case isHZ(p):
		return "hz-gb-2312"
	}
	return ""
}

// isHZ reports whether p has Chinese words between "~{" and "~}" (RFC 1843). Braces after a tilde are also in programs, so most of the characters
// must be common ones.
func isHZ(p []byte) bool {
	high := []byte{}
	for {
		_, rest, ok := bytes.Cut(p, []byte("~{"))
		if !ok {
			break
		}
		words, after, closed := bytes.Cut(rest, []byte("~}"))
		if len(words)%2 != 0 || bytes.IndexFunc(words, func(r rune) bool { return r <= ' ' || r >= 0x7f }) >= 0 {
			return false
		}
		for _, c := range words {
			high = append(high, c|0x80)
		}
		if p = after; !closed {
			break
		}
	}
	return len(high) > 0 && chinese().score(high, math.Inf(-1)) > float64(len(high))*-4.6
}
