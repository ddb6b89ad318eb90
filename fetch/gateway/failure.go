package gateway

import (
	"errors"
	"net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// failure writes a page that explains why u could not be fetched.
func (g *Gateway) failure(w http.ResponseWriter, r *http.Request, u uri.URI, err error) {
	g.failurePage(w, r, u, err, nil)
}

func (g *Gateway) failurePage(w http.ResponseWriter, r *http.Request, u uri.URI, err error, c *transcript) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	status := httpbridge.Status(fetch.KindOf(err))
	search := isWanting(err) && g.allowed(u.Scheme()) == nil && g.takesWords(u)
	if search {
		status = http.StatusOK
	}
	if to, ok := g.whereToLogin(r, u); ok && status == http.StatusUnauthorized {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	g.askLogin(w, r, u, status)
	a := adviceOn(fetch.KindOf(err))
	f := frame{status: status, object: u, title: a.title}
	if search {
		f.title = g.client.Schemes.Redact(u)
		if list := crumbs(u); len(list) > 0 {
			f.title = list[len(list)-1].name
		}
	}
	var main *page
	if c != nil {
		f.below = func() {
			c.captured(moment(r))
			main.howFetched(g.plan(u, nil), c)
		}
	}
	g.framed(w, r, f, func(p *page) {
		main = p
		if search {
			p.searchField(u, nil)
		}
		p.explain(r, u, err, a, search)
		p.captureLine(r, u)
	})
}

// explain writes what has happened, and what the reader can do about it.
func (p *page) explain(r *http.Request, u uri.URI, err error, a advice, search bool) {
	if !search {
		p.put("<p>", a.text, "</p>\n")
	}
	p.put("<p role=\"alert\"><strong>", render.EscapeHTML(string(fetch.KindOf(err))), "</strong>: ", render.EscapeHTML(err.Error()), "</p>\n")
	p.actions(r, u, a)
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Hint == "" || search && strings.HasPrefix(e.Hint, fetch.HintSearch) {
		return
	}
	hint := e.Hint
	if p.g.cfg.Hint != nil {
		hint = p.g.cfg.Hint(hint)
	}
	p.put("<p class=\"facts\">For whoever runs this gateway: ", render.EscapeHTML(hint), "</p>\n")
}

// actions writes links to what the reader can do.
func (p *page) actions(r *http.Request, u uri.URI, a advice) {
	if u.IsZero() {
		return
	}
	var list []string
	link := func(href, text string) {
		list = append(list, "<li><a href=\""+render.EscapeHTML(href)+"\">"+render.EscapeHTML(text)+"</a></li>\n")
	}
	if at, ok := p.g.loginPath(u); a.login && ok {
		link(at, "Log in at "+u.Hostname()+": the browser asks for the name and the password")
	}
	if a.again {
		link(r.URL.RequestURI(), "Try again")
	}
	if up, ok := above(u); ok && a.up {
		link(Path(up.uri), "Go up to "+up.name)
	}
	if len(list) > 0 {
		p.put("<ul>\n")
		p.put(list...)
		p.put("</ul>\n")
	}
}

// An advice explains a kind of error to readers.
type advice struct {
	title, text      string
	again, up, login bool // what can be done
}

func adviceOn(k fetch.Kind) advice {
	switch k {
	case fetch.ErrNotFound:
		return advice{"Not found", "The server has no such object. It may have been moved or deleted, or its name is misspelled.", false, true, false}
	case fetch.ErrDNS:
		return advice{"No such host", "The name of the host has no address. Is it spelled correctly?", true, false, false}
	case fetch.ErrConnect, fetch.ErrConnection:
		return advice{"The server cannot be reached", "It may be down, or it does not offer this protocol.", true, false, false}
	case fetch.ErrTimeout:
		return advice{"The server does not respond", "It took too long. It may be busy, or unreachable from here.", true, false, false}
	case fetch.ErrUnavailable:
		return advice{"Not available now", "The server cannot provide it at the moment.", true, true, false}
	case fetch.ErrTLS:
		return advice{"No secure connection", "The server's identity could not be verified, so nothing was sent to it.", true, false, false}
	case fetch.ErrAuth:
		return advice{"Login required", "The server wants to know who you are.", false, true, true}
	case fetch.ErrRefused:
		return advice{"The server refuses", "You are not permitted to read this object.", false, true, true}
	case fetch.ErrDenied, fetch.ErrRefusedPort:
		return advice{"Not permitted here", "This gateway does not open this address. Nothing was sent.", false, false, false}
	case fetch.ErrRedirect:
		return advice{"Redirected too far", "The server refers to another place, where this gateway does not follow it.", false, true, false}
	case fetch.ErrRefusedURL:
		return advice{"That address cannot be opened", "It is not well-formed, or contains what its protocol cannot express. Correct it in the field above.", false, true, false}
	case fetch.ErrUnsupported, fetch.ErrInteractive:
		return advice{"Cannot be shown", "There is no way to show this object as a page.", false, true, false}
	case fetch.ErrLimit:
		return advice{"Too large", "The response is larger than this gateway accepts.", false, true, false}
	case fetch.ErrProtocol, fetch.ErrTruncated, fetch.ErrTransfer, fetch.ErrDecode:
		return advice{"The response is broken", "The server’s response could not be understood, or was cut off.", true, true, false}
	}
	return advice{"It could not be fetched", "Something went wrong.", true, true, false}
}

// isWanting reports whether an error may be due to missing search words.
func isWanting(err error) bool {
	k := fetch.KindOf(err)
	return k == fetch.ErrRefusedURL || k == fetch.ErrUnsupported || k == fetch.ErrInteractive
}

// fail writes a plain error for a request that is not for an object.
func (g *Gateway) fail(w http.ResponseWriter, r *http.Request, status int, why string) {
	guardHeader(w.Header())
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD")
	}
	http.Error(w, why, status)
}
