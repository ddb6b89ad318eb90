package gateway

import (
	"net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// groupsOf returns the groups of an article, and the URI of each on the article's server.
func groupsOf(d *fetch.Document) (list []crumb) {
	for name := range strings.FieldsFuncSeq(d.Header.Get("Newsgroups"), func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }) {
		if u, err := uri.Parse("news:" + string(uri.Segment.Escape(uri.RFC3986, name))); err == nil && len(list) < 10 {
			list = append(list, crumb{name, here(d.URI, u)})
		}
	}
	return list
}

// around writes the links from an article to its groups, its thread, and its neighbors in the group.
func (p *page) around(d *fetch.Document) {
	if d.URI.Hostname() == "" {
		return
	}
	p.put("<nav class=\"pages\" aria-label=\"Article\">")
	for _, way := range [...][2]string{{"previous", "Previous"}, {"next", "Next"}} {
		p.put("<a rel=\"", way[0][:4], "\" href=\"", render.EscapeHTML(path(ownPath+way[0], d.URI)), "\">", way[1], "</a> ")
	}
	p.put("<a href=\"", render.EscapeHTML(path(ownPath+"thread", d.URI)), "\">Thread</a> ")
	for _, c := range groupsOf(d) {
		p.put("<a href=\"", render.EscapeHTML(Path(c.uri)), "\">", render.EscapeHTML(c.name), "</a> ")
	}
	p.put("</nav>\n")
}

// thread serves the thread of the article u.
func (g *Gateway) thread(w http.ResponseWriter, r *http.Request, u uri.URI) {
	if !isNews(u.Scheme()) {
		g.failure(w, r, u, fetch.Errorf(fetch.ErrUnsupported, "only articles of newsgroups have a thread here"))
		return
	}
	o := g.plainOptions(r)
	o.Set = with(o.Set, "news.thread", "yes")
	id := string(u.Path())
	id = "<" + strings.Trim(decoded(id[strings.LastIndexByte(id, '/')+1:]), "<>") + ">"
	g.page(w, r, view{object: u, options: o, listing: parseListing(""), href: viewHref(u), here: id})
}

// threadPath returns the path to the thread of the article u.
func threadPath(u uri.URI) []crumb {
	if list := crumbs(u); len(list) > 1 {
		return []crumb{list[0], {"Article", u}, {"Thread", u}}
	}
	return nil
}

// neighbor redirects to the article before or after u, in the order in which the page of its first group shows them.
func (g *Gateway) neighbor(w http.ResponseWriter, r *http.Request, u uri.URI, step int) {
	d, err := g.get(r, u, g.plainOptions(r))
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	groups, id := groupsOf(d), d.Header.Get("Message-Id")
	d.Body.Close()
	if len(groups) == 0 || id == "" {
		g.failure(w, r, u, fetch.Errorf(fetch.ErrNotFound, "the article names no group"))
		return
	}
	o := g.plainOptions(r)
	o.Set = with(o.Set, "news.last", lastArticles)
	if d, err = g.get(r, groups[0].uri, o); err != nil {
		g.failure(w, r, groups[0].uri, err)
		return
	}
	defer d.Body.Close()
	var list []fetch.Entry
	if d.Entries != nil {
		for e, err := range d.Entries {
			if err != nil || len(list) == maxRead {
				break
			}
			list = append(list, e)
		}
	}
	list = latestThreads(list)
	for i, e := range list {
		if v := e.Attr["message-id"]; len(v) > 0 && v[0] == id && i+step >= 0 && i+step < len(list) && !list[i+step].URI.IsZero() {
			http.Redirect(w, r, Path(list[i+step].URI), http.StatusSeeOther)
			return
		}
	}
	http.Redirect(w, r, Path(groups[0].uri), http.StatusSeeOther) // it was the first or the last
}
