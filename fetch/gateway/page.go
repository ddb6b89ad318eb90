package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

// show serves a page about u, or its bytes if a page would add nothing: an archive, a range.
func (g *Gateway) show(w http.ResponseWriter, r *http.Request, u uri.URI) {
	o, err := g.options(r)
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	g.page(w, r, wholeView(u, o))
}

// A view is what a page shows: an object, and which part of a listing.
type view struct {
	object  uri.URI
	options *fetch.Options
	listing *listing
	href    func(spec string) string // the path of another part of the listing
	message uri.URI                  // whose thread is shown; zero for no thread
}

func wholeView(u uri.URI, o *fetch.Options) view {
	href := func(spec string) string { return path(viewPath+spec, u) }
	return view{object: u, options: o, listing: parseListing(""), href: href}
}

// viewPath starts the paths of parts of listings: /-/view/from=401,by=-size/ftp/...
const viewPath = ownPath + "view/"

// part serves a part of a listing.
func (g *Gateway) viewOf(w http.ResponseWriter, r *http.Request, p string) {
	spec, rest, _ := strings.Cut(p, "/")
	g.at(w, r, rest, func(w http.ResponseWriter, r *http.Request, u uri.URI) {
		v := wholeView(u, g.plainOptions(r))
		v.listing = parseListing(spec)
		g.page(w, r, v)
	})
}

// page serves a view.
func (g *Gateway) page(w http.ResponseWriter, r *http.Request, v view) {
	note(r).form = "page"
	u, o := v.object, v.options
	if isNews(u.Scheme()) && o.Set["news.last"] == nil && o.Set["news.thread"] == nil {
		o.Put("news.last", lastArticles) // the range or the list of groups ignores it
	}
	d, c, ok := g.fetched(w, r, u, o)
	defer g.openings.keep(c)
	if !ok {
		return
	}
	if o.Range.IsZero() {
		render.List(d)
	}
	kind := embedded(r, d)
	if !isPage(d) && kind == "" || !o.Range.IsZero() {
		g.octets(w, r, d)
		return
	}
	defer d.Body.Close()
	if !render.IsListed(d) && !g.begins(w, r, d, c) {
		return
	}
	if mediatype.IsPage(d.Type) {
		htmltext.Head(d) // ISINDEX, a form with one field
	}
	f := frame{status: http.StatusOK, object: d.URI}
	var err error
	if f.title, err = title(d, o); err != nil {
		g.fails(w, r, d, err, c)
		return
	}
	homes := homesOf(d)
	if len(homes) > 0 {
		f.path = []crumb{crumbs(d.URI)[0], homes[0], {f.title, d.URI}}
	}
	if !v.message.IsZero() {
		if isMail(v.message.Scheme()) && d.Entries != nil {
			d.Entries = ordered(d.Entries, threadOf(v.message))
		}
		f.title, f.path = "Thread: "+firstTitle(d), threadPath(v.message)
	}
	f.below = func(p *page) {
		d.Body.Close()
		c.captured(moment(r))
		p.howFetched(g.plan(u, o), c)
	}
	if kind == "embed" {
		f.embeds = "object-src 'self'; frame-src 'self'; "
	} else if kind != "" {
		f.embeds = "media-src 'self'; "
	}
	g.framed(w, r, f, func(p *page) {
		p.facts(d)
		p.captureLine(r, u)
		switch {
		case o.Search != nil || g.isSearch(u):
			p.searchField(u, wordsOf(u, o), "")
		case !d.Search.IsZero():
			p.searchField(d.Search, nil, "")
		}
		p.around(d, homes)
		if kind != "" {
			p.embed(d, kind)
			return
		}
		p.view(d, v, f.title)
	})
}

// lastArticles is how many articles of a group are listed.
const lastArticles = "5000"

// view writes the main part. An error is shown where the document ends.
func (p *page) view(d *fetch.Document, v view, title string) {
	o := &render.Options{Inner: true, Href: p.hrefFrom(d.URI), Foreign: p.g.foreign, Part: p.partHref(d.URI), Search: p.at + ownPath + "search", Title: title,
		Original: p.at + RawPath(d.URI), Page: htmltext.Render,
	}
	if !v.message.IsZero() {
		o.Here = isHere(v.message)
	}
	href := func(spec string) string { return p.at + v.href(spec) }
	listed := render.IsListed(d)
	if listed {
		begin := p.written
		v.listing.arrange(d, func() bool { return p.written-begin > pageBytes })
		if v.message.IsZero() { // a thread has its own order
			o.Sort = v.listing.sortHref(href)
		}
	}
	if err := render.View(p, d, render.HTML, o); fetch.KindOf(err) == fetch.ErrUnsupported {
		p.put("<p role=\"alert\">%s</p>\n", err)
	}
	if listed {
		p.pages(v.listing, href)
	}
}

// fetched is get with a transcript. It returns false after it has written the error page.
func (g *Gateway) fetched(w http.ResponseWriter, r *http.Request, u uri.URI, o *fetch.Options) (*fetch.Document, *transcript, bool) {
	c := traced(o)
	d, err := g.get(r, u, o)
	if err != nil {
		g.failurePage(w, r, u, d, err, c)
	}
	return d, c, err == nil
}

