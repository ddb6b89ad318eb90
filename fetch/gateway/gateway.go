// Package gateway shows every scheme to clients that speak only HTTP: browsers, and programs of any age that know how to use a proxy.
//
//	g := gateway.New(fetch.New(schemes.All(nil)...), &gateway.Config{})
//	err := gateway.Serve(ctx, listener, g)
//
// The drafts want the utility of a new scheme shown "by the provision of a gateway which will provide images of objects in the new
// scheme for clients using an existing protocol". A Gateway is an http.Handler that does so in three ways:
//
//	GET /gopher/gopher.example/1/about HTTP/1.1        a page: the object, links that stay in the gateway, how it was fetched
//	GET gopher://gopher.example/0/about.txt HTTP/1.1   a proxy, as CERN httpd was: the object itself; folders and menus as HTML;
//	                                                   a redirect of http unchanged, another referral as a 302
//	GET /gopher.example/1/about HTTP/1.1               WWW_gopher_GATEWAY of libwww and Lynx, for the one Config.Scheme
//
// # What it guards
//
// Where it connects is the Client's Policy, asked at dial time; a gateway that others can reach wants Policy.DenyPrivate. Schemes that
// answer from this machine (file, data, mid, ...), those of x- programs, and sessions are refused unless Config.Allow names them. Requests by a
// name that is not the gateway's own are refused (DNS rebinding), and so are requests that a page of another site makes by itself.
// Foreign HTML is shown only within a sandboxed frame, or under a Content-Security-Policy that sandboxes it; no page has a script.
// CONNECT, other methods, and requests with a body are refused.
package gateway

import (
	"cmp"
	"crypto/rand"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Sample is an object that the start page offers.
type Sample struct {
	URI   uri.URI
	Title string // "" is the URI
}

// A Config says what a Gateway offers to whom; nil means the zero value.
type Config struct {
	Hosts   []string                 // names under which it is reached, besides localhost and literal addresses
	Allow   []string                 // schemes that are refused otherwise: local ones, x- ones, sessions
	Scheme  string                   // of paths that name none: /HOST/... as WWW_<scheme>_GATEWAY makes them
	Samples []Sample                 // offered by the start page
	Options *fetch.Options           // of every request: settings, accepted types
	Log     *slog.Logger             // a line for each request, without secrets; nil logs nothing
	Hint    func(hint string) string // words an Error.Hint for the reader; nil shows it as it is
	Metrics bool                     // /metrics gives sums of the requests in the text format of Prometheus

	// PerClient is how many requests of one address are answered at a time, Clients how many in all; 0 means 32 and 1024.
	PerClient, Clients int
}

// A Gateway is an http.Handler. It is used at the root of its server: its links are absolute paths.
type Gateway struct {
	client  *fetch.Client
	cfg     Config
	key     [32]byte // of the seals
	limit   limiter
	metrics metrics
}

// New returns a Gateway on c, which stays the caller's to close.
func New(c *fetch.Client, cfg *Config) *Gateway {
	if cfg == nil {
		cfg = &Config{}
	}
	g := &Gateway{client: c, cfg: *cfg}
	g.limit.perClient, g.limit.all = cmp.Or(cfg.PerClient, defaultPerClient), cmp.Or(cfg.Clients, defaultClients)
	rand.Read(g.key[:])
	return g
}

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.recorded(w, r, g.serve)
}

// serve lets a request in.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	client := oneClient(r)
	if status, why := g.limit.enter(client); status != 0 {
		w.Header().Set("Retry-After", "1")
		g.fail(w, r, status, why)
		return
	}
	defer g.limit.leave(client)
	if status, why := g.refuse(r); status != 0 {
		w.Header().Set("Connection", "close") // what follows on it may be the rest of this request
		g.fail(w, r, status, why)
		return
	}
	switch {
	case r.URL.Scheme != "":
		g.proxy(w, r)
	case isForeign(r) && !g.isOwnLink(r) && r.Header.Get("Sec-Fetch-User") != "?1":
		g.ask(w, r)
	default:
		g.direct(w, r)
	}
}

// direct answers a request for a path of the gateway.
func (g *Gateway) direct(w http.ResponseWriter, r *http.Request) {
	switch p := r.URL.EscapedPath(); {
	case p == "/" && r.URL.Query().Has("uri"): // as people write it who know the field of that name
		g.goTo(w, r)
	case p == "/":
		g.start(w, r)
	case p == "/healthz":
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("ok\n"))
	case p == "/metrics" && g.cfg.Metrics:
		g.measure(w)
	case p == "/favicon.ico":
		w.WriteHeader(http.StatusNoContent) // what browsers ask for by themselves
	case strings.HasPrefix(p, ownPath):
		g.own(w, r, p[len(ownPath):])
	default:
		g.at(w, r, p, g.show)
	}
}

// ownPath begins the paths that name no object. No scheme is called "-".
const ownPath = "/-/"

// own answers for the gateway's own paths.
func (g *Gateway) own(w http.ResponseWriter, r *http.Request, p string) {
	switch {
	case p == "go":
		g.goTo(w, r)
	case strings.HasPrefix(p, "to/"):
		g.to(w, r)
	case strings.HasPrefix(p, "image/"):
		g.image(w, r)
	case p == "search":
		g.search(w, r)
	case p == "uri":
		g.exact(w, r, g.show)
	case p == "raw":
		g.exact(w, r, g.raw)
	case strings.HasPrefix(p, "raw/"):
		g.at(w, r, p[len("raw"):], g.raw)
	case p == "rows":
		g.exact(w, r, g.rows)
	case strings.HasPrefix(p, "rows/"):
		g.at(w, r, p[len("rows"):], g.rows)
	case strings.HasPrefix(p, "part/"):
		g.part(w, r, p[len("part/"):])
	default:
		g.fail(w, r, http.StatusNotFound, "the gateway has no such page")
	}
}

// allowed refuses schemes that reach what is not on the network, or attach a terminal.
func (g *Gateway) allowed(name string) error {
	s, ok := g.client.Schemes.Lookup(name)
	if !ok {
		return fetch.Errorf(fetch.ErrUnsupported, "no handler for the scheme %q", name)
	}
	if slices.ContainsFunc(g.cfg.Allow, func(a string) bool { return strings.EqualFold(a, name) }) {
		return nil
	}
	if s.Local || s.Does.Session || strings.HasPrefix(strings.ToLower(name), "x-") || s.Name() == "afs" {
		return fetch.Errorf(fetch.ErrDenied, "this gateway does not lead to %s", s.Name())
	}
	return nil
}
