// Package gateway makes every scheme available to clients that support only HTTP: browsers, and programs of any age that can use a proxy.
//
//	g := gateway.New(fetch.New(schemes.All(nil)...), &gateway.Config{})
//	err := gateway.Serve(ctx, listener, g)
//
// The drafts want the utility of a new scheme shown "by the provision of a gateway which will provide images of objects in the new scheme
// for clients using an existing protocol". A Gateway is an http.Handler that does so in three ways:
//
//	GET /gopher/gopher.example/1/about HTTP/1.1        a page: the object, links that stay in the gateway, how it was fetched
//	GET gopher://gopher.example/0/about.txt HTTP/1.1   a proxy, as CERN httpd was: the object itself; directories and menus as HTML;
//	                                                   an http redirect unchanged, another referral as a 302
//	GET /gopher.example/1/about HTTP/1.1               WWW_gopher_GATEWAY of libwww and Lynx, for the one Config.Scheme
//
// # Security
//
// The Client's Policy decides at dial time where the Gateway connects; a gateway that others can reach needs Policy.DenyPrivate. Schemes
// that answer from this machine (file, data, mid, ...), x- programs, and sessions are refused unless Config.Allow or a Rule of the Policy
// names them. Requests for a host name that is not the gateway's own are refused (DNS rebinding).
//
// Nothing is fetched for a page of another site, or of another port of the gateway's host, without a click. Browsers tell where a request comes
// from by Sec-Fetch-Site, but only to https and to loopback names. Elsewhere only requests with a Referer of the gateway are served, and the others
// get a page with a link. So a server before the gateway must pass the Host field on unchanged, except over https, and programs that request
// paths by a name that is not loopback must send "Sec-Fetch-Site: none". Requests to the proxy need nothing: no page can make a browser use one.
//
// Foreign HTML is shown only within a sandboxed frame, or under a Content-Security-Policy that sandboxes it; no page has a script. CONNECT,
// other methods, and requests with a body are refused.
package gateway

import (
	"cmp"
	"crypto/rand"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/policy"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// A Sample is a link on the start page.
type Sample struct {
	URI    uri.URI
	Title  string // "" means the last part of the URI
	Lesson bool   // show what the scheme names, and where it is specified
	Year   int    // in which the scheme's protocol was first specified, for the lesson; 0 if it is not known
}

// A Config configures a Gateway. A nil *Config means the zero Config.
type Config struct {
	Hosts   []string                 // host names of the gateway, besides localhost and literal addresses
	Allow   []string                 // schemes to allow that are refused by default: local ones, x- ones, sessions; also those that a Rule of the Policy allows by name
	Scheme  string                   // for paths without a scheme: /HOST/... as with WWW_<scheme>_GATEWAY
	Samples []Sample                 // links on the start page
	Options *fetch.Options           // for every request: settings, accepted types
	Log     *slog.Logger             // a line for each request, without secrets; nil logs nothing
	Hint    func(hint string) string // turns an Error.Hint into text for the log; nil logs none
	Metrics bool                     // serve sums of the requests as /metrics in the text format of Prometheus

	// Archive is the archive whose Schemes the Client has; nil if it has others. Then pages show when they were captured and what was
	// said then, the start page lists the contents, and clients choose times (RFC 7089).
	Archive *warc.Archive
	At      time.Time // the time for requests that choose none; zero means the latest captures

	PerClient int // how many requests of one address are served at a time; 0 means 32
}

// A Gateway is an http.Handler. It must be at the root of its server, since its links are absolute paths.
type Gateway struct {
	client  *fetch.Client
	cfg     Config
	key     [32]byte // for the seals
	limit   limiter
	metrics metrics
	pieces  sync.Pool // of *[piece]byte

	openings openings

	contents struct { // of the archive
		sync.Mutex
		summary *summary
	}
}

// New returns a Gateway that uses c. The caller closes c.
func New(c *fetch.Client, cfg *Config) *Gateway {
	if cfg == nil {
		cfg = &Config{}
	}
	g := &Gateway{client: c, cfg: *cfg, metrics: metrics{classes: map[class]*sums{}, failures: map[fetch.Kind]int64{}},
		limit: limiter{perClient: cmp.Or(cfg.PerClient, defaultPerClient), of: map[string]int{}}}
	rand.Read(g.key[:])
	return g
}

// ServeHTTP handles one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.recorded(w, r, g.serve)
}

