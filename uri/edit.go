package uri

import "strings"

// WithoutFragment returns u without "#" and what follows.
func (u URI) WithoutFragment() URI {
	u.s = u.s[:u.frag]
	return u
}

// WithFragment returns u with the fragment f in place of its own. f must be
// what Context Fragment makes of text; an octet that may not stand in a fragment is escaped.
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

// WithoutPassword returns u without its password; the user stays.
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

// WithoutZone returns u without the zone of its IPv6 address, which names an interface of this machine and means nothing to anybody else
// (RFC 6874 section 1). It returns u itself if there is none.
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

// without returns u without the octets of its authority from i to j.
func (u URI) without(i, j uint32) URI {
	return reparse(u.s[:i] + u.s[j:])
}

// Redacted returns u for people and logs: the password as "***", and the user
// too where it is the secret. The userinfo of a URI that cannot be taken apart is hidden whole.
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
