package http

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
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
	if to.IsZero() {
		return d, nil // 300: the body is a list to choose from (RFC 9110 section 15.4.1)
	}
	d.Referrals = []fetch.Referral{{URI: to, Reason: reason}}
	return d, nil
}

// location reads the one Location of the answer.
func (x *exchange) location() (uri.URI, error) {
	values := x.head.header["Location"]
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
	case x.head.status == 300:
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
