package uri

import (
	"net/netip"
	"strconv"
	"strings"
)

// A Builder holds the components of a URI reference that is being made. It is a value: each method returns a changed copy, so one Builder can
// be the template of many URIs. The order of the calls does not matter.
//
// Every URI that it makes parses into exactly the components that were set, and matches the grammar of RFC 3986. Bytes that are not valid in
// a component are escaped, and what no escape can express is an *Error, which [Builder.URI] returns.
type Builder struct {
	scheme                          string
	userinfo, host, port, query, fr optional
	path                            Escaped
	err                             error
}

// An optional is a component that can be missing, which differs from an empty one: "http://h/" and "http://h/?" are two URIs.
type optional struct {
	text Escaped
	ok   bool
}

// Build starts a URI of that scheme, or a relative reference if scheme is "".
func Build(scheme string) Builder { return Builder{}.Scheme(scheme) }

// Edit starts a URI with the components of u.
func (u URI) Edit() Builder {
	b := Builder{scheme: u.s[:u.scheme], path: u.Path()}
	b.userinfo.text, b.userinfo.ok = u.Userinfo()
	if _, ok := u.Authority(); ok {
		b.host = optional{u.Host(), true}
	}
	b.port = optional{Escaped(u.Port()), u.HasPort()}
	b.query.text, b.query.ok = u.Query()
	b.fr.text, b.fr.ok = u.Fragment()
	return b
}

// URI returns the URI, or the first error: of a component, or of components that mean something else together.
func (b Builder) URI() (URI, error) {
	if b.err != nil {
		return URI{}, b.err
	}
	s := make([]byte, 0, len(b.scheme)+len(b.userinfo.text)+len(b.host.text)+len(b.port.text)+len(b.path)+len(b.query.text)+len(b.fr.text)+8)
	if s = append(s, b.scheme...); b.scheme != "" { // RFC 3986 §5.3
		s = append(s, ':')
	}
	if b.host.ok {
		s = append(s, '/', '/')
		if b.userinfo.ok {
			s = append(append(s, b.userinfo.text...), '@')
		}
		if s = append(s, b.host.text...); b.port.ok {
			s = append(append(s, ':'), b.port.text...)
		}
	}
	if rule := b.ambiguous(); rule != "" {
		return URI{}, &Error{-1, rule}
	}
	s = append(s, b.path...)
	if b.query.ok {
		s = append(append(s, '?'), b.query.text...)
	}
	if b.fr.ok {
		s = append(append(s, '#'), b.fr.text...)
	}
	return Parse(string(s))
}

// ambiguous returns the rule that the components break together, or "".
func (b *Builder) ambiguous() string {
	first, _, _ := strings.Cut(string(b.path), "/")
	switch {
	case !b.host.ok && (b.userinfo.ok || b.port.ok):
		return ruleNoHost
	case b.host.ok && b.path != "" && first != "": // it would continue the host or the port
		return ruleRooted
	case !b.host.ok && strings.HasPrefix(string(b.path), "//"): // it would be a host
		return ruleSlashes
	case !b.host.ok && b.scheme == "" && strings.Contains(first, ":"): // it would be a scheme
		return ruleColon
	}
	return ""
}

func (b Builder) fail(rule string) Builder {
	if b.err == nil {
		b.err = &Error{-1, rule}
	}
	return b
}

// Scheme sets the scheme. With "" the result is a relative reference. RFC 3986 §3.1.
func (b Builder) Scheme(scheme string) Builder {
	if b.scheme = scheme; scheme == "" {
		return b
	}
	if !isScheme(scheme) || strings.EqualFold(scheme, "url") { // D7
		return b.fail(ruleScheme)
	}
	return b
}

// User sets the user without a password. RFC 3986 §3.2.1.
func (b Builder) User(name string) Builder {
	b.userinfo = optional{User.Escape(RFC3986, name), true}
	return b
}

