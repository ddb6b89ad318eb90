package uri

// Normalize returns u in the canonical form of RFC 3986 §6.2.2. Two URIs with the same form name the same object in any scheme.
func (u URI) Normalize() URI { return RFC3986.Normalize(u, nil) }

// Normalize returns u in the canonical form of the mode, such as RFC 3986 §6.2.2 (D15), that of the drafts (D14), or RFC 2141 §5. With the rules
// of u's scheme it also normalizes default ports, empty paths and parts in which case does not matter (RFC 3986 §6.2.3). It never encodes or
// decodes reserved characters. Normalizing the result again changes nothing. A reference without a scheme keeps its dot segments.
func (m Mode) Normalize(u URI, r *Rules) URI {
	return reparse(string(m.AppendNormalize(make([]byte, 0, len(u.s)+1), u, r)))
}

// AppendNormalize appends the string of Normalize(u, r) to dst.
func (m Mode) AppendNormalize(dst []byte, u URI, r *Rules) []byte {
	n := newNormalizer(m, r)
	start := len(dst)
	dst = n.head(dst, &u)
	i := len(dst)
	if p := u.s[u.path:u.query]; !n.old && u.scheme != 0 {
		dst = n.part(dst, p, lgPath)
	} else {
		dst = n.segments(dst, p)
	}
	dst = n.finish(dst, i, &u)
	return n.tail(u.guard(dst, start, i), &u)
}

// Equal reports whether a and b have the same canonical form in the mode (D18).
func (m Mode) Equal(a, b URI, r *Rules) bool {
	if a.s == b.s {
		return true
	}
	if r != nil && r.NameOnly {
		a, b = a.name(), b.name()
	}
	var x, y [128]byte
	return string(m.AppendNormalize(x[:0], a, r)) == string(m.AppendNormalize(y[:0], b, r))
}

// name returns u without query and fragment.
func (u URI) name() URI { return reparse(u.s[:u.query]) }

type normalizer struct {
	custom
	mode  Mode
	rules *Rules
	old   bool // the form is one before RFC 3986
}

func newNormalizer(m Mode, r *Rules) *normalizer {
	n := &normalizer{custom: m.custom(), mode: m, rules: r}
	n.old = n.unsafe != ""
	return n
}

// decodes reports whether c is unescaped in the canonical form. RFC 3986 §6.2.2.2.
func (n *normalizer) decodes(c byte) bool {
	return !n.old && clUnreserved.has(c) || n.custom.decodes(c)
}

// keeps reports whether c stays unchanged in a form before RFC 3986.
func (n *normalizer) keeps(c byte, l class) bool {
	return !n.encodes(c) && c != '%' && (c != '@' || l != lgUserinfo)
}

// part appends s with its bytes decoded or escaped for the canonical form, and escapes in upper case.
func (n *normalizer) part(dst []byte, s string, l class) []byte {
	for done := 0; ; {
		i := done
		if !n.old {
			for i+4 <= len(s) && classes[s[i]]&classes[s[i+1]]&classes[s[i+2]]&classes[s[i+3]]&l != 0 {
				i += 4
			}
			for i < len(s) && l.has(s[i]) {
				i++
			}
		} else {
			for i < len(s) && n.keeps(s[i], l) {
				i++
			}
		}
		dst = append(dst, s[done:i]...)
		if i == len(s) {
			return dst
		}
		if s[i] == '%' {
			if c := octetAt(s, i); n.decodes(c) {
				dst = append(dst, c)
			} else {
				dst = appendEscape(dst, c)
			}
			i += 2
		} else {
			dst = appendEscape(dst, s[i])
		}
		done = i + 1
	}
}

// head appends the scheme with its colon, and the authority.
func (n *normalizer) head(dst []byte, u *URI) []byte {
	from := len(dst)
	dst = append(dst, u.s[:u.start()]...)
	lowerAll(dst[from:])
	if u.path == u.start() {
		return dst
	}
	dst = append(dst, '/', '/')
	if u.at != 0 {
		dst = append(n.part(dst, u.s[u.start()+2:u.at], lgUserinfo), '@')
	}
	i, j := u.hostSpan()
	dst = n.host(dst, u.s[i:j])
	if u.port == 0 {
		return dst
	}
	return n.port(dst, u)
}