// get dereferences u. It checks the scheme of the URI and of the final document.
func (g *Gateway) get(r *http.Request, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	about := note(r)
	about.object = u
	err := g.allowed(u.Scheme())
	var d *fetch.Document
	if err == nil {
		ctx := about.patient(r)
		d, err = httpbridge.Get(ctx, g.client, u, o)
		if err == nil && len(d.Header["Content-Encoding"]) > 0 && isPage(d) && !o.NoFollow && o.Op == fetch.Retrieve && o.Range.IsZero() {
			d.Body.Close() // nobody has requested the coding of this text, and only clients of the proxy learn of it
			o.Put("http.compressed", "1")
			d, err = httpbridge.Get(ctx, g.client, u, o)
		}
	}
	if err == nil {
		err = g.allowed(d.URI.Scheme())
	}
	if err != nil && d != nil {
		d.Body.Close()
	}
	about.kind = fetch.KindOf(err)
	g.mementoHeader(about.Header(), r, u)
	return d, err
}

// isPage reports whether d is shown as a page: entries and texts.
func isPage(d *fetch.Document) bool {
	kind := mediatype.Essence(d.Type)
	isText := strings.HasPrefix(kind, "text/") || kind == "message/rfc822" || mediatype.IsPage(kind) || render.IsBoardText(d)
	return !d.NotModified && (d.Entries != nil || isText)
}

// foreign copies a foreign page, with links and images that carry the gateway's seal.
func (g *Gateway) foreign(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, href func(uri.URI) string, images bool) error {
	l := foreign.Links{To: func(u uri.URI) string {
		if path := href(u); strings.HasPrefix(path, "/") {
			return g.sealed(toPath, path)
		}
		return href(u)
	}}
	if images {
		l.Image = func(u uri.URI) string {
			if path := href(u); strings.HasPrefix(path, "/") {
				return g.sealed(imagePath, path)
			}
			return ""
		}
	}
	return foreign.Write(w, r, isXML, base, l)
}

// hrefFrom returns a function that maps the links of a page to paths of the gateway at the page's time, or "". Articles and groups without a host
// are those of the page's own host.
func (p *page) hrefFrom(from uri.URI) func(uri.URI) string {
	return func(u uri.URI) string {
		if _, named := u.Authority(); !named && isNews(u.Scheme()) && isNews(from.Scheme()) && from.Hostname() != "" {
			u = here(from, u)
		}
		switch {
		case u.Scheme() == "mailto":
			return render.Absolute(u) // for the user's mail program
		case p.g.allowed(u.Scheme()) != nil:
			return ""
		}
		return p.at + Path(u)
	}
}

// here returns u at the host of from.
func here(from, u uri.URI) uri.URI {
	host, _ := from.Authority()
	scheme := "news"
	if from.Scheme() == "snews" || from.Scheme() == "nntps" {
		scheme = "snews"
	}
	if at, err := uri.Parse(scheme + "://" + string(host) + "/" + string(u.Opaque())); err == nil {
		return at
	}
	return u
}

// guardHeader prevents a response from being sniffed as another type, or embedded by another site.
func guardHeader(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-DNS-Prefetch-Control", "off") // no look-up of the hosts of links that nobody has followed
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

func styleHash() string {
	sum := sha256.Sum256([]byte(render.Style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// facts writes the known properties of the document, and links to its other forms.
func (p *page) facts(d *fetch.Document) {
	name, more := typeName(d)
	p.put("<p class=\"facts\">%s", name)
	if more && d.Type != "" {
		p.put(" (%s)", mediatype.Essence(d.Type))
	}
	if d.Size >= 0 {
		p.put(" · %s", render.Bytes(d.Size))
	}
	if !d.Modified.IsZero() {
		p.put(" · %s", render.TimeHTML(d.Modified, d.Precision, d.ZoneUnknown))
		if !d.ZoneUnknown && d.Precision < 24*time.Hour {
			p.put("<span class=\"opt\"> UTC</span>")
		}
	}
	p.put(" · <a href=\"%s\">Original</a>", p.at+RawPath(d.URI))
	if d.URI.Scheme() == "snmp" && d.Entries != nil {
		p.put(" · <a href=\"%s\">As a table</a>", p.at+path(ownPath+"rows", d.URI))
	}
	if below, ok := entriesBelow(d.URI); ok {
		p.put(" · <a href=\"%s\">Entries below</a>", p.at+Path(below))
	}
	p.put("</p>\n")
}

// entriesBelow returns the URI of the entries below the LDAP entry u. Those of the root are the trees that it names (RFC 4512 section 5.1).
func entriesBelow(u uri.URI) (uri.URI, bool) {
	_, asks := u.Query()
	if asks || u.Scheme() != "ldap" && u.Scheme() != "ldaps" {
		return uri.URI{}, false
	}
	query := "??one"
	if strings.Trim(string(u.Path()), "/") == "" {
		query = "?namingContexts"
	}
	below, err := uri.Parse(u.WithoutFragment().String() + query)
	return below, err == nil
}
