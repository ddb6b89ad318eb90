package uri

import (
	"net/netip"
	"strings"
)

// parseAuthority parses the authority that starts at i, after "//". It returns its end, or the position of an error and the rule it breaks.
// RFC 3986 §3.2.
func (u *URI) parseAuthority(i int) (int, string) {
	s := u.s
	host, plain := i, true
	colon := 0
loop:
	for ; i < len(s); i++ {
		c := s[i]
		if classes[c]&clRegName != 0 {
			continue
		}
		switch c {
		case '/', '?', '#':
			break loop
		case '@':
			// QUIRK: RFC 3986 §3.2.1 forbids a raw "@" in userinfo. "user@site:password@host"
			// is common, and net/url and Python split at the last one.
			u.at, host, colon, plain = uint32(i), i+1, 0, true
		case ':':
			plain = plain && colon == 0
			colon = i
		case '%':
			if !escapeAt(s, i) {
				if s[host] == '[' && ipv6(s[host+1:i]) && !strings.Contains(s[host:i], "%") {
					return i, ruleZone
				}
				return i, ruleEscape
			}
		case '\\':
			return i, ruleSlash
		default:
			if clControl.has(c) {
				return i, ruleControl
			}
			plain = false
		}
	}
	if plain {
		if colon != 0 {
			u.port = uint32(colon)
			if !validPort(s[colon+1 : i]) {
				return colon + 1, rulePort
			}
		}
		return i, ""
	}
	return u.parseHost(host, i)
}

// parseHost parses a host and port with brackets, more than one colon, or characters that are not valid in a name.
func (u *URI) parseHost(host, end int) (int, string) {
	s := u.s[:end]
	if host == end || s[host] != '[' {
		return host, ruleHost
	}
	i := host + 1
	for i < end && s[i] != ']' {
		i++
	}
	if i == end || !literal(s[host+1:i]) {
		if p := strings.IndexByte(s[host:i], '%'); p > 0 && ipv6(s[host+1:host+p]) && !strings.HasPrefix(s[host+p:], "%25") {
			return host + p, ruleZone
		}
		return host, ruleLiteral
	}
	i++
	if i == end {
		return end, ""
	}
	if s[i] != ':' {
		return i, ruleHost
	}
	u.port = uint32(i)
	if !validPort(s[i+1:]) {
		return i + 1, rulePort
	}
	return end, ""
}

// validPort reports whether s is empty, or digits with a value below 65536.
func validPort(s string) bool {
	n := 0
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
		if n = n*10 + int(s[i]-'0'); n > 0xFFFF {
			return false
		}
	}
	return true
}

// literal reports whether s is valid between brackets: an IPv6 address, optionally with a zone after "%25" (RFC 6874 §2), or IPvFuture.
func literal(s string) bool {
	if s != "" && s[0]|0x20 == 'v' {
		return future(s[1:])
	}
	if i := strings.IndexByte(s, '%'); i >= 0 {
		return ipv6(s[:i]) && zone(s[i:])
	}
	return ipv6(s)
}

func ipv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6()
}

// zone reports whether s is "%25" ZoneID. Its escapes have been checked before.
func zone(s string) bool {
	if len(s) < 4 || s[:3] != "%25" {
		return false
	}
	for i := 3; i < len(s); i++ {
		if s[i] != '%' && !clUnreserved.has(s[i]) {
			return false
		}
	}
	return true
}

// future reports whether s is IPvFuture without its "v": 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ).
func future(s string) bool {
	i := 0
	for i < len(s) && isHex(s[i]) {
		i++
	}
	if i == 0 || i+1 >= len(s) || s[i] != '.' {
		return false
	}
	for i++; i < len(s); i++ {
		if s[i] != ':' && !(clUnreserved | clSub).has(s[i]) {
			return false
		}
	}
	return true
}
