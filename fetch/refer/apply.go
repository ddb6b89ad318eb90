package refer

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Apply returns the schemes with the gateways among them: for schemes that have no handler, and in place of those that have one. Of two
// gateways for one scheme the first counts. Gateways that lead in a circle are refused.
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
		list = put(list, g)
	}
	for _, g := range table {
		if err := circle(seen, g.Scheme); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// circle follows the gateways from one scheme on.
func circle(table map[string]Rule, from string) error {
	way := []string{from}
	for g, ok := table[from]; ok; g, ok = table[g.target()] {
		way = append(way, g.target())
		if slices.Contains(way[:len(way)-1], g.target()) {
			return fetch.Errorf(fetch.ErrRedirect, "the gateways lead in a circle: %s", strings.Join(way, ", "))
		}
	}
	return nil
}

// put puts a gateway into the list; of a scheme with several names it takes its own only.
func put(list []fetch.Scheme, g Rule) []fetch.Scheme {
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
			s.Settings = old.Settings // still to be had, if without effect
			list[i] = s
			return list
		}
		list[i].Names = slices.Delete(slices.Clone(old.Names), at, at+1)
		break
	}
	return append(list, s)
}

// plan refers to the gateway. It is the whole of the algorithm.
func (g Rule) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.NoOperation("a gateway", o.Op)
	}
	to, err := g.expand(u)
	if err != nil || to.Scheme() != g.target() {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the gateway's template makes no URI of this one")
	}
	if len(o.Accept) == 0 && g.isRDAP() {
		o.Accept = []string{"application/rdap+json"} // RFC 7480 section 4.2; it goes along with the referral
	}
	return &fetch.Plan{Shape: fetch.ShapeReferral, Refers: []fetch.Referral{{URI: to, Reason: "gateway for " + g.Scheme, Own: true}}}, nil
}
