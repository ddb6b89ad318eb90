package refer

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Apply returns the schemes with the rules applied: for schemes without a handler, and in place of those with one. Of two rules for one
// scheme the first counts. Rules that form a cycle are refused.
func Apply(schemes []fetch.Scheme, table []Rule) ([]fetch.Scheme, error) {
	list := slices.Clone(schemes)
	seen := map[string]Rule{}
	for _, g := range table {
		if err := g.check(); err != nil {
			return nil, err
		}
		if _, twice := seen[g.Scheme]; twice {
			continue
		}
		seen[g.Scheme] = g
		list = addRule(list, g)
	}
	for _, g := range table {
		if err := checkCycle(seen, g.Scheme); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// checkCycle follows the rules from one scheme on.
func checkCycle(table map[string]Rule, from string) error {
	way := []string{from}
	for g, ok := table[from]; ok; g, ok = table[g.target()] {
		way = append(way, g.target())
		if slices.Contains(way[:len(way)-1], g.target()) {
			return fetch.Errorf(fetch.ErrRedirect, "the gateways form a cycle: %s", strings.Join(way, ", "))
		}
	}
	return nil
}

// addRule adds a rule to the list. Of a scheme with several names it replaces only the rule's name.
func addRule(list []fetch.Scheme, g Rule) []fetch.Scheme {
	s := fetch.Scheme{
		Names: []string{g.Scheme}, Does: fetch.Does{Refers: true}, MayReferTo: []string{"*"}, Plan: g.plan,
		Summary: "through the gateway " + g.Template,
	}
	for i, old := range list {
		at := slices.Index(old.Names, g.Scheme)
		if at < 0 {
			continue
		}
		s.Rules, s.Read, s.Spec, s.Ports = old.Rules, old.Read, old.Spec, old.Ports
		if len(old.Names) == 1 {
			s.Settings = old.Settings // still accepted, but without effect
			list[i] = s
			return list
		}
		list[i].Names = slices.Delete(slices.Clone(old.Names), at, at+1)
		break
	}
	return append(list, s)
}

// plan refers to the gateway. Nothing is contacted.
func (g Rule) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	to, err := g.expand(u)
	if err != nil || to.Scheme() != g.target() {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the gateway's template does not give a URI for this one")
	}
	if len(o.Accept) == 0 && g.isRDAP() {
		o.Accept = []string{"application/rdap+json"} // RFC 7480 section 4.2; it is sent with the followed referral
	}
	return &fetch.Plan{Shape: fetch.ShapeReferral, Refers: []fetch.Referral{{URI: to, Reason: "gateway for " + g.Scheme, Own: true}}}, nil
}
