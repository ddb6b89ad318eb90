package uri

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// ErrHost is the error of HostPort for a URI without a host, or with one that
// decodes to what no host can be.
var ErrHost = errors.New("no host to connect to in the URI")

// Hostname returns the host as it is looked up or dialled: decoded, an IP
// literal without its brackets and with its zone after a plain "%", a name with
// letters beyond ASCII in its A-label form (RFC 5891). The last is lenient as
// resolvers are: "_" and hyphens anywhere are admitted. What has no such form is
// left as decoded; it may hold any octet, which HostPort refuses.
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

// lookup is UTS 46 as resolvers use it, without transitional processing.
func lookup() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))
}

// dialable reports whether name holds only what is in host names as written in
// RFC 3986. Mapping can make delimiters of single characters (U+2100 becomes
// "a/c"), and so can decoding; they must not move the border of the host.
func dialable(name string) bool {
	for i := range len(name) {
		if !(clUnreserved | clSub).has(name[i]) {
			return false
		}
	}
	return name != ""
}

// HostPort returns host:port to dial: an IPv6 address in brackets, the port of
// the URI or else defaultPort.
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
