package gateway

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// failure writes a page that explains why u could not be fetched.
func (g *Gateway) failure(w http.ResponseWriter, r *http.Request, u uri.URI, err error) {
	g.failurePage(w, r, u, nil, err, nil)
}

// failurePage is failure with the conversation, and with what has arrived of the document before the error, which may be nil.
func (g *Gateway) failurePage(w http.ResponseWriter, r *http.Request, u uri.URI, d *fetch.Document, err error, c *transcript) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	status := httpbridge.Status(fetch.KindOf(err))
	search := isWanting(err) && g.allowed(u.Scheme()) == nil && g.takesWords(u)
	if search {
		status = http.StatusOK
	}
	if to, ok := g.whereToLogin(r, u); ok && status == http.StatusUnauthorized {
		redirectTo(w, http.StatusSeeOther, to)
		return
	}
	g.askLogin(w, r, u, status)
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		e = &fetch.Error{}
	}
	a := g.inArchive(r, u, err, adviceFor(fetch.KindOf(err), e.Hint))
	if s, ok := g.client.Schemes.Lookup(u.Scheme()); ok && s.Does.Session && fetch.KindOf(err) == fetch.ErrDenied {
		a.text, a.open = "It is a session at a terminal, and not a page. Nothing was sent.", true
	}
	if d != nil && a.follow {
		a.to = d.Referrals
	}
	if e.Hint != "" && g.cfg.Hint != nil { // it is for whoever runs the gateway, and not for the page: readers set no flags
		note(r).hint = g.cfg.Hint(e.Hint)
	}
	f := frame{status: status, object: u, title: a.title}
	if search {
		f.title = cmp.Or(lastName(u), g.client.Schemes.Redact(u))
	}
	if plan := g.plan(u, nil); plan != nil && r.URL.Scheme == "" && g.allowed(u.Scheme()) == nil {
		f.below = func(p *page) {
			if c != nil {
				c.captured(moment(r))
			}
			p.howFetched(plan, c)
		}
	}
	g.framed(w, r, f, func(p *page) {
		if search {
			p.searchField(u, nil, e.Question)
		} else {
			p.put("<p>%s</p>\n", a.text)
		}
		if !search || e.Question == "" {
			p.alert(err)
			p.actions(r, u, a)
		}
		p.captureLine(r, u)
	})
}

// actions writes links to what the reader can do.
func (p *page) actions(r *http.Request, u uri.URI, a advice) {
	if u.IsZero() {
		return
	}
	var list render.Markup
	link := func(href, text string) { list += render.HTMLf("<li><a href=\"%s\">%s</a></li>\n", href, text) }
	if at, ok := p.g.loginPath(u); a.login && ok {
		link(at, "Log in at "+u.Hostname()+": the browser asks for the name and the password")
	}
	for _, to := range a.to {
		if g := p.g; g.allowed(to.URI.Scheme()) == nil && !to.Own {
			link(p.at+Path(to.URI), "Go to "+g.client.Schemes.Redact(to.URI))
		}
	}
	if a.open && !strings.EqualFold(u.Scheme(), "file") {
		link(render.Absolute(u.WithoutPassword()), "Open "+p.g.client.Schemes.Redact(u)+" without this gateway, if the browser has a program for it")
	}
	if a.again {
		link(r.URL.RequestURI(), "Try again")
	}
	for _, l := range a.links {
		link(l.href, l.text)
	}
	if up, ok := above(u); ok && a.up {
		link(p.at+Path(up.uri), "Go up to "+up.name)
	}
	if list != "" {
		p.put("<ul>\n%s</ul>\n", list)
	}
}

// An advice explains an error to readers.
type advice struct {
	title, text                    string
	again, up, login, open, follow bool             // what can be done
	to                             []fetch.Referral // where to follow
	links                          []place
}

// A place is a link of the gateway.
type place struct{ href, text string }

