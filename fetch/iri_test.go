package fetch_test

import (
	"context"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// iris is a scheme whose servers send IRIs and bytes.
func iris() fetch.Scheme {
	return fetch.Scheme{Names: []string{"iri"}, MayReferTo: []string{"iri"}, Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		p := &fetch.Plan{Network: "", Shape: fetch.ShapeListing}
		p.Run = func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
				yield(fetch.Entry{URI: uri.MustParse("iri://h/\xe9")}, nil)
			})
			d.Base = uri.MustParse("iri://h/é")
			if strings.HasSuffix(string(u.Path()), "/move") {
				d = &fetch.Document{Referrals: []fetch.Referral{{URI: uri.MustParse("iri://é/\xe9")}}}
			}
			return d, nil
		}
		return p, nil
	}}
}

// A Client converts IRIs before anything else, so that plans, documents and recordings have URIs.
func TestIRIs(t *testing.T) {
	c := fetch.New(iris())
	defer c.Close()
	p, err := c.Plan(uri.MustParse("iri://é/мир"), nil)
	if err != nil || p.URI.String() != "iri://xn--9ca/%D0%BC%D0%B8%D1%80" {
		t.Errorf("got the plan of %v, %v, want iri://xn--9ca/%%D0%%BC%%D0%%B8%%D1%%80", p.URI, err)
	}
	d, err := c.Get(t.Context(), uri.MustParse("iri://h/move"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if d.URI.String() != "iri://xn--9ca/%E9" || d.Base.String() != "iri://h/%C3%A9" || d.Via[0].URI != d.URI {
		t.Errorf("got %s with the base %s from %s, want iri://xn--9ca/%%E9, iri://h/%%C3%%A9 and the first", d.URI, d.Base, d.Via[0].URI)
	}
	for e, err := range d.Entries {
		if err != nil || e.URI.String() != "iri://h/%E9" {
			t.Errorf("got the entry %s, %v, want iri://h/%%E9", e.URI, err)
		}
	}
}
