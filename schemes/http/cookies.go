package http

import (
	nethttp "net/http"
	"net/url"
	"strings"

	"example.org/deref/fetch"
)

// ifCookies is the condition of the line Cookie.
const ifCookies = "the jar has cookies for it"

// withCookies adds what the jar holds for this URI. RFC 6265 section 5.4.
func (x *exchange) withCookies(lines []fetch.Step) []fetch.Step {
	steps := x.plan.When(ifCookies)
	if len(steps) == 0 {
		return lines
	}
	list := x.handler.cfg.Jar.Cookies(x.place())
	if len(list) == 0 {
		return lines
	}
	pairs := make([]string, 0, len(list))
	for _, c := range list {
		pair := c.Name + "=" + c.Value
		if !isFieldValue(pair) || strings.ContainsAny(pair, "\t;") {
			continue // of a jar's file: no server can have set it (RFC 6265 section 5.2)
		}
		pairs = append(pairs, pair)
	}
	s := steps[0] // the Plan itself stays as it is
	s.Args = []string{strings.Join(pairs, "; ")}
	return append(lines[:len(lines):len(lines)], s)
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
	jar.SetCookies(x.place(), r.Cookies())
}

// place is the URI in the form that a jar takes; paths are compared as they are sent.
func (x *exchange) place() *url.URL {
	u := x.plan.URI
	return &url.URL{Scheme: x.handler.name, Host: x.plan.Addr, Path: string(u.Path())}
}
