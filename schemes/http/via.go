package http

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// via is the proxy that is asked in the server's place.
type via struct {
	addr  string // host:port, void for none
	login string // Proxy-Authorization
}

// proxy finds it. It is spoken to in HTTP/1: nobody has agreed on another version with it.
func (h *handler) proxy(u uri.URI, version *string) (v via, err error) {
	if h.tls || h.cfg.Proxy == nil {
		return v, nil
	}
	p := h.cfg.Proxy(u)
	if p.IsZero() {
		return v, nil
	}
	if v.addr, err = p.HostPort(80); err != nil {
		return v, fetch.Errorf(fetch.ErrRefusedURL, "the proxy: %w", err)
	}
	switch *version {
	case "HTTP/0.9":
		return v, fetch.Errorf(fetch.ErrUnsupported, "HTTP/0.9 knows no proxies")
	case "HTTP/2":
		*version = "HTTP/1.1"
	}
	if user, password, _ := p.User(); user != "" || password != "" {
		l := fetch.Login{User: user, Password: password}
		if err := checkLogin(l); err != nil {
			return v, fetch.Errorf(fetch.ErrRefusedURL, "the proxy: %w", err)
		}
		v.login = basicCredentials(l)
	}
	return v, nil
}
