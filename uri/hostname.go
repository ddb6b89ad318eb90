package uri

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// ErrHost is returned by HostPort if the URI has no host, or one that cannot be a host after decoding.
var ErrHost = errors.New("no host to connect to in the URI")

// Hostname returns the host as it is looked up or dialed: decoded, an IP literal without its brackets and with its zone after a plain "%", and a
// name with letters beyond ASCII in its A-label form (RFC 5891). Like resolvers, it accepts "_" and hyphens anywhere. A name that has no such
// form is only decoded; it may contain any byte, and HostPort refuses it.
func (u URI) Hostname() string {
	h := u.Host()
	if h != "" && h[0] == '[' {
		s := string(h[1 : len(h)-1])
		if a, zone, ok := strings.Cut(s, "%25"); ok { // RFC 6874 §2
			return a + "%" + Escaped(zone).Decode()
		}
		return s
	}
	name := h.Decode()
	if ascii(name) {
		return name
	}
	if a, err := lookup().ToASCII(name); err == nil && dialable(a) {
		return a
	}
	return name
}

// lookup returns the profile of UTS 46 that resolvers use, without transitional processing.
func lookup() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))
}

// dialable reports whether name has only characters of host names in RFC 3986. Decoding and mapping can produce delimiters (U+2100 becomes
// "a/c"), which must not end the host.
func dialable(name string) bool {
	for i := range len(name) {
		if !(clUnreserved | clSub).has(name[i]) {
			return false
		}
	}
	return name != ""
}

// HostPort returns the host:port to dial, with an IPv6 address in brackets. The port is that of the URI, or else defaultPort.
func (u URI) HostPort(defaultPort int) (string, error) {
	h := u.Hostname()
	port := ":" + strconv.Itoa(u.PortNumber(defaultPort))
	if strings.HasPrefix(string(u.Host()), "[") {
		return "[" + h + "]" + port, nil
	}
	if !dialable(h) {
		return "", ErrHost
	}
	return h + port, nil
}
