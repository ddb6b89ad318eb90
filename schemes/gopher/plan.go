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
		return nil, fetch.NoOperation("gopher", o.Op)
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
	p.Steps, err = r.steps(o)
	return p, err
}

// steps are the requests: one, unless there may be a choice of views.
func (r *gopherURI) steps(o *fetch.Options) ([]fetch.Step, error) {
	answers := o.Set[dataKey]
	switch {
	case o.Op == fetch.Metadata:
		return []fetch.Step{{Args: []string{r.with("!")}}}, nil // RFC 1436 itself has no way to ask about an item
	case len(answers) > 0:
		s, err := r.formStep(answers)
		return []fetch.Step{s}, err
	case r.choosesView(o):
		return r.viewSteps(), nil
	}
	line, data := r.line(), ""
	var err error
	if r.Plus != nil {
		line, data, err = splitForm(line)
	}
	return []fetch.Step{{Args: []string{line}, Data: data}}, err
}

// choosesView reports whether there may be a view to be chosen: the URI has none of its own.
func (r *gopherURI) choosesView(o *fetch.Options) bool { return r.Plus == nil && wantsView(o.Accept) }

// ask puts the words of Options into the search of a searchable item.
func (r *gopherURI) ask(o *fetch.Options) error {
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

func (r *gopherURI) shape() fetch.Shape {
	switch r.item() {
	case itemMenu:
		return fetch.ShapeListing
	case itemSearch:
		return fetch.ShapeSearch
	}
	return fetch.ShapeDocument
}

func (r *gopherURI) leadsTo() (to uri.URI, reason string, ok bool) {
	return elsewhere(item{Type: r.item(), Selector: string(r.Selector), Host: r.Host, Port: strconv.Itoa(r.Port)})
}
