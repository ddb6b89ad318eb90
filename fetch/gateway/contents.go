package gateway

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

const (
	contentsPath  = ownPath + "archive"
	contentsTitle = "Contents of the archive"
)

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
	for e, err := range g.cfg.Archive.Contents(warc.Query{}) {
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
	g.framed(w, r, frame{status: http.StatusOK, title: contentsTitle}, func(p *page) {
		p.put("<p>Every page of this gateway is from the archive; no server is contacted.</p>\n")
		p.flush()
		s, err := g.summarize()
		if err != nil {
			p.alert(err)
			return
		}
		p.summary(s)
	})
}

// flush shows readers what was written, before a long archive is read.
func (p *page) flush() { http.NewResponseController(p.w).Flush() }

// alert writes an error, such as why the contents end here.
func (p *page) alert(err error) {
	p.put("<p role=\"alert\"><strong>%s</strong>: %s</p>\n", fetch.KindOf(err), err)
}

// summary writes the tables of hosts and days.
func (p *page) summary(s *summary) {
	p.put("<table>\n<thead><tr><th scope=\"col\">Scheme</th><th scope=\"col\">Host</th><th scope=\"col\">Captures</th><th scope=\"col\">First</th>" +
		"<th scope=\"col\">Last</th></tr></thead>\n<tbody>\n")
	for _, o := range slices.SortedFunc(maps.Keys(s.origins), func(a, b origin) int { return cmp.Or(cmp.Compare(a.scheme, b.scheme), cmp.Compare(a.host, b.host)) }) {
		h := s.origins[o]
		p.put("<tr><td>%s</td><td><a href=\"%s\">%s</a></td><td>%d</td><td>%s</td><td>%s</td></tr>\n", o.scheme,
			contentsPath+"?"+url.Values{"scheme": {o.scheme}, "host": {o.host}}.Encode(), cmp.Or(o.host, "(none)"),
			h.captures, h.first.Format(time.DateOnly), h.last.Format(time.DateOnly))
	}
	p.put("</tbody>\n</table>\n")
	if len(s.origins) == maxHosts {
		p.put("<p>Only the first %d hosts are listed.</p>\n", maxHosts)
	}
	p.put("<h2>By day</h2>\n<ul>\n")
	for _, day := range slices.Sorted(maps.Keys(s.days)) {
		p.put("<li><a href=\"%s?day=%s\">%[2]s</a> %d</li>\n", contentsPath, day, s.days[day])
	}
	p.put("</ul>\n")
}

// list serves the URIs of a host, or those captured on a day.
func (g *Gateway) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	what := warc.Query{Scheme: q.Get("scheme"), Host: q.Get("host"), Day: q.Get("day"), From: q.Get("at")}
	heading := cmp.Or(what.Day, "All captures")
	var host uri.URI
	if what.Scheme != "" {
		heading = what.Scheme + ":"
		if what.Host != "" {
			heading += "//" + what.Host
			host, _ = uri.Parse(heading + "/")
		}
	}
	path := []crumb{{name: contentsTitle}, {heading, host}}
	g.framed(w, r, frame{status: http.StatusOK, object: host, title: heading, path: path}, func(p *page) {
		p.flush()
		p.holdings(what, heading, q)
	})
}

// holdings writes a page of a table of URIs in the order of the archive, from a place on, without reading more of it.
func (p *page) holdings(what warc.Query, heading string, q url.Values) {
	p.put("<p>In the order of the archive. A URI that is in several files, or that also failed, has several lines.</p>\n" +
		"<table>\n<thead><tr><th scope=\"col\">URI</th><th scope=\"col\">Captures</th><th scope=\"col\">Last</th></tr></thead>\n<tbody>\n")
	var uri, place, next string
	var h *holding
	rows := 0
	end := func() {
		if h != nil {
			p.holding(uri, heading, h)
			rows++
		}
	}
	var failed error
	for e, err := range p.g.cfg.Archive.Contents(what) {
		if failed = err; err != nil {
			break
		}
		if e.Place != place {
			end()
			h, uri, place = &holding{}, e.URI, e.Place
			if rows == pageURIs {
				h, next = nil, place
				break
			}
		}
		h.add(e.Capture)
	}
	end()
	p.put("</tbody>\n</table>\n")
	if next != "" {
		q.Set("at", next)
		p.put("<p><a rel=\"next\" href=\"%s\">More</a></p>\n", contentsPath+"?"+q.Encode())
	}
	if failed != nil {
		p.alert(failed)
	}
}

// holding writes the row of a URI. One of the host in the page's heading is shown as its path.
func (p *page) holding(s, heading string, h *holding) {
	name, captures := render.HTMLf("%s", s), render.HTMLf("%d", h.captures)
	if u, err := uri.Parse(s); err == nil && u.IsAbs() {
		text := p.g.client.Schemes.Redact(u)
		if path, ok := strings.CutPrefix(text, heading); ok && strings.HasPrefix(path, "/") {
			text = path
		}
		name = render.HTMLf("<a href=\"%s\">%s</a>", Path(u), text)
		captures = render.HTMLf("<a href=\"%s\">%s</a>", path(ownPath+"captures", u), captures)
	}
	p.put("<tr><td>%s</td><td>%s</td><td>%s%s</td></tr>\n", name, captures, h.last.Format(time.DateTime), captureNote(h.latest))
}
