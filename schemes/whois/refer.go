package whois

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// maxReferrals is the largest number of referrals taken from one response.
const maxReferrals = 8

// referrals returns the same query at each of the servers that a response names, in its order:
//
//	refer:        whois.pir.org                    IANA
//	   Registrar WHOIS Server: whois.example.com   the registries of generic domains; "Whois Server:" before 2013
//	ReferralServer:  whois://whois.ripe.net        ARIN; a URI, perhaps without a query
func (r *request) referrals(p *fetch.Plan, head string) (list []fetch.Referral) {
	for line := range strings.Lines(head) {
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" || len(list) == maxReferrals {
			continue
		}
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "refer", "whois", "whois server", "registrar whois server", "referralserver":
			if u, ok := server(value, r.line); ok && !contains(list, u) && !isSameServer(p, u) {
				list = append(list, fetch.Referral{URI: u, Reason: name + ": " + value})
			}
		}
	}
	return list
}

// server returns the query at the server that a line names by a host, a host and port, or a URI.
func server(value, query string) (uri.URI, bool) {
	if !strings.Contains(value, "://") {
		host, _, _ := strings.Cut(value, "/") // some registrars append a path of their web page, which is not a query
		value = "whois://" + host
	}
	u, err := uri.Parse(strings.TrimSuffix(value, "/"))
	switch {
	case err != nil || u.Host() == "":
		return uri.URI{}, false
	case u.Scheme() == "whois" && u.Path() == "":
		where, _ := u.Authority()
		return queryURI("whois", string(where), query)
	}
	return u, true
}

// queryURI returns the URI of a query at a server.
func queryURI(scheme, where, query string) (uri.URI, bool) {
	u, err := uri.Parse(scheme + "://" + where + "/" + string(uri.Segment.Escape(uri.RFC3986, query)))
	return u, err == nil
}

// contains reports whether list has a referral to u.
func contains(list []fetch.Referral, u uri.URI) bool {
	return slices.ContainsFunc(list, func(r fetch.Referral) bool { return strings.EqualFold(r.URI.String(), u.String()) })
}

// isSameServer reports whether u names the server that sent the response.
func isSameServer(p *fetch.Plan, u uri.URI) bool {
	addr, err := u.HostPort(43)
	return err == nil && u.Scheme() == p.URI.Scheme() && strings.EqualFold(addr, p.Addr)
}
