package uri

import (
	"iter"
	"strconv"
	"strings"
)

// MaxLen is the longest URI that Parse reads, in octets.
const MaxLen = 16 << 20

// A URI is a parsed URI reference, absolute or relative: the string as it was
// written, and where its components stand. It is a small comparable value that
// holds no pointer but the string's; the zero value is the void reference.
//
// Accessors that return Escaped give a component as written; decode it with
// [Escaped.Decode] or, where the component is made of parts, take it apart first.
type URI struct {
	s      string
	scheme uint32 // octets of the scheme; 0: none
	at     uint32 // offset of the "@" that ends the userinfo; 0: none
	port   uint32 // offset of the ":" before the port; 0: none
	path   uint32 // offset of the path
	query  uint32 // offset of the "?"; = frag: none
	frag   uint32 // offset of the "#"; = len(s): none
}

// start is the offset of what follows "scheme:".
func (u *URI) start() uint32 {
	if u.scheme == 0 {
		return 0
	}
	return u.scheme + 1
}

// String returns the URI as it was written, octet for octet. For people and logs use Redacted.
func (u URI) String() string { return u.s }

// AppendText and UnmarshalText write and read what String returns; they are
// encoding.TextAppender, TextMarshaler and TextUnmarshaler, for encoding/json and others.
func (u URI) AppendText(b []byte) ([]byte, error) { return append(b, u.s...), nil }

// MarshalText returns what String returns.
func (u URI) MarshalText() ([]byte, error) { return []byte(u.s), nil }

// UnmarshalText is Parse.
func (u *URI) UnmarshalText(text []byte) (err error) {
	*u, err = Parse(string(text))
	return err
}

// IsZero reports whether u is the void reference.
func (u URI) IsZero() bool { return u.s == "" }

// IsAbs reports whether u has a scheme.
func (u URI) IsAbs() bool { return u.scheme != 0 }

// Scheme returns the scheme in lower case, "" if there is none. RFC 3986 §3.1.
func (u URI) Scheme() string { return strings.ToLower(u.s[:u.scheme]) }

// Authority returns what stands between "//" and the path, and whether "//" is there. RFC 3986 §3.2.
func (u URI) Authority() (Escaped, bool) {
	s := u.start()
	if u.path == s {
		return "", false
	}
	return Escaped(u.s[s+2 : u.path]), true
}

// Userinfo returns what stands before the "@" of the authority, and whether "@" is there. RFC 3986 §3.2.1.
func (u URI) Userinfo() (Escaped, bool) {
	if u.at == 0 {
		return "", false
	}
	return Escaped(u.s[u.start()+2 : u.at]), true
}

// User returns the userinfo decoded and split at its first colon (RFC 1738
// §3.1). Whether there is any at all, also a void one, Userinfo tells.
func (u URI) User() (user, password string, hasPassword bool) {
	info, _ := u.Userinfo()
	name, pass, ok := strings.Cut(string(info), ":")
	return Escaped(name).Decode(), Escaped(pass).Decode(), ok
}

// Host returns the host as written, an IP literal with its brackets. RFC 3986 §3.2.2.
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

// Port returns the digits of the port as written, "" if there are none. RFC 3986 §3.2.3.
func (u URI) Port() string {
	if u.port == 0 {
		return ""
	}
	return u.s[u.port+1 : u.path]
}

// HasPort reports whether the authority has a colon for a port, be the port void.
func (u URI) HasPort() bool { return u.port != 0 }

// PortNumber returns the port, or def where the URI gives none.
func (u URI) PortNumber(def int) int {
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		return def
	}
	return n
}

// Path returns the path. RFC 3986 §3.3.
func (u URI) Path() Escaped { return Escaped(u.s[u.path:u.query]) }

// Query returns what follows the "?", and whether it is there. RFC 3986 §3.4.
func (u URI) Query() (Escaped, bool) {
	if u.query == u.frag {
		return "", false
	}
	return Escaped(u.s[u.query+1 : u.frag]), true
}

// Fragment returns what follows the "#", and whether it is there. RFC 3986 §3.5.
func (u URI) Fragment() (Escaped, bool) {
	if int(u.frag) == len(u.s) {
		return "", false
	}
	return Escaped(u.s[u.frag+1:]), true
}

// Opaque returns all between "scheme:" and the fragment: the reading of
// schemes that have no hierarchy.
func (u URI) Opaque() Escaped { return Escaped(u.s[u.start():u.frag]) }

// Segments yields the segments of the path, still encoded; a slash that starts
// the path is not part of the first one. The void path has none, "/" has one void one.
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
