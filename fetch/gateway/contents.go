package gateway

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

const contentsPath = ownPath + "archive"

// Bounds of the pages about an archive's contents.
const (
	maxHosts = 10_000
	pageURIs = 500
)

// A holding sums up the captures of a host or a URI.
type holding struct {
	captures    int
	first, last time.Time
	latest      warc.Capture
}

func (h *holding) add(c warc.Capture) {
	if h.captures++; h.first.IsZero() || c.Date.Before(h.first) {
		h.first = c.Date
	}
	if !c.Date.Before(h.last) {
		h.last, h.latest = c.Date, c
	}
}

// An origin is a scheme and host.
type origin struct{ scheme, host string }

// A summary counts the captures of an archive by host and by day.
type summary struct {
	origins map[origin]*holding
	days    map[string]int
}

// summarize reads the archive's contents once, since it does not change.
func (g *Gateway) summarize() (*summary, error) {
	g.contents.Lock()
	defer g.contents.Unlock()
	if g.contents.summary != nil {
		return g.contents.summary, nil
	}
	s := &summary{map[origin]*holding{}, map[string]int{}}
	for e, err := range g.cfg.Archive.Contents("", "") {
		if err != nil {
			return nil, err
		}
		var o origin
		o.scheme, o.host = warc.Origin(e.URI)
		h := s.origins[o]
		if h == nil && len(s.origins) < maxHosts {
			h = &holding{}
			s.origins[o] = h
		}
		if h != nil {
			h.add(e.Capture)
		}
		s.days[e.Date.Format(time.DateOnly)]++
	}
	g.contents.summary = s
	return s, nil
}

// archiveStart serves the start page of a Gateway with an Archive: its contents by scheme and host, and by day.
func (g *Gateway) archiveStart(w http.ResponseWriter, r *http.Request) {
	s, err := g.summarize()
	if err != nil {
		g.failure(w, r, uri.URI{}, err)
		return
	}
	g.framed(w, r, frame{status: http.StatusOK, title: "Contents of the archive"}, func(p *page) { p.summary(s) })
}

// summary writes the tables of hosts and days.
func (p *page) summary(s *summary) {
	p.put("<p>Every page of this gateway is from the archive; no server is contacted.</p>\n")
	p.put("<table>\n<thead><tr><th scope=\"col\">Scheme</th><th scope=\"col\">Host</th><th scope=\"col\">Captures</th><th scope=\"col\">First</th>",
		"<th scope=\"col\">Last</th></tr></thead>\n<tbody>\n")
	for _, o := range slices.SortedFunc(maps.Keys(s.origins), func(a, b origin) int { return cmp.Or(cmp.Compare(a.scheme, b.scheme), cmp.Compare(a.host, b.host)) }) {
		h := s.origins[o]
		p.put("<tr><td>", render.EscapeHTML(o.scheme), "</td><td><a href=\"", render.EscapeHTML(contentsPath+"?"+url.Values{"scheme": {o.scheme}, "host": {o.host}}.Encode()),
			"\">", render.EscapeHTML(cmp.Or(o.host, "(none)")), "</a></td><td>", strconv.Itoa(h.captures), "</td><td>", h.first.Format(time.DateOnly),
			"</td><td>", h.last.Format(time.DateOnly), "</td></tr>\n")
	}
	p.put("</tbody>\n</table>\n")
	if len(s.origins) == maxHosts {
		p.put("<p>Only the first ", strconv.Itoa(maxHosts), " hosts are listed.</p>\n")
	}
	p.put("<h2>By day</h2>\n<ul>\n")
	for _, day := range slices.Sorted(maps.Keys(s.days)) {
		p.put("<li><a href=\"", contentsPath, "?day=", day, "\">", day, "</a> ", strconv.Itoa(s.days[day]), "</li>\n")
	}
	p.put("</ul>\n")
}

// list serves the URIs of a host, or those captured on a day.
func (g *Gateway) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	scheme, host, day := q.Get("scheme"), q.Get("host"), q.Get("day")
	from, _ := strconv.Atoi(q.Get("from"))
	uris := map[string]*holding{}
	for e, err := range g.cfg.Archive.Contents(scheme, host) {
		if err != nil {
			g.failure(w, r, uri.URI{}, err)
			return
		}
		if day != "" && e.Date.Format(time.DateOnly) != day {
			continue
		}
		if uris[e.URI] == nil {
			uris[e.URI] = &holding{}
		}
		uris[e.URI].add(e.Capture)
	}
	heading := day
	if scheme != "" {
		heading = scheme + ":"
		if host != "" {
			heading += "//" + host
		}
	}
	g.framed(w, r, frame{status: http.StatusOK, title: cmp.Or(heading, "All captures")}, func(p *page) { p.holdings(uris, from, q) })
}

// holdings writes a page of a table of URIs.
func (p *page) holdings(uris map[string]*holding, from int, q url.Values) {
	all := slices.Sorted(maps.Keys(uris))
	from = max(0, min(from, len(all)))
	p.put("<p>", strconv.Itoa(len(all)), " URIs</p>\n<table>\n<thead><tr><th scope=\"col\">URI</th><th scope=\"col\">Captures</th><th scope=\"col\">Last</th></tr></thead>\n<tbody>\n")
	for _, s := range all[from:min(len(all), from+pageURIs)] {
		p.holding(s, uris[s])
	}
	p.put("</tbody>\n</table>\n")
	if next := from + pageURIs; next < len(all) {
		q.Set("from", strconv.Itoa(next))
		p.put("<p><a rel=\"next\" href=\"", render.EscapeHTML(contentsPath+"?"+q.Encode()), "\">More</a></p>\n")
	}
}

// holding writes the row of a URI.
func (p *page) holding(s string, h *holding) {
	name := render.EscapeHTML(s)
	captures := strconv.Itoa(h.captures)
	if u, err := uri.Parse(s); err == nil && u.IsAbs() {
		name = "<a href=\"" + render.EscapeHTML(Path(u)) + "\">" + render.EscapeHTML(p.g.client.Schemes.Redact(u)) + "</a>"
		captures = "<a href=\"" + render.EscapeHTML(path(ownPath+"captures", u)) + "\">" + captures + "</a>"
	}
	p.put("<tr><td>", name, "</td><td>", captures, "</td><td>", h.last.Format(time.DateTime), captureNote(h.latest), "</td></tr>\n")
}
