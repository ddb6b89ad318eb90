package gateway

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// inArchive returns the advice about an error of a Gateway with an Archive: what the archive has in place of an object that it lacks, or that a
// failure was captured with the rest.
func (g *Gateway) inArchive(r *http.Request, u uri.URI, err error, a advice) advice {
	m := moment(r)
	if m == nil {
		return a
	}
	up, _ := above(u)
	a.again, a.login, a.up = false, false, a.up && g.isCaptured(up.uri)
	missing, ok := errors.AsType[*warc.MissingError](err)
	if !ok {
		if _, _, ok := m.Captured(); ok {
			a.text = "So it was when it was captured: " + a.text
		}
		return a
	}
	a.title, a.text = "Not in the archive", "The archive does not hold this object, and no server is contacted."
	for _, other := range alternatives(missing.URI) {
		if g.isCaptured(other) {
			a.links = append(a.links, place{g.prefix(r) + Path(other), "The archive has " + g.client.Schemes.Redact(other)})
		}
	}
	if missing.Part != "" && g.isCaptured(missing.URI) {
		a.text = "The archive holds this object, but not this part or search of it, and no server is contacted."
		a.links = append(a.links, place{path(ownPath+"captures", missing.URI), "Its captures"})
	}
	if scheme, host := warc.Origin(missing.URI.String()); host != "" && g.hasAny(scheme, host) {
		a.links = append(a.links, place{contentsPath + "?" + url.Values{"scheme": {scheme}, "host": {host}}.Encode(), "Everything that the archive has of " + scheme + "://" + host})
	}
	return a
}

// isCaptured reports whether the archive has a capture of u.
func (g *Gateway) isCaptured(u uri.URI) bool {
	if u.IsZero() {
		return false
	}
	list, err := g.cfg.Archive.Captures(u)
	return err == nil && len(list) > 0
}

// hasAny reports whether the archive has a capture of a host.
func (g *Gateway) hasAny(scheme, host string) bool {
	for _, err := range g.cfg.Archive.Contents(warc.Query{Scheme: scheme, Host: host}) {
		return err == nil
	}
	return false
}

// alternatives returns URIs that often name the same object as u: with or without a slash at the end, and with or without TLS.
func alternatives(u uri.URI) (list []uri.URI) {
	plain, query, asks := strings.Cut(u.WithoutFragment().WithoutPassword().String(), "?")
	if asks {
		query = "?" + query
	}
	other, ok := strings.CutSuffix(plain, "/")
	if !ok {
		other += "/"
	}
	for _, s := range [...]string{otherTLS(plain), other, otherTLS(other)} {
		if v, err := uri.Parse(s + query); err == nil && s != "" {
			list = append(list, v)
		}
	}
	return list
}

// otherTLS returns the URI with TLS of one without, or the reverse. It returns "" for a scheme other than http.
func otherTLS(s string) string {
	if rest, ok := strings.CutPrefix(s, "http:"); ok {
		return "https:" + rest
	}
	if rest, ok := strings.CutPrefix(s, "https:"); ok {
		return "http:" + rest
	}
	return ""
}
