package http

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// maxLocation bounds a URI that a server names: no browser takes longer ones.
const maxLocation = 64 << 10

// referral leads to Location. Its body is a note for people, which --no-follow shows.
func (x *exchange) referral() (*fetch.Document, error) {
	to, err := x.location()
	if err != nil {
		return nil, err
	}
	reason := strings.TrimRight(strconv.Itoa(x.head.status)+" "+x.head.reason, " ")
	d := x.whole()
	if !to.IsZero() {
		d.Referrals = []fetch.Referral{{URI: to, Reason: reason}}
	}
	if !alwaysLeads(x.head.status) { // without any of them the body is a list for people to choose from (RFC 9110 section 15.4.1)
		for _, u := range x.alternates() {
			d.Referrals = append(d.Referrals, fetch.Referral{URI: u, Reason: reason})
		}
	}
	return d, nil
}

// maxAlternates bounds how many forms of a document are tried.
const maxAlternates = 20

// alternates are the forms of the document among which a 300 lets us choose, best first: Alternates (RFC 2295 section 8.3), and Link
// with rel=alternate (RFC 8288).
func (x *exchange) alternates() []uri.URI {
	type form struct {
		uri     uri.URI
		quality float64
	}
	var forms []form
	add := func(ref string, quality float64) {
		if u, err := x.resolve(ref); err == nil && len(forms) < maxAlternates {
			forms = append(forms, form{u, quality})
		}
	}
	for _, line := range x.head.header["Alternates"] {
		for _, variant := range strings.Split(line, `{"`)[1:] {
			ref, rest, _ := strings.Cut(variant, `"`)
			number, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
			q, err := strconv.ParseFloat(strings.TrimRight(number, "}, "), 64)
			if err == nil {
				add(ref, q)
			}
		}
	}
	for _, line := range x.head.header["Link"] {
		for _, link := range strings.Split(line, "<")[1:] {
			ref, params, ok := strings.Cut(link, ">")
			if ok && strings.Contains(strings.ReplaceAll(strings.ToLower(params), `"`, ""), "rel=alternate") {
				add(ref, 0)
			}
		}
	}
	slices.SortStableFunc(forms, func(a, b form) int { return cmp.Compare(b.quality, a.quality) })
	list := make([]uri.URI, len(forms))
	for i, f := range forms {
		list[i] = f.uri
	}
	return list
}

// maxRefresh is how many seconds a page may be shown before Refresh leads on: a note that one is taken elsewhere, against the next of
// a row of pages that are meant to be read.
const maxRefresh = 10

// refresh is the referral of the field Refresh (Netscape 1.1, HTML Standard section 4.2.5.3): seconds, and another URI.
func (x *exchange) refresh() (fetch.Referral, bool) {
	value := x.head.header.Get("Refresh")
	n, from, to, ok := markup.Refresh(value)
	ref := value[from:to]
	if !ok || n > maxRefresh || ref == "" || len(ref) > maxLocation {
		return fetch.Referral{}, false
	}
	u, err := x.resolve(ref)
	if err != nil || u.WithoutFragment() == x.plan.URI {
		return fetch.Referral{}, false
	}
	return fetch.Referral{URI: u, Reason: "Refresh"}, true
}

// alwaysLeads reports whether a redirect needs a Location. One with an unknown status is treated as a 300 (RFC 9110 section 15).
func alwaysLeads(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// location reads the one Location of the answer.
func (x *exchange) location() (uri.URI, error) {
	values := slices.DeleteFunc(slices.Clone(x.head.header["Location"]), func(v string) bool { return strings.Trim(v, " \t") == "" }) // as if absent
	for _, v := range values {
		if v != values[0] {
			return uri.URI{}, fetch.Errorf(fetch.ErrProtocol, "the server leads to two places at once")
		}
	}
	switch {
	case len(values) > 0 && len(values[0]) > maxLocation:
		return uri.URI{}, fetch.Errorf(fetch.ErrRedirect, "the Location has %d octets", len(values[0]))
	case len(values) > 0:
		return x.resolve(values[0])
	case !alwaysLeads(x.head.status):
		return uri.URI{}, nil
	}
	return uri.URI{}, fetch.Errorf(fetch.ErrProtocol, "the server answers %d without saying where it leads", x.head.status)
}

// resolve reads a reference that the server names. Servers send blanks and other octets as they are.
func (x *exchange) resolve(ref string) (uri.URI, error) {
	r, err := uri.Parse(strings.Trim(ref, " \t"))
	if err != nil {
		return uri.URI{}, fetch.Errorf(fetch.ErrRedirect, "the server leads to what is no URI: %v", err)
	}
	return uri.RFC3986.Resolve(x.plan.URI, r), nil
}
