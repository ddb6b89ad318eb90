package http

import (
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// ifCookies is the condition of the line Cookie.
const ifCookies = "the jar has cookies for it"

// State returns the cookies that the request for p would have now. A server may set one and refer back to the same URI.
func (h *handler) State(p *fetch.Plan) string {
	if len(p.When(ifCookies)) == 0 {
		return ""
	}
	return strings.Join(h.cookies(p), "; ")
}

// withCookies adds what the jar holds for this URI to the user's own cookies. RFC 6265 section 5.4.
func (x *exchange) withCookies(lines []fetch.Step) []fetch.Step {
	steps := x.plan.When(ifCookies)
	if len(steps) == 0 {
		return lines
	}
	pairs := x.handler.cookies(x.plan)
	if len(pairs) == 0 {
		return lines
	}
	s := steps[0] // the Plan itself stays as it is
	s.Args = []string{strings.Join(append(pairs, x.plan.Options.Set[setCookie]...), "; ")}
	lines = slices.DeleteFunc(slices.Clone(lines), func(l fetch.Step) bool { return l.Verb == s.Verb }) // one field has all: RFC 6265 section 5.4
	return append(lines, s)
}

// cookies returns what the jar holds for the URI of p, each as NAME=VALUE.
func (h *handler) cookies(p *fetch.Plan) (pairs []string) {
	for _, c := range h.cfg.Jar.Cookies(h.place(p)) {
		pair := c.Name + "=" + c.Value
		if !isFieldValue(pair) || strings.ContainsAny(pair, "\t;") {
			continue // of a jar's file: no server can have set it (RFC 6265 section 5.2)
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// keepCookies stores what the answer sets, whatever its status.
func (x *exchange) keepCookies() {
	jar := x.handler.cfg.Jar
	if jar == nil || len(x.head.header["Set-Cookie"]) == 0 {
		return
	}
	r := nethttp.Response{Header: nethttp.Header(x.head.header)}
	for _, c := range r.Cookies() {
		if len(c.Value) >= leastSecret {
			x.env.Hide(c.Value)
		}
	}
	jar.SetCookies(x.handler.place(x.plan), r.Cookies())
}

// place is the URI of p in the form that a jar takes; paths are compared as they are sent.
func (h *handler) place(p *fetch.Plan) *url.URL {
	return &url.URL{Scheme: h.name, Host: p.Addr, Path: string(p.URI.Path())}
}
