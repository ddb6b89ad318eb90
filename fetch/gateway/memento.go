package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// A Gateway with an Archive is a Memento server (RFC 7089). Every page and every proxied URI is its own TimeGate: it answers with the capture
// nearest to Accept-Datetime. /-/at/STAMP/... is the path /... at a fixed time, and its links stay at that time.

const (
	atPath      = ownPath + "at/"
	timeMapPath = ownPath + "timemap"
)

// stampLayout is the form of times in paths, as in those of wayback machines.
const stampLayout = "20060102150405"

// momentKey is the context key of a request's *warc.Moment.
type momentKey struct{}

// moment returns the Moment of a request, or nil without an archive.
func moment(r *http.Request) *warc.Moment {
	m, _ := r.Context().Value(momentKey{}).(*warc.Moment)
	return m
}

// at returns a request at a time.
func at(r *http.Request, t time.Time) *http.Request {
	ctx, m := warc.At(r.Context(), t)
	return r.WithContext(context.WithValue(ctx, momentKey{}, m))
}

// negotiated returns a request at the time of its Accept-Datetime. It returns false if that is not a date.
func (g *Gateway) negotiated(r *http.Request) (*http.Request, bool) {
	t := g.cfg.At
	if field := r.Header.Get("Accept-Datetime"); field != "" {
		var err error
		if t, err = http.ParseTime(field); err != nil {
			return r, false
		}
	}
	return at(r, t), true
}

// inTime serves the rest of a path, "STAMP/...", at its time.
func (g *Gateway) inTime(w http.ResponseWriter, r *http.Request, p string) {
	rest, r, ok := g.cutTime(r, atPath+p)
	if !ok {
		g.fail(w, http.StatusNotFound, "not a time: it must be YYYYMMDDhhmmss")
		return
	}
	inner := r.Clone(r.Context())
	inner.URL.RawPath = rest
	path := uri.Escaped(rest).Decode()
	if inner.URL.Path = path; strings.HasPrefix(rest, atPath) {
		g.fail(w, http.StatusNotFound, "a time within a time")
		return
	}
	g.direct(w, inner)
}

// cutTime cuts the time off a path of the gateway.
func (g *Gateway) cutTime(r *http.Request, path string) (rest string, timed *http.Request, ok bool) {
	after, ok := strings.CutPrefix(path, atPath)
	stamp, rest, found := strings.Cut(after, "/")
	t, err := time.Parse(stampLayout, stamp)
	if !ok || !found || err != nil || g.cfg.Archive == nil {
		return path, r, false
	}
	return "/" + rest, at(r, t), true
}

// prefix returns what precedes the paths of the links of a page: the time that was chosen by its path or by the client.
func (g *Gateway) prefix(r *http.Request) string {
	m := moment(r)
	if m == nil || m.Want().IsZero() {
		return ""
	}
	return atPath + m.Want().UTC().Format(stampLayout)
}

// mementoHeader sets the header fields about the capture that has answered for u.
func (g *Gateway) mementoHeader(h http.Header, r *http.Request, u uri.URI) {
	m := moment(r)
	if m == nil {
		return
	}
	h.Add("Vary", "Accept-Datetime")
	base := linkBase(r)
	links := []string{"<" + linkTarget(render.Absolute(u)) + `>; rel="original"`, "<" + base + path(timeMapPath, u) + `>; rel="timemap"; type="application/link-format"`,
		"<" + base + Path(u) + `>; rel="timegate"`}
	if _, date, ok := m.Captured(); ok {
		h.Set("Memento-Datetime", date.Format(http.TimeFormat))
		links = append(links, "<"+base+mementoPath(u, date)+`>; rel="memento"; datetime="`+date.Format(http.TimeFormat)+`"`)
	}
	h.Set("Link", strings.Join(links, ", "))
}

// linkBase returns what precedes the gateway's paths in a Link field. For a client of the proxy a path alone would be one of the captured
// host (RFC 8288 section 3.1), so it gets the gateway's address.
func linkBase(r *http.Request) string {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || strings.HasPrefix(r.RequestURI, "/") {
		return ""
	}
	return "http://" + at.String()
}

// linkTarget escapes what would end the target of a Link field (RFC 8288 section 3).
func linkTarget(s string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22").Replace(s)
}

// mementoPath returns the path of the capture of u at a time.
func mementoPath(u uri.URI, date time.Time) string {
	return atPath + date.Format(stampLayout) + Path(u)
}

// timeMap serves the captures of u as links (RFC 7089 section 5).
func (g *Gateway) timeMap(w http.ResponseWriter, r *http.Request, u uri.URI) {
	list, err := g.cfg.Archive.Captures(u)
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	guardHeader(w.Header())
	w.Header().Set("Content-Type", "application/link-format")
	if len(list) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	base := "http://" + hostOf(r)
	fmt.Fprintf(w, "<%s>; rel=\"original\",\n<%s%s>; rel=\"self\"; type=\"application/link-format\"; "+
		"from=\"%s\"; until=\"%s\",\n<%[2]s%[6]s>; rel=\"timegate\"",
		linkTarget(render.Absolute(u)), base, path(timeMapPath, u), list[0].Date.Format(http.TimeFormat),
		list[len(list)-1].Date.Format(http.TimeFormat), Path(u))
	for i, c := range list {
		rel := "memento"
		if i == 0 {
			rel = "first " + rel
		}
		if i == len(list)-1 {
			rel = strings.Replace("last "+rel, "last first", "first last", 1)
		}
		fmt.Fprintf(w, ",\n<%s%s>; rel=\"%s\"; datetime=\"%s\"", base, mementoPath(u, c.Date), rel, c.Date.Format(http.TimeFormat))
	}
	io.WriteString(w, "\n")
}

// captures serves a page with the captures of u.
func (g *Gateway) captures(w http.ResponseWriter, r *http.Request, u uri.URI) {
	list, err := g.cfg.Archive.Captures(u)
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	status := http.StatusOK
	if len(list) == 0 {
		status = http.StatusNotFound
	}
	g.framed(w, r, frame{status: status, object: u, title: "Captures of " + g.client.Schemes.Redact(u)}, func(p *page) {
		p.put("<p>%d in the archive. <a href=\"%s\">TimeMap</a></p>\n<ul>\n", len(list), path(timeMapPath, u))
		for _, c := range list {
			p.put("<li><a href=\"%s\">%s</a>%s</li>\n", mementoPath(u, c.Date), c.Date.Format(time.DateTime), captureNote(c))
		}
		p.put("</ul>\n")
	})
}

// captureNote describes a capture that is not simply a document.
func captureNote(c warc.Capture) string {
	switch {
	case c.Failed:
		return " failed"
	case c.Again:
		return " unchanged"
	case c.Status != 0 && c.Status != http.StatusOK:
		return " status " + strconv.Itoa(c.Status)
	}
	return ""
}

// captureLine writes when the document of a page was captured.
func (p *page) captureLine(r *http.Request, u uri.URI) {
	m := moment(r)
	if m == nil {
		return
	}
	_, date, ok := m.Captured()
	if !ok {
		return
	}
	p.put("<p class=\"facts\">captured <time datetime=\"%s\">%s</time> UTC · <a href=\"%s\">all captures</a> · "+
		"<a href=\"%s\">this one</a></p>\n", date.Format(time.RFC3339), date.Format(time.DateTime), path(ownPath+"captures", u), mementoPath(u, date))
}
