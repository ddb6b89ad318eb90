package http

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A proxy is contacted instead of the server.
type proxy struct {
	addr  string // host:port, "" for none
	login string // Proxy-Authorization
}

// setProxy sets the proxy for u. The connection to a proxy uses HTTP/1, because no other version was negotiated with it.
func (r *request) setProxy(u uri.URI) (err error) {
	if r.tls || r.Proxy == nil {
		return nil
	}
	p := r.Proxy(u)
	if p.IsZero() {
		return nil
	}
	if r.proxy.addr, err = p.HostPort(80); err != nil {
		return fetch.Errorf(fetch.ErrRefusedURL, "the proxy: %w", err)
	}
	switch r.version {
	case "HTTP/0.9":
		return fetch.Errorf(fetch.ErrUnsupported, "HTTP/0.9 does not support proxies")
	case "HTTP/2":
		r.version = "HTTP/1.1"
	}
	if user, password, _ := p.User(); user != "" || password != "" {
		l := fetch.Login{User: user, Password: password}
		if err := checkLogin(l); err != nil {
			return fetch.Errorf(fetch.ErrRefusedURL, "the proxy: %w", err)
		}
		r.proxy.login = basicCredentials(l)
	}
	return nil
}
