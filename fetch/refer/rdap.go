package refer

import (
	"net/netip"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// preset is the gateway that a name without a colon stands for. rdap.org knows from IANA's tables (RFC 9224) which registry has what,
// and redirects there.
func preset(scheme, name string) (Rule, error) {
	if !strings.EqualFold(name, "rdap") {
		return Rule{}, fetch.Errorf(fetch.ErrLocal, "%q is neither a template, which begins with a scheme, nor a gateway that is known by name (rdap)", name)
	}
	return Rule{scheme, "https://rdap.org/{+rdap}"}, nil
}

// isRDAP says whether an RDAP server is asked.
func (g Rule) isRDAP() bool {
	return strings.Contains(g.Template, "{rdap}") || strings.Contains(g.Template, "{+rdap}")
}

// rdapPath is the path segments of RFC 9082 section 3.1 that ask what a whois URI asks: whois://HOST/QUERY. A query that begins
// with one of these segments says itself what it is of.
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

// classify tells by its form what a query is of; what has no form is the handle of an entity.
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
