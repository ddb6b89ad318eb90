package uri

import (
	"errors"
	"net"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// ErrNoHost is the error of HostPort for a URI that names no host.
var ErrNoHost = errors.New("no host in the URI")

// Hostname returns the host as it is looked up or dialled: decoded, an IP
// literal without its brackets and with its zone after a plain "%", a name with
// letters beyond ASCII in its A-label form (RFC 5891). The last is lenient as
// resolvers are: "_" and hyphens anywhere are admitted; what has no A-label
// form is left as decoded.
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
	if a, err := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false)).ToASCII(name); err == nil {
		return a
	}
	return name
}

// HostPort returns host:port to dial: an IPv6 address in brackets, the port of
// the URI or else defaultPort.
func (u URI) HostPort(defaultPort int) (string, error) {
	h := u.Hostname()
	if h == "" {
		return "", ErrNoHost
	}
	return net.JoinHostPort(h, strconv.Itoa(u.PortNumber(defaultPort))), nil
}