// adviceFor returns what is known about an error: its hint says more than its kind.
func adviceFor(k fetch.Kind, why string) advice {
	a := adviceOn(k)
	switch name, _, _ := strings.Cut(why, " "); name {
	case hint.Allow:
		a.text, a.open = "Its address is not public, and this gateway contacts only servers that everybody can reach. Nothing was sent.", true
	case hint.AllowPorts:
		a.text = "The port belongs to another service, to which no address of this kind is sent. Is the number right?"
	case hint.Schemes, hint.Host:
		a.title, a.text = "Unknown kind of address", "This gateway does not know what the first word of the address means. Is it spelled correctly?"
	case hint.FollowTo, hint.AllowX:
		a.title, a.text, a.follow = "The server refers to another place", "This gateway does not go there without being asked.", true
	case hint.TLS, hint.FirstUse:
		a.text += " Whoever runs this gateway can decide to trust the server."
	case hint.Attach:
		a.text, a.open = "It is a session at a terminal, and not a page.", true
	case hint.Password, hint.Login:
		a.title, a.text, a.login = "Login required", "The server wants to know who you are.", true
	}
	return a
}

func adviceOn(k fetch.Kind) advice {
	switch k {
	case fetch.ErrNotFound:
		return advice{title: "Not found", text: "The server has no such object. It may have been moved or deleted, or its name is misspelled.", up: true}
	case fetch.ErrDNS:
		return advice{title: "No such host", text: "The name of the host has no address. Is it spelled correctly?", again: true}
	case fetch.ErrConnect, fetch.ErrConnection:
		return advice{title: "The server cannot be reached", text: "It may be down, or it does not offer this protocol.", again: true}
	case fetch.ErrTimeout:
		return advice{title: "The server does not respond", text: "It took too long. It may be busy, or unreachable from here.", again: true}
	case fetch.ErrUnavailable:
		return advice{title: "Not available now", text: "The server cannot provide it at the moment.", again: true, up: true}
	case fetch.ErrTLS:
		return advice{title: "No secure connection", text: "The server's identity could not be verified, so nothing was sent to it.", again: true}
	case fetch.ErrAuth:
		return advice{title: "Login required", text: "The server wants to know who you are.", up: true, login: true}
	case fetch.ErrRefused:
		return advice{title: "The server refuses", text: "You are not permitted to read this object.", up: true, login: true}
	case fetch.ErrDenied, fetch.ErrRefusedPort:
		return advice{title: "Not permitted here", text: "This gateway does not open this address. Nothing was sent."}
	case fetch.ErrRedirect:
		return advice{title: "Redirected too far", text: "The server refers to another place, where this gateway does not follow it.", up: true}
	case fetch.ErrRefusedURL:
		return advice{title: "That address cannot be opened", text: "It is not well-formed, or contains what its protocol cannot express. Correct it in the field above.", up: true}
	case fetch.ErrUnsupported, fetch.ErrInteractive:
		return advice{title: "Cannot be shown", text: "There is no way to show this object as a page.", up: true}
	case fetch.ErrLimit:
		return advice{title: "Too large", text: "The response is larger than this gateway accepts.", up: true}
	case fetch.ErrProtocol, fetch.ErrTruncated, fetch.ErrTransfer, fetch.ErrDecode:
		return advice{title: "The response is broken", text: "The server’s response could not be understood, or was cut off.", again: true, up: true}
	}
	return advice{title: "It could not be fetched", text: "Something went wrong.", again: true, up: true}
}

// isWanting reports whether an error may be due to missing search words.
func isWanting(err error) bool {
	k := fetch.KindOf(err)
	return k == fetch.ErrRefusedURL || k == fetch.ErrUnsupported || k == fetch.ErrInteractive
}

// fail writes a plain error for a request that is not for an object.
func (g *Gateway) fail(w http.ResponseWriter, status int, why string) {
	guardHeader(w.Header())
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD")
	}
	http.Error(w, why, status)
}
