package uri

// removeDots removes the dot segments of the path b in place and returns the result. RFC 3986 §5.2.4. With keep, a ".." that has nothing to
// remove stays, as in RFC 1808 §4 and RFC 2396 §5.2.
func removeDots(b []byte, keep bool) []byte {
	if !dotted(b) {
		return b
	}
	r := leadingDots(b, keep)
	w := 0
	for r < len(b) {
		e := r + 1 // the segment is b[r:e], with its slash in front
		for e < len(b) && b[e] != '/' {
			e++
		}
		switch dots(b[r:e]) {
		case 2:
			if keep && surplus(b[:w]) {
				w += copy(b[w:], b[r:e])
				break
			}
			for w > 0 {
				if w--; b[w] == '/' {
					break
				}
			}
			fallthrough
		case 1:
			if e == len(b) {
				b[w] = '/'
				w++
			}
		default:
			w += copy(b[w:], b[r:e])
		}
		r = e
	}
	return b[:w]
}

// dotted reports whether a segment of b starts with a dot.
func dotted(b []byte) bool {
	for i, c := range b {
		if c == '.' && (i == 0 || b[i-1] == '/') {
			return true
		}
	}
	return false
}

// leadingDots returns the length of the prefix that steps 2A and 2D remove.
func leadingDots(b []byte, keep bool) int {
	r := 0
	for r < len(b) && b[r] == '.' {
		n := 1
		if !keep && r+1 < len(b) && b[r+1] == '.' {
			n = 2
		}
		if r+n < len(b) && b[r+n] != '/' {
			break
		}
		if r += n; r < len(b) {
			r++
		}
	}
	return r
}

// dots returns 1 for "/.", 2 for "/.." and 0 for other segments.
func dots(seg []byte) int {
	switch {
	case len(seg) == 2 && seg[0] == '/' && seg[1] == '.':
		return 1
	case len(seg) == 3 && seg[0] == '/' && seg[1] == '.' && seg[2] == '.':
		return 2
	}
	return 0
}

// surplus reports whether a ".." after the path out has nothing to remove.
func surplus(out []byte) bool {
	n := len(out)
	return n == 0 || n >= 2 && out[n-1] == '.' && out[n-2] == '.' && (n == 2 || out[n-3] == '/')
}