// serve checks a request and dispatches it.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	client := oneClient(r)
	if status, why := g.limit.enter(client); status != 0 {
		w.Header().Set("Retry-After", "1")
		g.fail(w, status, why)
		return
	}
	defer g.limit.leave(client)
	if status, why := g.refuse(r); status != 0 {
		w.Header().Set("Connection", "close") // the following bytes may be the rest of this request
		g.fail(w, status, why)
		return
	}
	if g.cfg.Archive != nil {
		var ok bool
		if r, ok = g.negotiated(r); !ok {
			g.fail(w, http.StatusBadRequest, "Accept-Datetime is not a date (RFC 7089 section 2.1.1)")
			return
		}
	}
	if r.URL.Scheme != "" {
		g.proxy(w, r)
		return
	}
	g.direct(w, r)
}

// direct handles a request for a path of the gateway.
func (g *Gateway) direct(w http.ResponseWriter, r *http.Request) {
	switch p := r.URL.EscapedPath(); {
	case p == "/" && r.URL.Query().Has("uri"): // for users who know the name of the field
		g.goTo(w, r)
	case p == "/" && g.cfg.Archive != nil:
		g.archiveStart(w, r)
	case p == "/":
		g.start(w, r)
	case p == "/healthz":
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("ok\n"))
	case p == "/metrics" && g.cfg.Metrics:
		g.measure(w)
	case p == "/favicon.ico":
		guardHeader(w.Header())
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Cache-Control", "max-age=86400")
		w.Write([]byte(favicon))
	case g.isForeign(r) && !g.isOwnLink(r): // the paths before this contact no server
		g.confirm(w, r)
	default:
		letGoOn(w, r)
		g.open(w, r, p)
	}
}

// open serves an object, or a path that names one in another form.
func (g *Gateway) open(w http.ResponseWriter, r *http.Request, p string) {
	if rest, ok := strings.CutPrefix(p, ownPath); ok {
		g.own(w, r, rest)
		return
	}
	g.at(w, r, p[1:], g.show)
}

// ownPath starts the paths that do not name an object. No scheme is called "-".
const ownPath = "/-/"

// own handles the gateway's own paths. Some are those of a Gateway with an Archive only.
func (g *Gateway) own(w http.ResponseWriter, r *http.Request, p string) {
	archived := g.cfg.Archive != nil
	switch name, rest, _ := strings.Cut(p, "/"); {
	case p == "go":
		g.goTo(w, r)
	case name == "to":
		g.followLink(w, r)
	case name == "image":
		g.image(w, r)
	case p == "search":
		g.search(w, r)
	case name == "view":
		g.viewOf(w, r, rest)
	case name == "part":
		g.part(w, r, rest)
	case archived && p == "archive":
		g.list(w, r)
	case archived && name == "at":
		g.inTime(w, r, rest)
	case archived && name == "captures":
		g.at(w, r, rest, g.captures)
	case archived && name == "timemap":
		g.at(w, r, rest, g.timeMap)
	default:
		g.form(w, r, name, rest)
	}
}

// A handler serves an object.
type handler func(http.ResponseWriter, *http.Request, uri.URI)

// form handles the forms in which an object can be requested: FORM/SCHEME/HOST/..., or FORM with the URI as the query.
func (g *Gateway) form(w http.ResponseWriter, r *http.Request, name, rest string) {
	forms := map[string]handler{
		"uri": g.show, "raw": g.raw, "rows": g.rows, "thread": g.thread, "explain": g.explain, "conversation": g.conversationOf,
		"next":     func(w http.ResponseWriter, r *http.Request, u uri.URI) { g.neighbor(w, r, u, 1) },
		"previous": func(w http.ResponseWriter, r *http.Request, u uri.URI) { g.neighbor(w, r, u, -1) },
	}
	serve, ok := forms[name]
	if !ok || name == "uri" && rest != "" {
		g.fail(w, http.StatusNotFound, "no such page on this gateway")
		return
	}
	g.at(w, r, rest, serve)
}

// allowed refuses schemes that access this machine or attach a terminal.
func (g *Gateway) allowed(name string) error {
	s, ok := g.client.Schemes.Lookup(name)
	if !ok {
		return fetch.Errorf(fetch.ErrUnsupported, "no handler for the scheme %q", name)
	}
	if slices.ContainsFunc(g.cfg.Allow, func(a string) bool { return strings.EqualFold(a, name) }) {
		return nil
	}
	if r, ok := g.client.Policy.Match(policy.Target{Scheme: name}); ok && !r.Deny && len(r.Schemes) > 0 {
		return nil
	}
	if g.cfg.Archive != nil { // it answers for them, and this machine does not
		return nil
	}
	if s.Local || s.Does.Session || strings.HasPrefix(strings.ToLower(name), "x-") || s.Name() == "afs" {
		return fetch.Errorf(fetch.ErrDenied, "this gateway does not serve %s", s.Name())
	}
	return nil
}
