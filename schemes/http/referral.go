package http

import (
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// maxLocation bounds a URI in a response. No browser accepts longer ones.
const maxLocation = 64 << 10

// redirect returns the document of a 3xx, which refers to Location. Its body is a note for readers, which --no-follow shows, or that of a 300
// without Location a list to choose from (RFC 9110 section 15.4.1).
func (x *exchange) redirect() (*fetch.Document, error) {
	to, err := x.location()
	if err != nil {
		return nil, err
	}
	d := x.newDocument()
	if !to.IsZero() {
		reason := strings.TrimRight(strconv.Itoa(x.head.status)+" "+x.head.reason, " ")
		d.Referrals = []fetch.Referral{{URI: to, Reason: reason, Permanent: x.head.status == 301 || x.head.status == 308}}
		if _, err := x.codings(d.Header["Content-Encoding"]); err != nil {
			return d, nil // the page of a redirect is only a note: it may be in an unknown coding
		}
	}
	return x.decoded(d)
}

// maxRefresh is the number of seconds after which Refresh still is a redirect, such as a note that the page has moved. A longer one turns
// the pages of a document that is meant to be read.
const maxRefresh = 10

// refresh returns the referral of the field Refresh (Netscape 1.1, HTML Standard section 4.2.5.3): seconds, and another URI.
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

// location returns the Location of the response. It returns the zero URI if there is none and none is needed.
func (x *exchange) location() (uri.URI, error) {
	isEmpty := func(v string) bool { return strings.Trim(v, " \t") == "" } // treated as absent
	values := slices.DeleteFunc(slices.Clone(x.head.header["Location"]), isEmpty)
	for _, v := range values {
		if v != values[0] {
			return uri.URI{}, fetch.Errorf(fetch.ErrProtocol, "the response has two different Locations")
		}
	}
	switch {
	case len(values) > 0 && len(values[0]) > maxLocation:
		return uri.URI{}, fetch.Errorf(fetch.ErrRedirect, "the Location has %d bytes, more than %d", len(values[0]), maxLocation)
	case len(values) > 0:
		return x.resolve(values[0])
	case !slices.Contains([]int{301, 302, 303, 307, 308}, x.head.status): // an unknown status is treated as 300 (RFC 9110 section 15)
		return uri.URI{}, nil
	}
	return uri.URI{}, fetch.Errorf(fetch.ErrProtocol, "the server returned %d without a Location", x.head.status)
}

// resolve resolves a reference in the response. Servers send spaces and other bytes unescaped.
func (x *exchange) resolve(ref string) (uri.URI, error) {
	r, err := uri.Parse(strings.Trim(ref, " \t"))
	if err != nil {
		return uri.URI{}, fetch.Errorf(fetch.ErrRedirect, "the server redirects to something that is not a URI: %v", err)
	}
	return uri.RFC3986.Resolve(x.plan.URI, r), nil
}
