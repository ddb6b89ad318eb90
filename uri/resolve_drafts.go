package uri

import "strings"

// appendDrafts resolves as the drafts say: S0, S1 and RFC 1630 "Partial (relative) form", with D1-D11; S3 in mode url6.
func (m Mode) appendDrafts(dst []byte, base, ref URI) []byte {
	rs := ref.s
	if m == URL6 && ref.scheme != 0 && strings.EqualFold(ref.s[:ref.scheme], base.s[:base.scheme]) {
		rs = ref.s[ref.start():] // S3: the scheme may be left out when it is equal, or repeated
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
	dst = base.appendDir(dst)
	dst = append(dst, rs[:tail]...)
	start := i + int(base.path)
	if m == URL6 {
		dst = dst[:start+len(removeURL6(dst[start:]))]
	} else {
		dst = dst[:start+len(removeDraftDots(dst[start:]))]
	}
	return append(base.guard(dst, i, start), rs[tail:]...)
}

// slashes is the number of slashes that s starts with.
func slashes(s string) int { return len(s) - len(strings.TrimLeft(s, "/")) }

// cut is the length of the context's part that stays before a reference that
// starts with n slashes: all before the first run of exactly n slashes.
func (m Mode) cut(base URI, n int) int {
	if m == URL6 { // S3: a leading slash is an absolute path
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
			best = -1 // RFC 1630 as printed: no longer run to its right
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

// appendDir appends the context up to its last slash; D9 where an authority
// stands without a path, D10 where there is no slash.
func (u URI) appendDir(dst []byte) []byte {
	p := u.s[u.path:u.query]
	dst = append(dst, u.s[:u.path]...)
	if p == "" && u.path != u.start() {
		return append(dst, '/')
	}
	return append(dst, p[:strings.LastIndexByte(p, '/')+1]...)
}

// removeDraftDots removes "./" and "xxx/../", complete elements only, in place
// (D3); a last "." or ".." is read as "./" or "../" (D4).
func removeDraftDots(b []byte) []byte {
	w := 0
	for r := 0; r < len(b); {
		e := r
		for e < len(b) && b[e] != '/' {
			e++
		}
		next := min(e+1, len(b))
		switch el := b[r:e]; {
		case len(el) == 1 && el[0] == '.':
		case len(el) == 2 && el[0] == '.' && el[1] == '.' && parent(b[:w]) >= 0:
			w = parent(b[:w])
		default:
			w += copy(b[w:], b[r:next])
		}
		r = next
	}
	return b[:w]
}

// parent is where the last element of out starts, if ".." may remove it: it is
// not void, no ".." itself, and follows exactly one slash (D3); else -1.
func parent(out []byte) int {
	if len(out) < 2 || out[len(out)-1] != '/' {
		return -1
	}
	i := len(out) - 1
	for i > 0 && out[i-1] != '/' {
		i--
	}
	el := out[i : len(out)-1]
	if i == 0 || len(el) == 0 || i > 1 && out[i-2] == '/' || string(el) == ".." {
		return -1
	}
	return i
}

// removeURL6 removes "/xxx/.." and "/." in place, as S3 has it.
func removeURL6(b []byte) []byte {
	w := 0
	for r := 0; r < len(b); {
		e := r + 1
		for e < len(b) && b[e] != '/' {
			e++
		}
		switch k := dots(b[r:e]); {
		case k == 1:
		case k == 2 && url6Parent(b[:w]) >= 0:
			w = url6Parent(b[:w])
		default:
			w += copy(b[w:], b[r:e])
		}
		r = e
	}
	return b[:w]
}

// url6Parent is where "/xxx" at the end of out starts, -1 if ".." may not remove it.
func url6Parent(out []byte) int {
	i := len(out)
	for i > 0 && out[i-1] != '/' {
		i--
	}
	if i == 0 || i == len(out) || i > 1 && out[i-2] == '/' || string(out[i:]) == ".." {
		return -1
	}
	return i - 1
}
