package http

import (
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A proxy is contacted instead of the server.
type proxy struct {
	addr  string // host:port, "" for none
	uri   uri.URI
	login string // Proxy-Authorization
}

// proxyField is the field with the credentials for a proxy.
const proxyField = "Proxy-Authorization:"

// ifProxyAsks is the condition of the field with which the request to a proxy is repeated.
const ifProxyAsks = "a login for the proxy is known, or the proxy asks for it"

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
	r.proxy.uri = p
	if user, password, secret := p.User(); secret && user+password != "" {
		l := fetch.Login{User: user, Password: password}
		if err := checkLogin(l); err != nil {
			return fetch.Errorf(fetch.ErrRefusedURL, "the proxy: %w", err)
		}
		r.proxy.login = basicCredentials(l)
	}
	return nil
}

// withProxyLogin returns the lines with the identity at the proxy, if the Plan has the step for it.
func (x *exchange) withProxyLogin(lines []fetch.Step) ([]fetch.Step, error) {
	steps := x.plan.When(ifProxyAsks)
	if len(steps) == 0 {
		return lines, nil
	}
	if x.atProxy == nil {
		x.atProxy = x.env.ProxyIdentity(x.proxy.uri)
	}
	l := x.atProxy.Login()
	if !isNamed(l) {
		return lines, nil
	}
	s := steps[0] // a copy: the Plan must not change
	s.Args = []string{basicCredentials(l)}
	return append(slices.Clone(lines), s), checkLogin(l)
}

// askForProxy asks the user after a 407. It reports whether the request is to be repeated, with another identity.
func (x *exchange) askForProxy() (again bool, err error) {
	switch {
	case x.atProxy == nil:
		return false, nil
	case x.head.status != 407:
		x.atProxy.Accept()
		return false, nil
	}
	realm, basic := "", len(x.head.header["Proxy-Authenticate"]) == 0 // as in package proxy
	for _, c := range challenges(x.head.header["Proxy-Authenticate"]) {
		if c.scheme == "basic" {
			realm, basic = c.params["realm"], true
		}
	}
	if !basic {
		return false, nil
	}
	if again, err = x.atProxy.Ask(x.ctx, realm); !again {
		return false, err
	}
	return true, x.drain()
}