// Login sets the user and the password (RFC 1738 §3.1). A password in a URI gets into logs and histories; prefer fetch.Options.Login.
func (b Builder) Login(name, password string) Builder {
	b.userinfo = optional{User.Escape(RFC3986, name) + ":" + Password.Escape(RFC3986, password), true}
	return b
}

// NoUser removes user and password.
func (b Builder) NoUser() Builder {
	b.userinfo = optional{}
	return b
}

// Host sets the host as [URI.Hostname] returns it: a name, also with letters beyond ASCII, or an IP address, also with a zone after "%" and
// in brackets. With "" the authority is empty, as in file:///. A name that HostPort would refuse is an error. RFC 3986 §3.2.2.
func (b Builder) Host(name string) Builder {
	b.host.ok = true
	if inner, ok := strings.CutPrefix(name, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok || !strings.Contains(inner, ":") && !literal(inner) {
			return b.fail(ruleLiteral)
		}
		return b.literal(inner)
	}
	if strings.Contains(name, ":") {
		return b.literal(name)
	}
	b.host.text = Escaped(appendLegal(nil, name, lgName))
	if strings.Contains(name, "%") || name != "" && !dialable(reparse("//"+string(b.host.text)).Hostname()) {
		return b.fail(ruleHost)
	}
	return b
}

// literal sets an IP literal, given without brackets.
func (b Builder) literal(s string) Builder {
	if s != "" && s[0]|0x20 == 'v' && literal(s) { // IPvFuture
		b.host.text = Escaped("[" + s + "]")
		return b
	}
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is6() {
		return b.fail(ruleLiteral)
	}
	if b.host.text = Escaped("[" + a.WithZone("").String()); a.Zone() != "" {
		b.host.text += "%25" + AllButUnreserved.Escape(RFC3986, a.Zone()) // RFC 6874 §2
	}
	b.host.text += "]"
	return b
}

// Port sets the port. RFC 3986 §3.2.3.
func (b Builder) Port(n int) Builder {
	if n < 0 || n > 0xFFFF {
		return b.fail(rulePort)
	}
	b.port = optional{Escaped(strconv.Itoa(n)), true}
	return b
}

// NoPort removes the port, so that the scheme's default applies.
func (b Builder) NoPort() Builder {
	b.port = optional{}
	return b
}

// Path sets the whole path. Escapes in it are kept. After a host it is empty or starts with a slash; without one it must not start with two.
// RFC 3986 §3.3.
func (b Builder) Path(p Escaped) Builder {
	b.path = Escaped(appendLegal(nil, string(p), lgPath))
	return b
}

// Segments sets a path that starts with a slash from decoded segments, in which slashes are data. A last segment of "" makes it a directory.
// "." and ".." are errors, because every consumer would remove them, escaped or not (RFC 3986 §6.2.2.3).
func (b Builder) Segments(segments ...string) Builder {
	var p []byte
	for _, s := range segments {
		if s == "." || s == ".." {
			return b.fail(ruleDots)
		}
		p = Segment.AppendEscape(append(p, '/'), RFC3986, s)
	}
	b.path = Escaped(p)
	return b
}

// Query sets the query. Escapes in it are kept; use [QueryText] or [SearchWords] for text. RFC 3986 §3.4.
func (b Builder) Query(q Escaped) Builder {
	b.query = optional{Escaped(appendLegal(nil, string(q), lgQuery)), true}
	return b
}

// NoQuery removes the query and its "?".
func (b Builder) NoQuery() Builder {
	b.query = optional{}
	return b
}

// Fragment sets the fragment. Escapes in it are kept; use [FragmentText] for text. RFC 3986 §3.5.
func (b Builder) Fragment(f Escaped) Builder {
	b.fr = optional{Escaped(appendLegal(nil, string(f), lgQuery)), true}
	return b
}

// NoFragment removes the fragment and its "#".
func (b Builder) NoFragment() Builder {
	b.fr = optional{}
	return b
}
