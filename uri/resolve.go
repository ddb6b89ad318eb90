package uri

import "strings"

// Resolve returns ref as it is meant in the document whose URI is u. RFC 3986 §5.2.2.
func (u URI) Resolve(ref URI) URI { return RFC3986.Resolve(u, ref) }

// Resolve returns ref as it is meant in a document whose URI is base, by the
// rules of the mode. A base that is no absolute URI gives a reference again.
func (m Mode) Resolve(base, ref URI) URI {
	return reparse(string(m.AppendResolve(make([]byte, 0, len(base.s)+len(ref.s)+2), base, ref)))
}

// AppendResolve appends the string of Resolve(base, ref) to dst.
func (m Mode) AppendResolve(dst []byte, base, ref URI) []byte {
	switch m {
	case RFC1630, RFC1630Amended, RFC1630Strict, URL6:
		return m.appendDrafts(dst, base, ref)
	case RFC1808, RFC1738:
		return appendRFC1808(dst, base, ref)
	case RFC2396, RFC2396Compat, RFC2141, RFC2255, RFC2368, RFC2392:
		return m.appendRFC2396(dst, base, ref)
	}
	return m.appendRFC3986(dst, base, ref)
}

// reparse takes apart a string that resolution or normalisation made of parsed components.
func reparse(s string) URI {
	u := URI{s: s}
	if _, rule := u.parse(); rule != "" {
		panic("uri: made of good components, but: " + rule)
	}
	return u
}

// own reports whether ref has a scheme that counts: with compat, one that
// repeats the base's does not (RFC 3986 §5.2.2, RFC 2396 §5.2 step 3).
func (m Mode) own(base, ref URI) bool {
	return ref.scheme != 0 && !(m.compat() && strings.EqualFold(base.s[:base.scheme], ref.s[:ref.scheme]))
}

// appendRFC3986 is the algorithm of RFC 3986 §5.2.2.
func (m Mode) appendRFC3986(dst []byte, base, ref URI) []byte {
	switch {
	case m.own(base, ref):
		dst = append(dst, ref.s[:ref.path]...)
		return ref.appendTail(ref.appendPath(dst, "", false))
	case ref.path != ref.start():
		dst = append(dst, base.s[:base.start()]...)
		dst = append(dst, ref.s[ref.start():ref.path]...)
		return ref.appendTail(ref.appendPath(dst, "", false))
	case ref.path == ref.query:
		if ref.query == ref.frag {
			return append(append(dst, base.s[:base.frag]...), ref.s[ref.frag:]...)
		}
		return ref.appendTail(append(dst, base.s[:base.query]...))
	}
	start := len(dst)
	dst = append(dst, base.s[:base.path]...)
	if ref.s[ref.path] == '/' {
		dst = ref.appendPath(dst, "", base.path == base.start())
	} else {
		dst = ref.appendPath(dst, base.merge(m), base.path == base.start())
	}
	if base.scheme == 0 && base.path == 0 {
		dst = guardColon(dst, start)
	}
	return ref.appendTail(dst)
}

// merge is what a relative path is put behind. RFC 3986 §5.2.3.
func (u URI) merge(m Mode) string {
	p := u.s[u.path:u.query]
	if p == "" && u.path != u.start() || m == Perl && u.scheme != 0 && !strings.HasPrefix(p, "/") {
		return "/" // D10: Perl gives an opaque base a slash
	}
	return p[:strings.LastIndexByte(p, '/')+1]
}

// appendPath appends prefix and the path of u without dot segments. Where no
// authority precedes (bare), "//" in front would be read as one: D12 puts "/." before it.
func (u URI) appendPath(dst []byte, prefix string, bare bool) []byte {
	i := len(dst)
	dst = append(append(dst, prefix...), u.s[u.path:u.query]...)
	dst = dst[:i+len(removeDots(dst[i:], false))]
	if bare || prefix == "" && u.path == u.start() && u.scheme != 0 {
		dst = guardSlashes(dst, i)
	}
	return dst
}

// appendTail appends the query and the fragment of u, with their marks.
func (u URI) appendTail(dst []byte) []byte { return append(dst, u.s[u.query:]...) }

// guardSlashes puts "/." before a path at i that starts with "//" (D12).
func guardSlashes(dst []byte, i int) []byte {
	if len(dst) < i+2 || dst[i] != '/' || dst[i+1] != '/' {
		return dst
	}
	dst = append(dst, 0, 0)
	copy(dst[i+2:], dst[i:])
	dst[i], dst[i+1] = '/', '.'
	return dst
}

// guardColon puts "./" before a path at i whose first segment holds a colon,
// which would be read as a scheme. RFC 3986 §4.2.
func guardColon(dst []byte, i int) []byte {
	for _, c := range dst[i:] {
		switch c {
		case '/':
			return dst
		case ':':
			dst = append(dst, 0, 0)
			copy(dst[i+2:], dst[i:])
			dst[i], dst[i+1] = '.', '/'
			return dst
		}
	}
	return dst
}

// AppendCanonical appends the canonical form of ref resolved against base:
// AppendNormalize of Resolve, without an allocation where dst has room.
func (m Mode) AppendCanonical(dst []byte, base, ref URI, r *Rules) []byte {
	var scratch [512]byte
	u := reparse(string(m.AppendResolve(scratch[:0], base, ref)))
	return m.AppendNormalize(dst, u, r)
}
