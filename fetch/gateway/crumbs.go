package gateway

import (
	"strings"

	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
)

// A crumb is an object above another one.
type crumb struct {
	name string
	uri  uri.URI
}

// maxCrumbs bounds the separators in a path whose steps are shown one by one. The links of 15,000 steps would take 225 MB.
const maxCrumbs = 100

// crumbs returns what is above u, from its server on, and u itself as the last. It returns nil for a URI without a server.
func crumbs(u uri.URI) []crumb {
	server, ok := u.WithoutFragment().WithoutPassword().Authority()
	if !ok || server == "" {
		return nil
	}
	top := u.Scheme() + "://" + string(server) + "/"
	list := addCrumb(nil, u.Scheme()+"://"+strings.TrimPrefix(string(server), "anonymous@"), top)
	path, _, _ := strings.Cut(string(u.Path()), ";type=")
	path = strings.TrimPrefix(path, "/")
	scheme := u.Scheme()
	if strings.Count(path, "/")+strings.Count(path, ",") >= maxCrumbs {
		scheme = "" // one step
	}
	switch scheme {
	case "gopher", "gophers":
		return gopherCrumbs(list, top, path)
	case "ldap", "ldaps", "x500":
		return nameCrumbs(list, top, path)
	case "http", "https", "ftp", "ftps", "ftpes", "gemini", "spartan", "nex", "file", "afs", "prospero":
		return pathCrumbs(list, top, path)
	case "imap", "imaps":
		return mailCrumbs(list, top, path)
	}
	if path != "" {
		list = addCrumb(list, decoded(path), u.WithoutFragment().WithoutPassword().String())
	}
	return list
}

// pathCrumbs adds the directories of a path.
func pathCrumbs(list []crumb, top, path string) []crumb {
	at := top
	for segment := range strings.SplitAfterSeq(path, "/") {
		if at += segment; strings.Trim(segment, "/") != "" {
			list = addCrumb(list, decoded(strings.Trim(segment, "/")), at)
		}
	}
	return list
}

// gopherCrumbs adds the menus that the selector of an item names, if it is a path. Selectors do not have to be paths, but most servers have
// menus for the directories of their files.
func gopherCrumbs(list []crumb, top, path string) []crumb {
	if path == "" {
		return list
	}
	item, selector := path[:1], strings.Trim(path[1:], "/")
	parts := strings.Split(selector, "/")
	for i, name := range parts {
		if i == len(parts)-1 {
			name = strings.SplitN(name, "%09", 2)[0] // the words of a search
			if name == "" {
				return list
			}
			return addCrumb(list, decoded(name), top+item+path[1:])
		}
		if path[1] != '/' {
			continue
		}
		list = addCrumb(list, decoded(name), top+"1/"+strings.Join(parts[:i+1], "/"))
	}
	return list
}

// mailCrumbs adds the mailbox, whose name may be a path of its own, and the message.
func mailCrumbs(list []crumb, top, path string) []crumb {
	mailbox, message, ok := cutMessage(path)
	if name, _, _ := cutFold(mailbox, ";UIDVALIDITY="); name != "" {
		list = addCrumb(list, decoded(strings.TrimSuffix(name, "/")), top+mailbox)
	}
	if ok {
		list = addCrumb(list, "message "+decoded(message), top+path)
	}
	return list
}

// nameCrumbs adds the entries above one of a directory, whose distinguished name begins with the entry itself. A backslash escapes a comma (RFC 4514).
func nameCrumbs(list []crumb, top, path string) []crumb {
	end := len(path) // of the name before the last comma
	for i := strings.LastIndexByte(path, ','); i >= 0; i = strings.LastIndexByte(path[:i], ',') {
		if before := decoded(path[:i]); (len(before)-len(strings.TrimRight(before, `\`)))%2 == 0 {
			list, end = addCrumb(list, decoded(path[i+1:end]), top+path[i+1:]), i
		}
	}
	if path != "" {
		list = addCrumb(list, decoded(path[:end]), top+path)
	}
	return list
}

func addCrumb(list []crumb, name, at string) []crumb {
	u, err := uri.Parse(at)
	if err != nil {
		return list
	}
	return append(list, crumb{name, u})
}

// decoded returns a part of a URI for people.
func decoded(s string) string { return uri.Escaped(s).Decode() }

// lastName returns the name of u on the path to it, or "".
func lastName(u uri.URI) string {
	list := crumbs(u)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].name
}

// above returns the object above u.
func above(u uri.URI) (crumb, bool) {
	list := crumbs(u)
	if len(list) < 2 {
		return crumb{}, false
	}
	return list[len(list)-2], true
}

// crumbs writes the path to the object of a page.
func (p *page) crumbs(list []crumb) {
	if len(list) < 2 {
		return
	}
	p.put("<nav class=\"at\" aria-label=\"Location\">")
	for i, c := range list {
		if i > 0 {
			p.put(" › ")
		}
		if name := charset.Text(c.name); i == len(list)-1 {
			p.put("<span aria-current=\"page\">%s</span>", name)
		} else {
			p.put("<a href=\"%s\">%s</a>", p.at+Path(c.uri), name)
		}
	}
	p.put("&nbsp;·&nbsp;<a rel=\"up\" href=\"%s\">Up</a></nav>\n", p.at+Path(list[len(list)-2].uri))
}
