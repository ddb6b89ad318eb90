package gateway

import (
	"net/http"
	"slices"
	"strings"

	"example.org/deref/fetch"
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

// homesOf returns the listings in which the message d is: its groups, or its mailbox. It returns nil for a message without any.
func homesOf(d *fetch.Document) []crumb {
	if c, ok := mailboxOf(d.URI); ok {
		return []crumb{c}
	}
	if isNews(d.URI.Scheme()) && d.Type == "message/rfc822" && d.URI.Hostname() != "" {
		return groupsOf(d)
	}
	return nil
}

// around writes the links from a message to its groups or its mailbox, its thread, and its neighbors.
func (p *page) around(d *fetch.Document, homes []crumb) {
	if len(homes) == 0 {
		return
	}
	p.put("<nav class=\"pages\" aria-label=\"%s\">", about(d.URI))
	for _, way := range [...][2]string{{"previous", "Previous"}, {"next", "Next"}} {
		p.put("<a rel=\"%s\" href=\"%s\">%s</a> ", way[0][:4], p.at+path(ownPath+way[0], d.URI), way[1])
	}
	p.put("<a href=\"%s\">Thread</a> ", p.at+path(ownPath+"thread", d.URI))
	for _, c := range homes {
		p.put("<a href=\"%s\">%s</a> ", p.at+Path(c.uri), c.name)
	}
	p.put("</nav>\n")
}

// about returns what a message of the scheme of u is called.
func about(u uri.URI) string {
	if isMail(u.Scheme()) {
		return "Message"
	}
	return "Article"
}

// thread serves the thread of the message u.
func (g *Gateway) thread(w http.ResponseWriter, r *http.Request, u uri.URI) {
	v := wholeView(u, g.plainOptions(r))
	if mailbox, ok := mailboxOf(u); ok {
		v = wholeView(mailbox.uri, v.options)
	} else if isNews(u.Scheme()) {
		v.options.Put("news.thread", "yes")
	} else {
		g.failure(w, r, u, fetch.Errorf(fetch.ErrUnsupported, "only articles of newsgroups and messages of mailboxes have a thread here"))
		return
	}
	v.message = u
	g.page(w, r, v)
}

// threadPath returns the path to the thread of the message u.
func threadPath(u uri.URI) []crumb {
	list := crumbs(u)
	if len(list) < 2 {
		return nil
	}
	if isNews(u.Scheme()) { // the group is unknown
		list[1].name = about(u)
	}
	return append(list, crumb{"Thread", u})
}

// isHere returns the function that finds the message u in a thread.
func isHere(u uri.URI) func(fetch.Entry) bool {
	if isMail(u.Scheme()) {
		return func(e fetch.Entry) bool { return isMessage(e, u) }
	}
	id := string(u.Path())
	return hasID("<" + strings.Trim(decoded(id[strings.LastIndexByte(id, '/')+1:]), "<>") + ">")
}

// hasID returns a function that finds the message with that Message-ID.
func hasID(id string) func(fetch.Entry) bool {
	return func(e fetch.Entry) bool { return e.Value("message-id") == id }
}

// neighbor redirects to the message before or after u, in the order in which the page of its mailbox or first group shows them.
func (g *Gateway) neighbor(w http.ResponseWriter, r *http.Request, u uri.URI, step int) {
	home, isMail := mailboxOf(u)
	found := isHere(u)
	if !isMail {
		d, c, ok := g.fetched(w, r, u, g.plainOptions(r))
		if !ok {
			return
		}
		homes, id := homesOf(d), d.Header.Get("Message-Id")
		d.Body.Close()
		if len(homes) == 0 || id == "" {
			g.failurePage(w, r, u, nil, fetch.Errorf(fetch.ErrNotFound, "the article names no group"), c)
			return
		}
		home, found = homes[0], hasID(id)
	}
	o := g.plainOptions(r)
	if isNews(home.uri.Scheme()) && o.Set["news.last"] == nil {
		o.Put("news.last", lastArticles)
	}
	d, _, ok := g.fetched(w, r, home.uri, o)
	if !ok {
		return
	}
	defer d.Body.Close()
	list, _ := collect(d.Entries)
	if isMail {
		list = latestMail(list)
	} else {
		list = latestThreads(list)
	}
	if i := slices.IndexFunc(list, found); i >= 0 && i+step >= 0 && i+step < len(list) && !list[i+step].URI.IsZero() {
		redirectTo(w, http.StatusSeeOther, g.prefix(r)+Path(list[i+step].URI))
		return
	}
	redirectTo(w, http.StatusSeeOther, g.prefix(r)+Path(home.uri)) // it was the first or the last
}
