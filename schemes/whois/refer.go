package whois

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// maxReferrals bounds how many are tried.
const maxReferrals = 8

// referrals are the servers that an answer names instead of itself, in its order: for the same question.
//
//	refer:        whois.pir.org                    IANA
//	   Registrar WHOIS Server: whois.example.com   the registries of generic domains; "Whois Server:" before 2013
//	ReferralServer:  whois://whois.ripe.net        ARIN; a URI, which may lack the question
func referrals(p *fetch.Plan, head string) (list []fetch.Referral) {
	query := p.Steps[0].Line()
	for line := range strings.Lines(head) {
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" || len(list) == maxReferrals {
			continue
		}
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "refer", "whois", "whois server", "registrar whois server", "referralserver":
			if u, ok := server(value, query); ok && !leadsTo(list, u) && !isAsked(p, u) {
				list = append(list, fetch.Referral{URI: u, Reason: name + ": " + value})
			}
		}
	}
	return list
}

// server is the question put to the server that a line names: by its host, host and port, or URI.
func server(value, query string) (uri.URI, bool) {
	if !strings.Contains(value, "://") {
		host, _, _ := strings.Cut(value, "/") // what a registrar writes behind its host (a path of its web page) is no question
		value = "whois://" + host
	}
	u, err := uri.Parse(strings.TrimSuffix(value, "/"))
	switch {
	case err != nil || u.Host() == "":
		return uri.URI{}, false
	case u.Scheme() == "whois" && u.Path() == "":
		where, _ := u.Authority()
		return ask("whois", string(where), query)
	}
	return u, true
}

// ask is the URI that asks a server.
func ask(scheme, where, query string) (uri.URI, bool) {
	u, err := uri.Parse(scheme + "://" + where + "/" + string(uri.Segment.Escape(uri.RFC3986, query)))
	return u, err == nil
}

func leadsTo(list []fetch.Referral, u uri.URI) bool {
	for _, r := range list {
		if strings.EqualFold(r.URI.String(), u.String()) {
			return true
		}
	}
	return false
}

// isAsked reports whether u leads to the server that has just answered: its answer is what there is.
func isAsked(p *fetch.Plan, u uri.URI) bool {
	addr, err := u.HostPort(43)
	return err == nil && u.Scheme() == p.URI.Scheme() && strings.EqualFold(addr, p.Addr)
}
