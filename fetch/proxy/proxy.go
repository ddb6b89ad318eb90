// Package proxy leads the connections of a fetch.Client through proxies: HTTP ones by CONNECT (RFC 9110 section 9.3.6), SOCKS version 5
// ones with the name resolved there (RFC 1928, RFC 1929).
//
//	t := &proxy.Table{}
//	t.All, err = proxy.Parse("socks5://localhost:1080")
//	client.Dialer = t.Dial
//
// An HTTP proxy asks http documents for itself, by their absolute URIs; Table.HTTP is what http.Config.Proxy wants for that.
package proxy

import (
	"crypto/tls"
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Proxy is one of them.
type Proxy struct {
	scheme         string // http, https, socks5
	host           string
	port           int
	user, password string
	login          bool
	TLS            *tls.Config // for https proxies; nil is the system's roots
}

// Parse reads http://, https://, socks5:// or socks5h://[USER[:PASSWORD]@]HOST[:PORT]; http is meant where no scheme stands, and port 1080
// where no port does (443 for https), as in curl.
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
		return nil, fetch.Errorf(fetch.ErrUnsupported, "no proxy speaks %s here: http, https and socks5 are known", u.Scheme())
	case p.host == "" || p.port < 1 || p.port > 65535:
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the proxy's URI names no host and port")
	case p.scheme == "https":
		p.port = u.PortNumber(443)
	}
	p.user, p.password, _ = u.User()
	_, p.login = u.Userinfo()
	if strings.ContainsAny(p.user+p.password, "\r\n\x00") {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in the proxy's user or password")
	}
	return p, nil
}

// Addr is the proxy's own host:port.
func (p *Proxy) Addr() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

// String names the proxy without its password.
func (p *Proxy) String() string { return p.scheme + "://" + p.Addr() }

// relays reports whether the proxy asks http documents for itself.
func (p *Proxy) relays() bool { return p.scheme == "http" || p.scheme == "https" }

// uri is the proxy's URI for http.Config.Proxy, its login included.
func (p *Proxy) uri() uri.URI {
	login := ""
	if p.login {
		login = uri.EscapeBut(p.user, "") + ":" + uri.EscapeBut(p.password, "") + "@"
	}
	u, err := uri.Parse(p.scheme + "://" + login + p.Addr() + "/")
	if err != nil {
		return uri.URI{}
	}
	return u
}
