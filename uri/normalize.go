package uri

// Normalize returns u in the canonical form of RFC 3986 §6.2.2. Two URIs that
// are equal there lead to the same object whatever their scheme.
func (u URI) Normalize() URI { return RFC3986.Normalize(u, nil) }

// Normalize returns u in the canonical form of the mode: RFC 3986 §6.2.2 (D15),
// that of the drafts (D14), RFC 2141 §5, and alike. With the rules of u's scheme
// default ports, void paths and case-blind parts are made one too (RFC 3986
// §6.2.3). What is reserved is never encoded or decoded. Normalising again
// changes nothing. A reference without a scheme keeps its dot segments.
func (m Mode) Normalize(u URI, r *Rules) URI {
	return reparse(string(m.AppendNormalize(make([]byte, 0, len(u.s)+1), u, r)))
}

// AppendNormalize appends the string of Normalize(u, r) to dst.
func (m Mode) AppendNormalize(dst []byte, u URI, r *Rules) []byte {
	n := normalizer{mode: m, rules: r}
	n.dec, n.enc = m.custom()
	start := len(dst)
	for i := range u.scheme {
		dst = append(dst, lower(u.s[i]))
	}
	if u.scheme != 0 {
		dst = append(dst, ':')
	}
	dst = n.authority(dst, u)
	i := len(dst)
	dst = n.path(dst, u)
	if u.path == u.start() {
		if u.scheme == 0 {
			dst = guardColon(dst, start)
		}
		dst = guardSlashes(dst, i)
	}
	i = len(dst)
	if q, ok := u.Query(); ok {
		dst = n.part(append(dst, '?'), string(q), lgQuery)
		if r.fold(FoldQuery) {
			lowerAll(dst[i:])
		}
	}
	if f, ok := u.Fragment(); ok && (f != "" || !m.drafts()) { // D17
		dst = n.part(append(dst, '#'), string(f), lgQuery)
	}
	return dst
}

// Equal reports whether a and b are the same in the canonical form of the mode (D18).
func (m Mode) Equal(a, b URI, r *Rules) bool {
	if a.s == b.s {
		return true
	}
	var x, y [128]byte
	return string(m.AppendNormalize(x[:0], a, r)) == string(m.AppendNormalize(y[:0], b, r))
}

type normalizer struct {
	mode     Mode
	rules    *Rules
	dec, enc custom
}

// decodes reports whether the canonical form has c unescaped. RFC 3986 §6.2.2.2.
func (n *normalizer) decodes(c byte) bool {
	if n.enc == 0 {
		return clUnreserved.has(c)
	}
	return n.dec.has(c)
}

// keeps reports whether c stays as it is where l says what may stand.
func (n *normalizer) keeps(c byte, l legal) bool {
	if n.enc == 0 {
		return l.has(c)
	}
	return !n.enc.has(c) && c != '%' && (c != '@' || l != lgUserinfo)
}

// part appends s, escapes in upper case, decoded or made where the form says so.
func (n *normalizer) part(dst []byte, s string, l legal) []byte {
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if n.keeps(c, l) {
			continue
		}
		dst = append(dst, s[done:i]...)
		if c == '%' {
			dst = n.octet(dst, octetAt(s, i))
			i += 2
		} else {
			dst = appendEscape(dst, c)
		}
		done = i + 1
	}
	return append(dst, s[done:]...)
}

// octet appends an octet that stood escaped.
func (n *normalizer) octet(dst []byte, c byte) []byte {
	if n.decodes(c) {
		return append(dst, c)
	}
	return appendEscape(dst, c)
}

func (n *normalizer) authority(dst []byte, u URI) []byte {
	if u.path == u.start() {
		return dst
	}
	dst = append(dst, '/', '/')
	if u.at != 0 {
		dst = append(n.part(dst, u.s[u.start()+2:u.at], lgUserinfo), '@')
	}
	i, j := u.hostSpan()
	return n.port(n.host(dst, u.s[i:j]), u)
}

// port appends the port in canonical form: as written where the scheme is not
// known (RFC 3986 §6.2.2); else none where it is void or the scheme's own
// (§6.2.3), and without leading zeros.
func (n *normalizer) port(dst []byte, u URI) []byte {
	p := u.Port()
	switch {
	case u.port == 0, p == "" && (n.rules != nil || n.mode.drafts()):
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
	for i := 0; i < len(s); i++ {
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
		case c >= 0x80 && n.mode.Unicode(), n.enc != 0 && n.enc.has(c) && !literal:
			dst = appendEscape(dst, c)
		default:
			dst = append(dst, lower(c))
		}
	}
	return dst
}

func (n *normalizer) path(dst []byte, u URI) []byte {
	i := len(dst)
	p := u.s[u.path:u.query]
	switch {
	case n.enc == 0 && u.scheme != 0 && (n.rules == nil || n.rules.Hierarchical):
		dst = n.part(dst, p, lgPath)
		dst = dst[:i+len(removeDots(dst[i:], false))]
	case n.enc == 0 && u.scheme != 0:
		dst = n.part(dst, p, lgPath)
	default:
		dst = n.segments(dst, p)
	}
	if len(dst) == i && u.path != u.start() && u.scheme != 0 &&
		(n.mode.drafts() || n.rules != nil && n.rules.Hierarchical) {
		dst = append(dst, '/') // RFC 3986 §6.2.3, D14
	}
	n.foldPath(dst[i:])
	return dst
}

// segments appends a path, but leaves a segment that would become a dot segment escaped (D14).
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
