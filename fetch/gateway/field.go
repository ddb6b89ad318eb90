package gateway

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// goTo redirects from the address field to the page.
func (g *Gateway) goTo(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.URL.Query().Get("uri"))
	u, err := g.entered(text)
	if err != nil {
		g.badAddress(w, r, text, err)
		return
	}
	http.Redirect(w, r, Path(u), http.StatusSeeOther)
}

// entered returns the URI that a user has entered: a URI, one in a text (<URL:...>), or the name of a host with or without a path.
func (g *Gateway) entered(text string) (uri.URI, error) {
	if text == "" {
		return uri.URI{}, fetch.Errorf(fetch.ErrRefusedURL, "the address is empty")
	}
	inner := unwrapped(text)
	u, err := parse(inner)
	if err == nil && u.IsAbs() {
		if _, known := g.client.Schemes.Lookup(u.Scheme()); known {
			return u, nil
		}
	}
	if at, ok := g.ofHost(inner); ok {
		return at, nil
	}
	switch {
	case err != nil:
	case u.IsAbs():
		err = fetch.Errorf(fetch.ErrUnsupported, "no handler for the scheme %q", u.Scheme())
	default:
		err = fetch.Errorf(fetch.ErrRefusedURL, "not a URI, and not the name of a host: %q", text)
	}
	return u, err
}

// unwrapped removes <URL:...>, <...> and URL: from around a URI (RFC 1738 appendix, RFC 3986 appendix C).
func unwrapped(text string) string {
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	if len(text) > 4 && strings.EqualFold(text[:4], "URL:") {
		text = strings.TrimSpace(text[4:])
	}
	return text
}

// ofHost returns the URI of HOST[:PORT][/PATH]. The scheme is the one that the host's name or port suggests, or http.
func (g *Gateway) ofHost(text string) (uri.URI, bool) {
	text = strings.TrimPrefix(text, "//")
	authority, _, _ := strings.Cut(text, "/")
	host, port, _ := strings.Cut(authority, ":")
	if strings.HasPrefix(authority, "[") {
		host, port = authority, ""
	}
	if !isHostName(host) || strings.Trim(port, "0123456789") != "" {
		return uri.URI{}, false
	}
	scheme := "http"
	first, _, _ := strings.Cut(strings.ToLower(host), ".")
	for _, s := range g.client.Schemes {
		if byPort := port != "" && port == strconv.Itoa(s.Rules.DefaultPort); (s.Name() == first || byPort) && !s.Local {
			scheme = s.Name()
			break
		}
	}
	if !strings.Contains(text, "/") {
		text += "/"
	}
	u, err := parse(scheme + "://" + text)
	return u, err == nil
}

// isHostName reports whether s can only be meant as a host: a name with a dot, localhost, or an address.
func isHostName(s string) bool {
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return true
	}
	bad := strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || strings.ContainsRune(`"<>\^{|}#?@%`+"`", c) })
	return !bad && (strings.EqualFold(s, "localhost") || strings.Contains(strings.Trim(s, "."), "."))
}

// badAddress explains what can be entered. The field keeps what the user has entered.
func (g *Gateway) badAddress(w http.ResponseWriter, r *http.Request, text string, err error) {
	g.framed(w, r, frame{status: http.StatusBadRequest, title: "That address cannot be opened", field: text}, func(p *page) {
		p.put("<p role=\"alert\">", render.EscapeHTML(err.Error()), "</p>\n",
			"<p>Correct it in the field above. These forms are understood:</p>\n<ul>\n<li>a URI: <code>gopher://gopher.example/1/about</code></li>\n",
			"<li>a URI as texts contain it: <code>&lt;URL:ftp://ftp.example/pub/&gt;</code></li>\n<li>the name of a host: <code>gopher.example</code></li>\n</ul>\n")
	})
}
