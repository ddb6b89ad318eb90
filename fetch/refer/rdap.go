package refer

import (
	"net/netip"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// preset returns the gateway of that name. rdap.org knows from IANA's tables (RFC 9224) which registry is responsible, and redirects there.
func preset(scheme, name string) (Rule, error) {
	if !strings.EqualFold(name, "rdap") {
		return Rule{}, fetch.Errorf(fetch.ErrLocal, "%q is neither a template, which begins with a scheme, nor the name of a known gateway (rdap)", name)
	}
	return Rule{scheme, "https://rdap.org/{+rdap}"}, nil
}

// isRDAP reports whether the target is an RDAP server.
func (g Rule) isRDAP() bool {
	return strings.Contains(g.Template, "{rdap}") || strings.Contains(g.Template, "{+rdap}")
}

// rdapPath returns the RDAP path (RFC 9082 section 3.1) for a whois URI: whois://HOST/QUERY. A query that begins with one of the RDAP path
// segments already has its type.
func rdapPath(u uri.URI) string {
	query := strings.TrimPrefix(u.Path().Decode(), "/")
	if q, ok := u.Query(); ok {
		query = strings.TrimLeft(query+" "+strings.Join(q.Words(), " "), " ")
	}
	kind, rest, _ := strings.Cut(query, "/")
	switch kind = strings.ToLower(kind); {
	case rest == "":
	case kind == "ip":
		if _, err := netip.ParsePrefix(rest); err == nil {
			return "ip/" + rest
		}
		fallthrough
	case kind == "domain", kind == "nameserver", kind == "entity", kind == "autnum":
		return kind + "/" + segment(rest)
	}
	return classify(query)
}

// classify determines the type of a query by its form. Anything else is the handle of an entity.
func classify(query string) string {
	if _, err := netip.ParsePrefix(query); err == nil {
		return "ip/" + query
	}
	if _, err := netip.ParseAddr(query); err == nil {
		return "ip/" + segment(query)
	}
	number := strings.TrimPrefix(strings.ToUpper(query), "AS")
	switch {
	case query == "":
		return "help"
	case len(number) < len(query) && number != "" && strings.Trim(number, "0123456789") == "":
		return "autnum/" + number
	case strings.Contains(query, ".") && !strings.ContainsAny(query, " /@:"):
		return "domain/" + segment(strings.TrimSuffix(query, "."))
	}
	return "entity/" + segment(query)
}

func segment(s string) string { return string(uri.Segment.Escape(uri.RFC3986, s)) }
