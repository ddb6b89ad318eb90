package uri

import (
	"iter"
	"strconv"
	"strings"
)

// MaxLen is the length in bytes of the longest URI that Parse accepts.
const MaxLen = 16 << 20

// A URI is a parsed URI reference, absolute or relative. It is a small comparable value with the original string and the offsets of its
// components. The zero value is the empty reference.
//
// Accessors that return Escaped return a component before decoding. Decode it with [Escaped.Decode]; if it has parts, split it first.
type URI struct {
	s      string
	scheme uint32 // length of the scheme; 0: none
	at     uint32 // offset of the "@" that ends the userinfo; 0: none
	port   uint32 // offset of the ":" before the port; 0: none
	path   uint32 // offset of the path
	query  uint32 // offset of the "?"; = frag: none
	frag   uint32 // offset of the "#"; = len(s): none
}

// start returns the offset after "scheme:".
func (u *URI) start() uint32 {
	if u.scheme == 0 {
		return 0
	}
	return u.scheme + 1
}

// String returns the original string. In messages and logs use Redacted.
func (u URI) String() string { return u.s }

// IsZero reports whether u is the empty reference.
func (u URI) IsZero() bool { return u.s == "" }

// IsAbs reports whether u has a scheme.
func (u URI) IsAbs() bool { return u.scheme != 0 }

// Scheme returns the scheme in lower case. It returns "" if there is none. RFC 3986 §3.1.
func (u URI) Scheme() string { return strings.ToLower(u.s[:u.scheme]) }

// Authority returns the text between "//" and the path. It returns false if there is no "//". RFC 3986 §3.2.
func (u URI) Authority() (Escaped, bool) {
	s := u.start()
	if u.path == s {
		return "", false
	}
	return Escaped(u.s[s+2 : u.path]), true
}

// Userinfo returns the text before the "@" of the authority. It returns false if there is no "@". RFC 3986 §3.2.1.
func (u URI) Userinfo() (Escaped, bool) {
	if u.at == 0 {
		return "", false
	}
	return Escaped(u.s[u.start()+2 : u.at]), true
}

// User splits the userinfo at its first colon and decodes both parts (RFC 1738 §3.1). Userinfo distinguishes an empty one from none.
func (u URI) User() (user, password string, hasPassword bool) {
	info, _ := u.Userinfo()
	name, pass, ok := strings.Cut(string(info), ":")
	return Escaped(name).Decode(), Escaped(pass).Decode(), ok
}

// Host returns the host before decoding, an IP literal with its brackets. RFC 3986 §3.2.2.
func (u URI) Host() Escaped {
	i, j := u.hostSpan()
	return Escaped(u.s[i:j])
}

func (u *URI) hostSpan() (i, j uint32) {
	i, j = u.start(), u.path
	if i == j {
		return i, i
	}
	i += 2
	if u.at != 0 {
		i = u.at + 1
	}
	if u.port != 0 {
		j = u.port
	}
	return i, j
}

// Port returns the digits of the port. It returns "" if there are none. RFC 3986 §3.2.3.
func (u URI) Port() string {
	if u.port == 0 {
		return ""
	}
	return u.s[u.port+1 : u.path]
}

// HasPort reports whether the authority has a colon for a port, even if the port is empty.
func (u URI) HasPort() bool { return u.port != 0 }

// PortNumber returns the port, or def if the URI has none.
func (u URI) PortNumber(def int) int {
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		return def
	}
	return n
}

// Path returns the path. RFC 3986 §3.3.
func (u URI) Path() Escaped { return Escaped(u.s[u.path:u.query]) }

// Query returns the text after the "?". It returns false if there is no "?". RFC 3986 §3.4.
func (u URI) Query() (Escaped, bool) {
	if u.query == u.frag {
		return "", false
	}
	return Escaped(u.s[u.query+1 : u.frag]), true
}

// Fragment returns the text after the "#". It returns false if there is no "#". RFC 3986 §3.5.
func (u URI) Fragment() (Escaped, bool) {
	if int(u.frag) == len(u.s) {
		return "", false
	}
	return Escaped(u.s[u.frag+1:]), true
}

// Opaque returns the text between "scheme:" and the fragment, for schemes without a hierarchy.
func (u URI) Opaque() Escaped { return Escaped(u.s[u.start():u.frag]) }

// Segments yields the segments of the path before decoding. A slash at the start of the path is not a part of the first one. The empty path has
// no segments, and "/" has one empty segment.
func (u URI) Segments() iter.Seq[Escaped] {
	return func(yield func(Escaped) bool) {
		p := string(u.Path())
		if p == "" {
			return
		}
		for s := range strings.SplitSeq(strings.TrimPrefix(p, "/"), "/") {
			if !yield(Escaped(s)) {
				return
			}
		}
	}
}
