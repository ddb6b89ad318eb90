package uri

import "strings"

// appendRFC2396 resolves by RFC 2396 §5.2. A reference that starts with a slash keeps its dots, and "?y" drops the last segment.
func (m Mode) appendRFC2396(dst []byte, base, ref URI) []byte {
	switch {
	case m.own(&base, &ref):
		return append(dst, ref.s...)
	case ref.path != ref.start(): // step 4
		return append(append(dst, base.s[:base.start()]...), ref.s[ref.start():]...)
	case ref.path == ref.frag: // step 2: the current document
		return append(append(dst, base.s[:base.frag]...), ref.s[ref.frag:]...)
	}
	start := len(dst)
	dst = append(dst, base.s[:base.path]...)
	i := len(dst)
	if strings.HasPrefix(ref.s[ref.path:], "/") { // step 5
		return append(dst, ref.s[ref.path:]...)
	}
	dst = append(append(dst, base.merge(m)...), ref.s[ref.path:ref.query]...)
	dst = dst[:i+len(removeDots(dst[i:], true))]
	return append(base.guard(dst, start, i), ref.s[ref.query:]...)
}

// params returns the offset of the first ";" of the path, or of its end. RFC 1808 §2.4.5.
func (u URI) params() uint32 {
	if i := strings.IndexByte(u.s[u.path:u.query], ';'); i >= 0 {
		return u.path + uint32(i)
	}
	return u.query
}

// appendRFC1808 resolves by RFC 1808 §4.
func appendRFC1808(dst []byte, base, ref URI) []byte {
	switch {
	case ref.s == "": // step 2a: the whole base
		return append(dst, base.s...)
	case ref.scheme != 0: // step 2b
		return append(dst, ref.s...)
	case ref.path != 0: // step 3
		return append(append(dst, base.s[:base.start()]...), ref.s...)
	case strings.HasPrefix(ref.s, "/"): // step 4
		return append(append(dst, base.s[:base.path]...), ref.s...)
	case ref.params() == 0: // step 5: the path is empty
		keep := base.params()
		switch {
		case ref.query != 0:
		case ref.query != ref.frag:
			keep = base.query
		default:
			keep = base.frag
		}
		dst = append(dst, base.s[:keep]...)
		if ref.s[0] == ';' && base.path != base.start() && base.path == keep {
			dst = append(dst, '/') // parameters directly after a host would become part of it
		}
		return append(dst, ref.s...)
	}
	start := len(dst)
	dst = append(dst, base.s[:base.path]...)
	i := len(dst)
	b := base
	b.query = base.params() // step 6 works on the path without its parameters
	dst = append(append(dst, b.merge(RFC1808)...), ref.s[:ref.params()]...)
	dst = dst[:i+len(removeDots(dst[i:], true))]
	return append(base.guard(dst, start, i), ref.s[ref.params():]...)
}
