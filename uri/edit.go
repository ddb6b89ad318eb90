package uri

import "strings"

// WithoutFragment returns u without "#" and its fragment.
func (u URI) WithoutFragment() URI {
	u.s = u.s[:u.frag]
	return u
}

// WithFragment returns u with the fragment f instead of its own. Bytes of f that are not valid in a fragment are escaped.
func (u URI) WithFragment(f Escaped) URI {
	b := append(make([]byte, 0, int(u.frag)+1+len(f)), u.s[:u.frag]...)
	u.s = string(appendLegal(append(b, 0x23), string(f), lgQuery))
	return u
}

// WithoutUserinfo returns u without its user and password.
func (u URI) WithoutUserinfo() URI {
	if u.at == 0 {
		return u
	}
	return u.without(u.start()+2, u.at+1)
}

// WithoutPassword returns u without its password, and with its user.
func (u URI) WithoutPassword() URI {
	if i := u.colon(); i < u.at {
		return u.without(i, u.at)
	}
	return u
}

// colon returns the offset of the colon before the password, that of the "@" if there is no password, or 0 if there is no userinfo.
func (u *URI) colon() uint32 {
	if u.at == 0 {
		return 0
	}
	i := u.start() + 2
	name, _, _ := strings.Cut(u.s[i:u.at], ":")
	return i + uint32(len(name))
}

// WithoutZone returns u without the zone of its IPv6 address, which names an interface of this machine and has no meaning elsewhere (RFC 6874
// section 1). It returns u if there is none.
func (u URI) WithoutZone() URI {
	i, j := u.hostSpan()
	if i == j || u.s[i] != '[' {
		return u
	}
	at := strings.IndexByte(u.s[i:j], '%')
	if at < 0 {
		return u
	}
	return u.without(i+uint32(at), j-1)
}

// without returns u without the bytes of its authority from i to j.
func (u URI) without(i, j uint32) URI {
	return reparse(u.s[:i] + u.s[j:])
}

// Redacted returns u for messages and logs, with "***" instead of the password, and also instead of the user if that is the secret
// (Rules.SecretUser).
func (u URI) Redacted(r *Rules) string {
	i := u.colon()
	switch {
	case u.at > 0 && r != nil && r.SecretUser:
		return u.s[:u.start()+2] + "***" + u.s[u.at:]
	case i < u.at:
		return u.s[:i+1] + "***" + u.s[u.at:]
	}
	return u.s
}
