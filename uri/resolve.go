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
	t := m.target(&base, &ref)
	return t.append(dst)
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
func (m Mode) own(base, ref *URI) bool {
	return ref.scheme != 0 && !(m.compat() && strings.EqualFold(base.s[:base.scheme], ref.s[:ref.scheme]))
}

// A target is what the algorithm of RFC 3986 §5.2.2 finds, before it is put together.
type target struct {
	scheme       string // with its colon
	head         *URI   // whose authority it has
	prefix, path string // the path in two parts
	dots         bool   // whether dot segments are removed
	query, tail  string // with their marks; tail is the fragment
}

func (m Mode) target(base, ref *URI) (t target) {
	t.scheme, t.head, t.dots = base.s[:base.start()], base, true
	t.path, t.query, t.tail = ref.s[ref.path:ref.query], ref.s[ref.query:ref.frag], ref.s[ref.frag:]
	switch {
	case m.own(base, ref):
		t.scheme, t.head = ref.s[:ref.start()], ref
	case ref.path != ref.start():
		t.head = ref
	case ref.path == ref.query:
		t.path, t.dots = base.s[base.path:base.query], false
		if t.query == "" {
			t.query = base.s[base.query:base.frag]
		}
	case ref.s[ref.path] != '/':
		t.prefix = base.merge(m)
	}
	return t
}

// append puts the target together, as RFC 3986 §5.3 has it.
func (t *target) append(dst []byte) []byte {
	start := len(dst)
	dst = append(append(dst, t.scheme...), t.head.s[t.head.start():t.head.path]...)
	i := len(dst)
	dst = t.guard(t.appendPath(dst), start, i)
	return append(append(dst, t.query...), t.tail...)
}

func (t *target) guard(dst []byte, start, i int) []byte {
	return guard(dst, start, i, t.scheme != "", t.head.path != t.head.start())
}

func (t *target) appendPath(dst []byte) []byte {
	i := len(dst)
	dst = append(append(dst, t.prefix...), t.path...)
	if t.dots {
		dst = dst[:i+len(removeDots(dst[i:], false))]
	}
	return dst
}

// merge is what a relative path is put behind. RFC 3986 §5.2.3.
func (u *URI) merge(m Mode) string {
	p := u.s[u.path:u.query]
	if p == "" && u.path != u.start() || m == Perl && u.scheme != 0 && !strings.HasPrefix(p, "/") {
		return "/" // D10: Perl gives an opaque base a slash
	}
	return p[:strings.LastIndexByte(p, '/')+1]
}

// guard keeps a path at i, of a URI that starts at start, from being read as an
// authority (D12) or a scheme (RFC 3986 §4.2) where the URI has none.
func guard(dst []byte, start, i int, scheme, authority bool) []byte {
	if authority {
		return dst
	}
	if !scheme {
		dst = guardColon(dst, start)
	}
	return guardSlashes(dst, i)
}

func (u URI) guard(dst []byte, start, i int) []byte {
	return guard(dst, start, i, u.scheme != 0, u.path != u.start())
}

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
	if !m.Unicode() {
		return m.AppendNormalize(dst, m.Resolve(base, ref), r)
	}
	n := newNormalizer(m, r)
	t := m.target(&base, &ref)
	start := len(dst)
	dst = n.head(dst, t.scheme, t.head)
	i := len(dst)
	dst = n.inPlace(t.appendPath(dst), i, t.scheme != "")
	dst = n.finish(dst, i, t.scheme != "", t.head)
	return n.tail(t.guard(dst, start, i), t.query, t.tail)
}
