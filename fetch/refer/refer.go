// Package refer makes referrals from the user's configuration. Apply sends schemes through gateways: a document of a scheme without a
// handler, or of one whose servers cannot be reached from here, is requested from a server of another protocol. The drafts want client
// software to "have provision for being configured to use specific gateway locators for indirect access through new naming schemes".
// Locally refers to equivalent local files.
//
//	gateway, err := refer.Parse("wais=http://gateway.example/?{uri}")
//	local, err := refer.NewLocal("ftp://ftp.example/pub/", "/mnt/pub")
//	list, err := refer.Apply(schemes.All(nil), []refer.Rule{gateway})
//	c := fetch.New(refer.Locally(list, []refer.Local{local})...)
//
// A gateway is a referral of the user (fetch.Referral.Own): it is made by Plan without contacting anything, and the Client follows it under
// its policy. Templates have the level 1 of RFC 6570, {name}, and {+name} of level 2, which keeps reserved characters:
//
//	uri        the whole URI, without userinfo and fragment
//	scheme     host      port       unchanged
//	authority  host and port
//	path       with its slash
//	query      without its question mark
//	rest       path and query, with slash and question mark
//	rdap       the RDAP query (RFC 9082) for a whois URI: domain/example.org, ip/192.0.2.0/24, autnum/64496
//
// In place of a template, the name of a known gateway may be used: whois=rdap.
package refer

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Rule refers the URIs of one scheme to those of its template.
type Rule struct{ Scheme, Template string }

// Parse parses SCHEME=TEMPLATE or SCHEME=NAME.
func Parse(s string) (Rule, error) {
	scheme, template, ok := strings.Cut(s, "=")
	g := Rule{strings.ToLower(scheme), template}
	switch {
	case !ok:
		return g, fetch.Errorf(fetch.ErrLocal, "want SCHEME=TEMPLATE for a gateway")
	case !strings.Contains(template, ":"):
		return preset(g.Scheme, template)
	}
	return g, g.check()
}

// FromEnvironment reads WWW_<scheme>_GATEWAY for the given schemes. get is os.Getenv or similar. To a value without variables the object's
// host and path are appended, as in libwww.
func FromEnvironment(get func(string) string, schemes []string) (table []Rule, err error) {
	for _, s := range schemes {
		v := get("WWW_" + s + "_GATEWAY")
		if v == "" {
			continue
		}
		if !strings.Contains(v, "{") {
			v = strings.TrimSuffix(v, "/") + "/{+authority}{+rest}"
		}
		g := Rule{s, v}
		if err := g.check(); err != nil {
			return nil, err
		}
		table = append(table, g)
	}
	return table, nil
}

// check refuses templates that do not give a URI, and those that let the object's URI choose the target scheme.
func (g Rule) check() error {
	u, err := uri.Parse(g.Scheme + ":x")
	if err != nil || u.Scheme() != g.Scheme {
		return fetch.Errorf(fetch.ErrLocal, "%q is not a scheme name", g.Scheme)
	}
	if g.target() == "" {
		return fetch.Errorf(fetch.ErrLocal, "the template of the gateway for %s does not begin with a scheme", g.Scheme)
	}
	to, err := g.expand(uri.MustParse(g.Scheme + "://h/p?q"))
	if err != nil || to.Scheme() != g.target() || strings.ContainsAny(to.String(), "{}") {
		return fetch.Errorf(fetch.ErrLocal, "the template of the gateway for %s does not give a URI", g.Scheme)
	}
	return nil
}

// target returns the scheme of the template.
func (g Rule) target() string {
	scheme, _, ok := strings.Cut(g.Template, ":")
	if !ok || strings.ContainsAny(scheme, "{}/") {
		return ""
	}
	return strings.ToLower(scheme)
}

// expand expands the template for u.
func (g Rule) expand(u uri.URI) (uri.URI, error) {
	u = u.WithoutUserinfo().WithoutFragment()
	query, has := u.Query()
	rest := string(u.Path())
	if has {
		rest += "?" + string(query)
	}
	authority, _ := u.Authority()
	pairs := []string{}
	for _, v := range [...]struct{ name, value string }{
		{"uri", u.String()}, {"scheme", u.Scheme()}, {"host", string(u.Host())}, {"port", u.Port()}, {"authority", string(authority)},
		{"path", string(u.Path())}, {"query", string(query)}, {"rest", rest}, {"rdap", rdapPath(u)},
	} {
		pairs = append(pairs, "{"+v.name+"}", uri.EscapeBut(v.value, unreserved), "{+"+v.name+"}", v.value)
	}
	text := strings.NewReplacer(pairs...).Replace(g.Template)
	return uri.Parse(text)
}

// unreserved characters are not escaped, besides letters and digits (RFC 6570 section 3.2.2).
const unreserved = "-._~"
