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
	if u.at == 0 {
		return u
	}
	for i := u.start() + 2; i < u.at; i++ {
		if u.s[i] == ':' {
			return u.without(i, u.at)
		}
	}
	return u
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
	if u.at == 0 {
		return u.s
	}
	i := u.start() + 2
	if r != nil && r.SecretUser {
		return u.s[:i] + "***" + u.s[u.at:]
	}
	for ; i < u.at; i++ {
		if u.s[i] == ':' {
			return u.s[:i+1] + "***" + u.s[u.at:]
		}
	}
	return u.s
}
