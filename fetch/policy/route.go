package policy

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"
)

// A Family is a version of the Internet Protocol.
type Family string

const (
	IPv4 Family = "IPv4"
	IPv6 Family = "IPv6"
)

// Has reports whether a belongs to the family. All addresses belong to the zero Family.
func (f Family) Has(a netip.Addr) bool { return f == "" || a.Unmap().Is4() == (f == IPv4) }

// A Resolve names the addresses of a host, in place of a name lookup. The fetch.Policy decides about them as about others.
type Resolve struct {
	Host  string // without regard to case; "*" is every host
	Port  int    // 0 is every port
	Addrs []netip.Addr
}

// A ConnectTo makes connections to one server go to another. Names in the protocol, such as HTTP's Host field and the name in the
// certificate, remain those of the URI, and so do credentials. The fetch.Policy decides about both servers.
type ConnectTo struct {
	Host   string // "" is every host
	Port   int    // 0 is every port
	ToHost string // "" is the same host
	ToPort int    // 0 is the same port
}

// sameHost compares host names, and addresses with or without brackets.
func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(strings.Trim(a, "[]"), "."), strings.TrimSuffix(strings.Trim(b, "[]"), "."))
}

// Addresses returns the addresses that list has for a host and port. It returns nil if there are none.
func Addresses(list []Resolve, host, port string) []netip.Addr {
	for _, every := range [...]bool{false, true} { // an entry for the host takes precedence
		for i := range list {
			r := &list[i]
			if (r.Port == 0 || strconv.Itoa(r.Port) == port) && (every && r.Host == "*" || !every && sameHost(r.Host, host)) {
				return r.Addrs
			}
		}
	}
	return nil
}

// Server returns the server to which list makes a connection to host and port go.
func Server(list []ConnectTo, host string, port int) (string, int) {
	for _, c := range list {
		if (c.Host == "" || sameHost(c.Host, host)) && (c.Port == 0 || c.Port == port) {
			return cmp.Or(c.ToHost, host), cmp.Or(c.ToPort, port)
		}
	}
	return host, port
}
