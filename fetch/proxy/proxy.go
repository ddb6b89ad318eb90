// Package proxy makes connections of a fetch.Client through proxies: HTTP proxies by CONNECT (RFC 9110 section 9.3.6), and SOCKS version 5
// proxies, which also resolve the name (RFC 1928, RFC 1929).
//
//	t := &proxy.Table{}
//	t.All, err = proxy.Parse("socks5://localhost:1080")
//	client.Dialer = t.Dial
//
// If a proxy asks for a password that its URI does not contain, the Client calls its Logins.
//
// HTTP proxies fetch http documents themselves, by absolute URIs; Table.HTTP is the function that http.Config.Proxy needs for that.
package proxy

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Proxy is one HTTP or SOCKS proxy.
type Proxy struct {
	scheme string  // http, https, socks5
	uri    uri.URI // with its login and port
}

// Parse parses http://, https://, socks5:// or socks5h://[USER[:PASSWORD]@]HOST[:PORT]. As in curl, the default scheme is http, and the
// default port 1080 (443 for https).
func Parse(s string) (*Proxy, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := uri.Parse(s)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the proxy's URI: %w", err)
	}
	scheme, port := strings.TrimSuffix(u.Scheme(), "h"), 1080
	switch scheme {
	case "http", "socks5":
	case "https":
		port = 443
	default:
		return nil, fetch.Errorf(fetch.ErrUnsupported, "unsupported proxy scheme %s: use http, https or socks5", u.Scheme())
	}
	user, password, _ := u.User()
	port = u.PortNumber(port)
	at, err := u.Edit().Scheme(scheme).Port(port).Path("/").NoQuery().NoFragment().URI()
	if err != nil || port < 1 || at.Hostname() == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the proxy's URI has no host or a bad port")
	}
	p := &Proxy{scheme, at}
	return p, p.checkLogin(user, password)
}

// checkLogin returns an error for a login that would end a line, or whose password would begin within the user (RFC 7617 section 2).
func (p *Proxy) checkLogin(user, password string) error {
	switch {
	case strings.ContainsAny(user+password, "\r\n\x00"):
		return fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in the proxy's user or password")
	case p.scheme != "socks5" && strings.Contains(user, ":"):
		return fetch.Errorf(fetch.ErrRefusedURL, "a colon in the proxy's user, which HTTP cannot send")
	}
	return nil
}

// WithLogin returns p with these credentials in place of those of its URI. If the password is empty, it is unknown.
func (p *Proxy) WithLogin(user, password string) (*Proxy, error) {
	if err := p.checkLogin(user, password); err != nil {
		return nil, err
	}
	b := p.uri.Edit().User(user)
	if password != "" {
		b = b.Login(user, password)
	}
	u, err := b.URI()
	return &Proxy{p.scheme, u}, err
}

// Addr returns the proxy's host:port.
func (p *Proxy) Addr() string {
	addr, _ := p.uri.HostPort(0) // it has both
	return addr
}

// String returns the proxy's URI without its login.
func (p *Proxy) String() string { return p.scheme + "://" + p.Addr() }

// relays reports whether the proxy can fetch http documents itself.
func (p *Proxy) relays() bool { return p.scheme != "socks5" }
