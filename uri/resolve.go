package uri

import "strings"

// Resolve resolves ref against the base URI u. RFC 3986 §5.2.2.
func (u URI) Resolve(ref URI) URI { return RFC3986.Resolve(u, ref) }

// Resolve resolves ref against base by the rules of the mode. If base is not absolute, the result may be relative.
func (m Mode) Resolve(base, ref URI) URI {
	dst := make([]byte, 0, len(base.s)+len(ref.s)+2)
	switch m {
	case RFC1630, RFC1630Amended, RFC1630Strict, URL6:
		dst = m.appendDrafts(dst, base, ref)
	case RFC1808, RFC1738:
		dst = appendRFC1808(dst, base, ref)
	case RFC2396, RFC2396Compat, RFC2141, RFC2255, RFC2368, RFC2392:
		dst = m.appendRFC2396(dst, base, ref)
	default:
		t := m.target(&base, &ref)
		dst = t.append(dst)
	}
	return reparse(string(dst))
}

// reparse parses a string that is composed of parsed components.
func reparse(s string) URI {
	u := URI{s: s}
	if _, rule := u.parse(); rule != "" {
		panic("uri: composed of valid components, but: " + rule)
	}
	return u
}

// own reports whether ref has its own scheme. In the compat modes one that repeats the base's is ignored (RFC 3986 §5.2.2, RFC 2396 §5.2 step 3).
func (m Mode) own(base, ref *URI) bool {
	return ref.scheme != 0 && !((m == RFC3986Compat || m == RFC2396Compat) && strings.EqualFold(base.s[:base.scheme], ref.s[:ref.scheme]))
}

// A target has the components that the algorithm of RFC 3986 §5.2.2 finds.
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

// append composes the target. RFC 3986 §5.3.
func (t *target) append(dst []byte) []byte {
	start := len(dst)
	dst = append(append(dst, t.scheme...), t.head.s[t.head.start():t.head.path]...)
	i := len(dst)
	dst = append(append(dst, t.prefix...), t.path...)
	if t.dots {
		dst = dst[:i+len(removeDots(dst[i:], false))]
	}
	dst = guard(dst, start, i, t.scheme != "", t.head.path != t.head.start())
	return append(append(dst, t.query...), t.tail...)
}

// merge returns the directory of u's path, to which a relative path is appended. RFC 3986 §5.2.3.
func (u *URI) merge(m Mode) string {
	p := u.s[u.path:u.query]
	if p == "" && u.path != u.start() || m == Perl && u.scheme != 0 && !strings.HasPrefix(p, "/") {
		return "/" // D10: Perl gives an opaque base a slash
	}
	return p[:strings.LastIndexByte(p, '/')+1]
}

// guard changes the path at i, of a URI that starts at start, so that it cannot be parsed as an authority (D12) or a scheme (RFC 3986 §4.2).
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

// guardSlashes inserts "/." before a path at i that starts with "//" (D12).
func guardSlashes(dst []byte, i int) []byte {
	if len(dst) < i+2 || dst[i] != '/' || dst[i+1] != '/' {
		return dst
	}
	dst = append(dst, 0, 0)
	copy(dst[i+2:], dst[i:])
	dst[i], dst[i+1] = '/', '.'
	return dst
}

// guardColon inserts "./" before a path at i if its first segment has a colon, which would end a scheme. RFC 3986 §4.2.
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
