package uri

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ErrHost is returned by HostPort if the URI has no host, or one that cannot be a host after decoding.
var ErrHost = errors.New("no host to connect to in the URI")

// Hostname returns the host as it is looked up or dialed: decoded, an IP literal without its brackets and with its zone after a plain "%", and a
// name with letters beyond ASCII in its A-label form (RFC 5891). Like resolvers, it accepts "_" and hyphens anywhere. A name that has no such
// form is only decoded; it may contain any byte, and HostPort refuses it.
func (u URI) Hostname() string {
	h := u.Host()
	if dialable(string(h)) { // as written
		return string(h)
	}
	if h != "" && h[0] == '[' {
		s := string(h[1 : len(h)-1])
		if a, zone, ok := strings.Cut(s, "%25"); ok { // RFC 6874 §2
			return a + "%" + Escaped(zone).Decode()
		}
		return s
	}
	name := h.Decode()
	if a, ok := toASCII(name); ok {
		return a
	}
	return name
}

// toASCII returns the form of a decoded name in which it is looked up. It returns false if there is none.
func toASCII(name string) (string, bool) {
	if !ascii(name) {
		if !utf8.ValidString(name) { // package idna would look up the name of U+FFFD
			return "", false
		}
		a, err := lookup().ToASCII(name)
		if err != nil {
			return "", false
		}
		name = a
	}
	return name, dialable(name)
}

// lookup returns the profile of UTS 46 that browsers use (URL Standard §3.3), without transitional processing. A name whose labels are too long or
// empty cannot be looked up (RFC 1035 §2.3.4).
func lookup() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.BidiRule(),
		idna.VerifyDNSLength(true))
}

// dialable reports whether name has only characters of host names in RFC 3986. Decoding and mapping can produce delimiters (U+2100 becomes
// "a/c"), which must not end the host.
func dialable(name string) bool {
	for i := range len(name) {
		if classes[name[i]]&(clUnreserved|clSub) == 0 {
			return false
		}
	}
	return name != ""
}

// FromHost returns the URI that a host without a scheme stands for, as people write it: http for HOST and HOST:PORT, with or without a path, and ftp
// for HOST:/PATH, which "often implies anonymous FTP access" (URL draft of July 1993, "Current practice"). It returns the zero URI if text does not
// have such a form. It returns false if text may as well be the name of a file, such as notes.txt.
func FromHost(text string) (u URI, likely bool) {
	u, err := Parse("//" + strings.TrimPrefix(text, "//"))
	if host, port := u.Hostname(), u.Port(); err != nil || u.at != 0 || len(port) > len("65535") || !isHost(host) && (port == "" || !isName(host)) {
		return URI{}, false
	}
	b := u.Edit().Scheme("http")
	if u.HasPort() && u.Port() == "" && u.Path() != "" {
		b = b.Scheme("ftp").NoPort()
	}
	if u.Path() == "" {
		b = b.Path("/")
	}
	made, err := b.URI()
	return made, err == nil && (u.HasPort() || !isFile(u.Hostname()))
}

// isHost reports whether s alone can be a host: an address, localhost, or a name with a dot.
func isHost(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil || isName(s) && (strings.EqualFold(s, "localhost") || strings.Contains(strings.Trim(s, "."), "."))
}

// isName reports whether s has only letters, digits, hyphens, dots and underscores.
func isName(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// isFile reports whether s, a host, may as well be the name of a file.
func isFile(s string) bool {
	_, err := netip.ParseAddr(s)
	name := strings.ToLower(s)
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "com", "org", "net", "edu", "gov", "io", "dev", "de", "uk", "example", "localhost":
		return false
	}
	return err != nil && !strings.HasPrefix(name, "www.")
}

// HostPort returns the host:port to dial, with an IPv6 address in brackets. The port is that of the URI, or else defaultPort.
func (u URI) HostPort(defaultPort int) (string, error) {
	i, j := u.hostSpan()
	if n := u.path - j; 1 < n && n <= 6 && u.s[j+1] != '0' && dialable(u.s[i:j]) { // as written, without an allocation
		return u.s[i:u.path], nil
	}
	h, port := u.Hostname(), ":"+strconv.Itoa(u.PortNumber(defaultPort))
	if strings.HasPrefix(string(u.Host()), "[") {
		return "[" + h + "]" + port, nil
	}
	if !dialable(h) {
		return "", ErrHost
	}
	return h + port, nil
}
