package gateway

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

const contentsPath = ownPath + "archive"

// Bounds of the pages about an archive's contents.
const (
	maxHosts  = 10_000
	maxSorted = 5000 // URIs that are counted and sorted; more are listed in the order of the archive
	pageURIs  = 500
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
	g.framed(w, r, frame{status: http.StatusOK, title: "Contents of the archive"}, func(p *page) {
		p.put("<p>Every page of this gateway is from the archive; no server is contacted.</p>\n")
		p.flush()
		s, err := g.summarize()
		if err != nil {
			p.brokenArchive(err)
			return
		}
		p.summary(s)
	})
}

// flush shows readers what was written, before a long archive is read.
func (p *page) flush() { http.NewResponseController(p.w).Flush() }

// brokenArchive writes why the contents end here.
func (p *page) brokenArchive(err error) {
	p.put("<p role=\"alert\"><strong>", render.EscapeHTML(string(fetch.KindOf(err))), "</strong>: ", render.EscapeHTML(err.Error()), "</p>\n")
}

// summary writes the tables of hosts and days.
func (p *page) summary(s *summary) {
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
	what := warc.Query{Scheme: q.Get("scheme"), Host: q.Get("host"), Day: q.Get("day"), From: q.Get("at")}
	heading := what.Day
	if what.Scheme != "" {
		heading = what.Scheme + ":"
		if what.Host != "" {
			heading += "//" + what.Host
		}
	}
	g.framed(w, r, frame{status: http.StatusOK, title: cmp.Or(heading, "All captures")}, func(p *page) {
		p.flush()
		var (
			uris map[string]*holding
			all  bool
			err  error
		)
		if what.From == "" {
			uris, all, err = g.collect(what)
		}
		switch {
		case err != nil:
			p.brokenArchive(err)
		case all:
			from, _ := strconv.Atoi(q.Get("from"))
			p.holdings(uris, from, q)
		default:
			p.inOrder(what, q)
		}
	})
}

// collect sums up the captures that a query selects by URI. It returns false if there are more than maxSorted URIs.
func (g *Gateway) collect(what warc.Query) (uris map[string]*holding, all bool, err error) {
	uris = map[string]*holding{}
	for e, err := range g.cfg.Archive.Contents(what) {
		if err != nil {
			return nil, false, err
		}
		if uris[e.URI] == nil {
			if len(uris) == maxSorted {
				return nil, false, nil
			}
			uris[e.URI] = &holding{}
		}
		uris[e.URI].add(e.Capture)
	}
	return uris, true, nil
}

// inOrder writes a page of a table of URIs in the order of the archive, from a place on, without reading more of it.
func (p *page) inOrder(what warc.Query, q url.Values) {
	p.put("<p>More than ", strconv.Itoa(maxSorted), " URIs, in the order of the archive. One that is in several files, or that also failed, has several lines.</p>\n")
	p.beginHoldings()
	var uri, place, next string
	var h *holding
	rows := 0
	end := func() {
		if h != nil {
			p.holding(uri, h)
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
	p.endHoldings("at", next, q)
	if failed != nil {
		p.brokenArchive(failed)
	}
}

// holdings writes a page of a table of URIs.
func (p *page) holdings(uris map[string]*holding, from int, q url.Values) {
	all := slices.Sorted(maps.Keys(uris))
	from = max(0, min(from, len(all)))
	p.put("<p>", strconv.Itoa(len(all)), " URIs</p>\n")
	p.beginHoldings()
	for _, s := range all[from:min(len(all), from+pageURIs)] {
		p.holding(s, uris[s])
	}
	next := ""
	if n := from + pageURIs; n < len(all) {
		next = strconv.Itoa(n)
	}
	p.endHoldings("from", next, q)
}

// beginHoldings writes the head of a table of URIs.
func (p *page) beginHoldings() {
	p.put("<table>\n<thead><tr><th scope=\"col\">URI</th><th scope=\"col\">Captures</th><th scope=\"col\">Last</th></tr></thead>\n<tbody>\n")
}

// endHoldings ends the table, and writes a link to where it continues if next is not empty.
func (p *page) endHoldings(key, next string, q url.Values) {
	p.put("</tbody>\n</table>\n")
	if next != "" {
		q.Set(key, next)
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
