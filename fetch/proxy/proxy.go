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
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Proxy is one HTTP or SOCKS proxy.
type Proxy struct {
	scheme         string // http, https, socks5
	host           string
	port           int
	user, password string
	login          bool // there is a user
	secret         bool // ... with a password
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
	p := &Proxy{scheme: strings.TrimSuffix(u.Scheme(), "h"), host: u.Hostname(), port: u.PortNumber(1080)}
	switch {
	case p.scheme != "http" && p.scheme != "https" && p.scheme != "socks5":
		return nil, fetch.Errorf(fetch.ErrUnsupported, "unsupported proxy scheme %s: use http, https or socks5", u.Scheme())
	case p.host == "" || p.port < 1 || p.port > 65535:
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the proxy's URI has no host or a bad port")
	case p.scheme == "https":
		p.port = u.PortNumber(443)
	}
	p.user, p.password, p.secret = u.User()
	_, p.login = u.Userinfo()
	return p, checkLogin(p.user, p.password)
}

// checkLogin returns an error for a login that would end a line.
func checkLogin(user, password string) error {
	if strings.ContainsAny(user+password, "\r\n\x00") {
		return fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in the proxy's user or password")
	}
	return nil
}

// WithLogin returns p with these credentials in place of those of its URI.
func (p *Proxy) WithLogin(user, password string) (*Proxy, error) {
	q := *p
	q.user, q.password, q.login = user, password, true
	return &q, checkLogin(user, password)
}

// Addr returns the proxy's host:port.
func (p *Proxy) Addr() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

// String returns the proxy's URI without its login.
func (p *Proxy) String() string { return p.scheme + "://" + p.Addr() }

// relays reports whether the proxy can fetch http documents itself.
func (p *Proxy) relays() bool { return p.scheme == "http" || p.scheme == "https" }

// uri returns the proxy's URI, including its login.
func (p *Proxy) uri() uri.URI {
	login := ""
	if p.login {
		login = uri.EscapeBut(p.user, "")
		if p.secret {
			login += ":" + uri.EscapeBut(p.password, "")
		}
		login += "@"
	}
	u, err := uri.Parse(p.scheme + "://" + login + p.Addr() + "/")
	if err != nil {
		return uri.URI{}
	}
	return u
}
