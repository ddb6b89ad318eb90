package gopher

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Plan makes the one line that is sent, or the referral that the item type stands for.
func (h *handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "gopher has no operation %s", o.Op)
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "gopher has no parts of documents")
	}
	r, err := read(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if err := r.ask(o); err != nil {
		return nil, err
	}
	if to, reason, ok := r.leadsTo(); ok {
		return &fetch.Plan{URI: u, Shape: fetch.ShapeReferral, Refers: []fetch.Referral{{URI: to, Reason: reason}}}, nil
	}
	p := &fetch.Plan{URI: u, Network: "tcp", Addr: net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), TLS: h.tls, Shape: r.shape()}
	p.Type, _ = nameType(r.item(), string(r.Selector))
	p.Steps = []fetch.Step{{Args: []string{r.line()}}}
	return p, nil
}

// ask puts the words of Options into the search of a searchable item.
func (r *reading) ask(o *fetch.Options) error {
	if len(o.Search) == 0 {
		return nil
	}
	if r.item() != itemSearch {
		return fetch.Errorf(fetch.ErrUnsupported, "only items of type 7 can be searched, this one is of type %s", r.Type)
	}
	words := fetch.Octets(strings.Join(o.Search, " "))
	if strings.Contains(string(words), "\t") {
		return fetch.Errorf(fetch.ErrRefusedURL, "a TAB in the words of a search would end them")
	}
	r.Search = &words
	return nil
}

func (r *reading) shape() fetch.Shape {
	switch r.item() {
	case itemMenu:
		return fetch.ShapeListing
	case itemSearch:
		return fetch.ShapeSearch
	}
	return fetch.ShapeDocument
}

func (r *reading) leadsTo() (to uri.URI, reason string, ok bool) {
	return elsewhere(r.item(), string(r.Selector), r.Host, strconv.Itoa(r.Port))
}

func settings() []fetch.Setting { return nil }
