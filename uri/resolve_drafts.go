package uri

import (
	"bytes"
	"strings"
)

// appendDrafts resolves by RFC 1630 and the URI drafts of 1993 and 1994, "Partial (relative) form", with D2 to D11. Mode url6 follows the URL
// draft of July 1993.
func (m Mode) appendDrafts(dst []byte, base, ref URI) []byte {
	rs := ref.s
	if m == URL6 && ref.scheme != 0 && strings.EqualFold(ref.s[:ref.scheme], base.s[:base.scheme]) {
		rs = ref.s[ref.start():] // the July 1993 draft: an equal scheme may be omitted or repeated
	} else if ref.scheme != 0 { // D7, D8
		return append(dst, ref.s...)
	}
	if rs == "" || rs[0] == '#' { // D5
		return append(append(dst, base.s[:base.frag]...), rs...)
	}
	c := base.s[:base.query] // D6
	if n := slashes(rs); n > 0 {
		return append(append(dst, c[:m.cut(base, n)]...), rs...)
	}
	tail := strings.IndexAny(rs, "?#")
	if tail < 0 {
		tail = len(rs)
	}
	i := len(dst)
	dst = append(append(dst, base.s[:base.path]...), base.merge(m)...) // D9, D10
	dst = append(dst, rs[:tail]...)
	start := i + int(base.path)
	if m == URL6 {
		dst = dst[:start+len(removeURL6(dst[start:]))]
	} else {
		dst = dst[:start+len(removeDraftDots(dst[start:]))]
	}
	return append(base.guard(dst, i, start), rs[tail:]...)
}

// slashes returns the number of slashes at the start of s.
func slashes(s string) int { return len(s) - len(strings.TrimLeft(s, "/")) }

// cut returns the length of the part of base that stays before a reference that starts with n slashes: all before the first run of exactly n
// slashes.
func (m Mode) cut(base URI, n int) int {
	if m == URL6 { // the July 1993 draft: a leading slash is an absolute path
		if n == 1 {
			return int(base.path)
		}
		return int(base.start())
	}
	c := base.s[:base.query]
	best := -1
	for i := int(base.start()); i < len(c); {
		k := slashes(c[i:])
		switch {
		case k == n && best < 0:
			best = i
		case k > n && m == RFC1630Amended:
			best = -1 // RFC 1630 as printed: no longer run of slashes follows the part
		}
		i += max(k, 1)
	}
	switch {
	case best >= 0:
		return best
	case n == 1 && base.path != base.start() && base.path == base.query: // D2
		return int(base.path)
	}
	return int(base.start())
}

// removeDraftDots removes "./" and "xxx/../" in place, complete elements only (D3). It reads a last "." or ".." as "./" or "../" (D4).
func removeDraftDots(b []byte) []byte {
	w := 0
	for r := 0; r < len(b); {
		e := r
		for e < len(b) && b[e] != '/' {
			e++
		}
		next := min(e+1, len(b))
		switch el := b[r:e]; {
		case string(el) == ".":
		case string(el) == ".." && w > 0 && parent(b[:w-1]) >= 0:
			w = parent(b[:w-1])
		default:
			w += copy(b[w:], b[r:next])
		}
		r = next
	}
	return b[:w]
}

// parent returns the start of the last element of out, which has no slash at its end, or -1 if ".." may not remove it: it is empty or ".." (D3).
func parent(out []byte) int {
	i := bytes.LastIndexByte(out, '/') + 1
	if i == len(out) || string(out[i:]) == ".." {
		return -1
	}
	return i
}

// removeURL6 removes "/xxx/.." and "/." in place, as in the July 1993 draft.
func removeURL6(b []byte) []byte {
	w := 0
	for r := 0; r < len(b); {
		e := r + 1
		for e < len(b) && b[e] != '/' {
			e++
		}
		switch k := dots(b[r:e]); {
		case k == 1:
		case k == 2 && parent(b[:w]) > 0:
			w = parent(b[:w]) - 1
		default:
			w += copy(b[w:], b[r:e])
		}
		r = e
	}
	return b[:w]
}