// tail appends the query and the fragment.
func (n *normalizer) tail(dst []byte, u *URI) []byte {
	if q, ok := u.Query(); ok {
		dst = n.part(append(dst, '?'), string(q), lgQuery)
	}
	f, ok := u.Fragment()
	if !ok || f == "" && n.mode.Drafts() { // D17
		return dst
	}
	return n.part(append(dst, '#'), string(f), lgQuery)
}

// port appends the port in canonical form. If the rules are unknown, it stays unchanged (RFC 3986 §6.2.2). Otherwise an empty or default port is
// dropped (§6.2.3), and leading zeros are removed.
func (n *normalizer) port(dst []byte, u *URI) []byte {
	p := u.Port()
	switch {
	case p == "" && (n.rules != nil || n.mode.Drafts()):
		return dst
	case n.rules != nil:
		if u.PortNumber(0) == n.rules.DefaultPort && n.rules.DefaultPort != 0 {
			return dst
		}
		for len(p) > 1 && p[0] == '0' {
			p = p[1:]
		}
	}
	return append(append(dst, ':'), p...)
}

// host appends a host in lower case. A zone keeps its case: it names an interface.
func (n *normalizer) host(dst []byte, s string) []byte {
	literal := s != "" && s[0] == '['
	k := 0
	for !n.old && k < len(s) && classes[s[k]]&(clUnreserved|clSub) != 0 && classes[s[k]]&clUpper == 0 {
		k++
	}
	dst = append(dst, s[:k]...)
	for i := k; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%' && literal:
			return append(dst, s[i:]...)
		case c == '%':
			if o := octetAt(s, i); n.decodes(o) {
				dst = append(dst, lower(o))
			} else {
				dst = appendEscape(dst, o)
			}
			i += 2
		case c >= 0x80, n.encodes(c) && !literal:
			dst = appendEscape(dst, c)
		default:
			dst = append(dst, lower(c))
		}
	}
	return dst
}

// finish normalizes the dot segments (RFC 3986 §6.2.2.3) and the case of the path at dst[i:], whose escapes are canonical, and replaces an empty
// path.
func (n *normalizer) finish(dst []byte, i int, u *URI) []byte {
	scheme := u.scheme != 0
	hierarchical := n.rules != nil && n.rules.Hierarchical
	if !n.old && scheme && (hierarchical || n.rules == nil) {
		dst = dst[:i+len(removeDots(dst[i:], false))]
	}
	if len(dst) == i && u.path != u.start() && scheme && (n.rules != nil || n.mode.Drafts()) {
		dst = append(dst, '/') // RFC 3986 §6.2.3, D14
	}
	n.foldPath(dst[i:])
	return dst
}

// segments appends a path. A segment that would become a dot segment stays escaped (D14).
func (n *normalizer) segments(dst []byte, p string) []byte {
	for {
		e := 0
		for e < len(p) && p[e] != '/' {
			e++
		}
		switch d := Escaped(p[:e]).dot(); {
		case d && p[0] != '%' && (e == 1 || e == 2 && p[1] == '.'):
			dst = append(dst, p[:e]...)
		case d:
			dst = appendUpper(dst, p[:e])
		default:
			dst = n.part(dst, p[:e], lgPath)
		}
		if e == len(p) {
			return dst
		}
		dst = append(dst, '/')
		p = p[e+1:]
	}
}

// dot reports whether e stands for "." or "..".
func (e Escaped) dot() bool {
	n := 0
	for i := 0; i < len(e); i++ {
		c := e[i]
		if c == '%' {
			c = octetAt(string(e), i)
			i += 2
		}
		if n++; c != '.' || n > 2 {
			return false
		}
	}
	return n > 0
}

// appendUpper appends s with its escapes in upper case.
func appendUpper(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			dst = appendEscape(dst, octetAt(s, i))
			i += 2
			continue
		}
		dst = append(dst, s[i])
	}
	return dst
}
