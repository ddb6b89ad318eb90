package http

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A request is the planned form of a URI and its options.
type request struct {
	*scheme
	targetURI
	addr       string // host:port of the URI
	version    string // "HTTP/0.9", "HTTP/1.0", "HTTP/1.1" or "HTTP/2"
	proxy      proxy
	cookies    []string // the user's own, in addition to those in the jar
	ownCookies bool     // the user sets the whole Cookie field, which replaces that of the jar
	compressed bool     // the user wants content codings
	cacheable  bool     // the cache may answer
	shares     bool     // HTTP/2 may be negotiated to share a connection
	cookieURL  *url.URL // the URI as a cookie jar wants it

	usual usualPlan
}

// A usualPlan is the memory of a Plan, and of its Steps if it has no more than most (BenchmarkSmallDocuments).
type usualPlan struct {
	plan  fetch.Plan
	steps [1 + usualFields]fetch.Step
	args  [2 + usualFields]string
}

// usualFields is how many fields most requests have: Host, User-Agent and Accept.
const usualFields = 3

// plan makes one Step of each line of the request.
func (s *scheme) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r := &request{scheme: s, cookies: o.Set[setCookie], compressed: isOn(o.Get(setCompressed))}
	var err error
	if r.targetURI, err = s.parse(u); err != nil {
		return nil, err
	}
	if r.addr, err = u.HostPort(s.port); err != nil {
		r.addr = net.JoinHostPort(r.Host, strconv.Itoa(r.Port)) // which the Client refuses, with a better error
	}
	verb := method(o.Op)
	if len(o.Search) > 0 {
		r.addSearch(o)
	}
	r.version = s.versionFor(o)
	r.shares = s.tls && (r.version == "HTTP/2" || o.Get(setVersion) == "")
	if err := r.setProxy(u); err != nil {
		return nil, err
	}
	if r.proxy.addr != "" {
		r.Target = "http://" + r.hostField() + r.Target // the absolute-form: RFC 9112 section 3.2.2
	}
	p := r.withoutSteps(u, o)
	if r.version == "HTTP/0.9" {
		return p, r.simpleRequest(p, verb, o)
	}
	if err := r.addSteps(p, verb, o); err != nil {
		return nil, err
	}
	for i := range p.Steps {
		p.Steps[i].At = r.proxy.addr
	}
	return p, nil
}

// withoutSteps returns a Plan that has no Steps yet.
func (r *request) withoutSteps(u uri.URI, o *fetch.Options) *fetch.Plan {
	p := &r.usual.plan
	*p = fetch.Plan{URI: u.WithoutUserinfo(), Network: "tcp", Addr: r.addr, TLS: fetch.NoTLS, Shape: fetch.ShapeDocument, Run: r.run}
	if r.tls {
		p.TLS = fetch.ImplicitTLS
	}
	if len(o.Search) > 0 {
		p.Shape = fetch.ShapeSearch
	}
	if r.Jar != nil {
		r.cookieURL = &url.URL{Scheme: r.name, Host: p.Addr, Path: string(p.URI.Path())} // cookie paths are compared as sent
		p.State = r.state
	}
	return p
}

// addSteps adds the lines of a request that has a header, and those that depend on the server's answers, the jar and the cache.
func (r *request) addSteps(p *fetch.Plan, verb string, o *fetch.Options) error {
	var usual [usualFields]field
	fields, err := r.fields(usual[:0], o)
	if err != nil {
		return err
	}
	p.Steps = r.lines(verb, fields)
	if r.version == "HTTP/2" && r.tls {
		p.Steps[0].If = ifH2
		p.Steps = slices.Insert(p.Steps, 1, fetch.Step{Verb: verb, Args: []string{r.Target, "HTTP/1.1"}, If: ifH1})
	}
	if isNamed(o.Login) && !contains(fields, "Authorization:") {
		if err := r.authorize(p, o); err != nil {
			return err
		}
	}
	if r.Jar != nil && !r.ownCookies {
		all := strings.Join(append([]string{"<cookies>"}, r.cookies...), "; ")
		p.Steps = append(p.Steps, fetch.Step{Verb: "Cookie:", Args: []string{all}, If: ifCookies, Secret: true})
	}
	if r.proxy.addr != "" && !contains(fields, proxyField) {
		p.Steps = append(p.Steps, fetch.Step{Verb: proxyField, Args: []string{"<user and password>"}, If: ifProxyAsks, Secret: true})
	}
	if r.cacheable = r.mayCache(p, o); r.cacheable && mayRevalidate(o) {
		p.Steps = append(p.Steps, fetch.Step{Verb: "If-None-Match:", Args: []string{"<entity tag>"}, If: ifCached},
			fetch.Step{Verb: "If-Modified-Since:", Args: []string{"<date>"}, If: ifCached})
	}
	return nil
}

func method(op fetch.Op) string {
	if op == fetch.Metadata {
		return "HEAD"
	}
	return "GET"
}

// simpleRequest plans the Simple-Request of HTTP/0.9, a single line. RFC 1945 section 4.1.
func (r *request) simpleRequest(p *fetch.Plan, verb string, o *fetch.Options) error {
	if verb != "GET" {
		return fetch.Errorf(fetch.ErrUnsupported, "HTTP/0.9 has no method but GET")
	}
	if !o.Range.IsZero() {
		return fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for HTTP/0.9")
	}
	p.Steps = []fetch.Step{{Verb: verb, Args: []string{r.Target}}}
	return nil
}

// lines turns the request line and its fields into Steps.
func (r *request) lines(verb string, fields []field) []fetch.Step {
	args := append(r.usual.args[:0], r.Target, r.version)
	list := append(r.usual.steps[:0], fetch.Step{Verb: verb, Args: args[:2:2]})
	for _, f := range fields {
		args = append(args, f.value)
		i := len(args)
		list = append(list, fetch.Step{Verb: f.name, Args: args[i-1 : i : i], Secret: f.secret})
	}
	return list
}
