package http

import (
	nethttp "net/http"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// ifCookies is the condition of the line Cookie.
const ifCookies = "the jar has cookies for it"

// state returns the cookies that the request would have now. A server may set one and redirect to the same URI.
func (r *request) state(p *fetch.Plan) string {
	if len(p.When(ifCookies)) == 0 {
		return ""
	}
	return strings.Join(r.jarCookies(), "; ")
}

// withCookies adds the cookies of the jar to the user's own.
func (x *exchange) withCookies(lines []fetch.Step) []fetch.Step {
	steps := x.plan.When(ifCookies)
	if len(steps) == 0 {
		return lines
	}
	pairs := x.jarCookies()
	if len(pairs) == 0 {
		return lines
	}
	s := steps[0] // a copy: the Plan must not change
	s.Args = []string{strings.Join(append(pairs, x.cookies...), "; ")}
	own := func(l fetch.Step) bool { return l.Verb == s.Verb } // one field has all cookies: RFC 6265 section 5.4
	return append(slices.DeleteFunc(slices.Clone(lines), own), s)
}

// jarCookies returns the cookies of the jar for the URI, each as NAME=VALUE.
func (r *request) jarCookies() (pairs []string) {
	for _, c := range r.Jar.Cookies(r.cookieURL) {
		pair := c.Name + "=" + c.Value
		if !isFieldValue(pair) || strings.ContainsAny(pair, "\t;") {
			continue // it comes from the jar's file: no server can have set it (RFC 6265 section 5.2)
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// storeCookies stores the cookies of the response, whatever its status.
func (x *exchange) storeCookies() {
	if x.Jar == nil || len(x.head.header["Set-Cookie"]) == 0 {
		return
	}
	list := setCookies(x.head.header["Set-Cookie"])
	for _, c := range list {
		if v := strings.Trim(c.Value, `"`); len(v) >= minSecret {
			x.env.Hide(v)
		}
	}
	x.Jar.SetCookies(x.cookieURL, list)
}

// setCookies parses the lines of Set-Cookie: RFC 6265 section 5.2. net/http omits the quotes of a value, and ignores a cookie whose name or value
// contains what a server should not send, such as JSON.
func setCookies(lines []string) (list []*nethttp.Cookie) {
	for _, line := range lines {
		pair, attributes, _ := strings.Cut(line, ";")
		name, value, ok := strings.Cut(pair, "=")
		c, err := nethttp.ParseSetCookie("x=;" + attributes)
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil || !isFieldValue(pair) || strings.Contains(pair, "\t") {
			continue
		}
		c.Name, c.Value = name, strings.TrimSpace(value)
		list = append(list, c)
	}
	return list
}
