package request

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/proxy"
	"example.org/deref/fetch/render"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

type planFunc = func(uri.URI, *fetch.Options) (*fetch.Plan, error)

// proxied makes schemes that retrieve use the proxies of <scheme>_proxy, by any name of the scheme, unless -x is given.
func (f *Flags) proxied(a *app.App, list []fetch.Scheme) ([]fetch.Scheme, error) {
	for i, s := range list {
		v := ""
		for _, name := range s.Names {
			v = cmp.Or(v, a.Getenv(name+"_proxy"), a.Getenv(strings.ToUpper(name)+"_PROXY"))
		}
		if v != "" && f.proxy == "" && s.Name() != "http" && s.Name() != "https" && s.Does.Retrieves && !s.Local {
			p, err := proxy.Parse(v)
			if err != nil {
				return nil, err
			}
			via := f.viaProxy(a, p)
			list[i].Plan, list[i].Grammar = proxied(s.Plan, via.Plan, s.Rules.DefaultPort), grammarOf(s, via)
			list[i].Does.Sends, list[i].Does.Session = false, false
		}
	}
	return list, nil
}

// viaProxy returns http for requests to p, except for the hosts of no_proxy.
func (f *Flags) viaProxy(a *app.App, p *proxy.Proxy) fetch.Scheme {
	t := &proxy.Table{All: p, Bypass: f.bypass(a), Direct: f.noProxy == nil, Passed: reportPassed(a)}
	return http.Schemes(&http.Config{Proxy: t.HTTP})[0]
}

// grammarOf returns the grammar of a scheme some of whose steps are those of http to a proxy.
func grammarOf(direct, http fetch.Scheme) func(*fetch.Step) error {
	return func(s *fetch.Step) error {
		switch {
		case s.At != "":
			return http.Grammar(s)
		case direct.Grammar == nil:
			return nil
		}
		return direct.Grammar(s)
	}
}

// reportPassed returns a function that prints a note, once for each server on this machine, that a proxy of the environment is not used for it.
func reportPassed(a *app.App) func(p *proxy.Proxy, addr string) {
	var reported sync.Map
	return func(p *proxy.Proxy, addr string) {
		if _, again := reported.LoadOrStore(addr, true); !again && !a.Silent {
			fmt.Fprintf(a.Stderr, "deref: note: %s is on this machine, so it is contacted directly, not through %s\n", render.Escape(addr), p)
		}
	}
}

// proxied returns the plan function of a scheme whose documents are requested from an HTTP proxy by their absolute URIs (RFC 9112 section 3.2.2).
// ftp_proxy and wais_proxy name such proxies. It is http's plan for a request to the proxy, with the object's URI in the request line; direct is used for
// what cannot be requested so.
func proxied(direct, http planFunc, port int) planFunc {
	return func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		host, err := u.HostPort(port)
		if err != nil || o.Op != fetch.Retrieve && o.Op != fetch.Metadata || len(o.Search) > 0 {
			return direct(u, o)
		}
		ask, err := uri.Parse("http://" + host + "/")
		if err != nil {
			return direct(u, o)
		}
		// The user and password of the object's server are sent only when the proxy requests them: a 401 stands for the server's own reply, as
		// 407 does for the proxy. They are never in the request line, which is logged. http.auth applies only to servers of http.
		challenged := o.Clone()
		delete(challenged.Set, "http.auth")
		p, err := http(ask, challenged)
		if err != nil {
			return nil, err
		}
		if len(p.Steps) == 0 || p.Steps[0].At == "" {
			return direct(u, o)
		}
		p.URI = u.WithoutUserinfo()
		p.Addr = p.Steps[0].At
		origin := p.Steps[0].Args[0]
		for _, s := range p.Steps { // the request line, and those that answer a challenge
			if len(s.Args) == 2 && s.Args[0] == origin && strings.HasPrefix(s.Args[1], "HTTP/") {
				s.Args[0] = p.URI.String()
			}
		}
		return p, nil
	}
}
