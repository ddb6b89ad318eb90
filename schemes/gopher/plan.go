package gopher

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// plan makes the line to send, or the referral that the item type means.
func plan(u uri.URI, o *fetch.Options, tls fetch.TLSMode) (*fetch.Plan, error) {
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for gopher")
	}
	r, err := parse(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if err := r.addSearch(o); err != nil {
		return nil, err
	}
	own := links.MenuItem{Type: r.item(), Selector: string(r.Selector), Host: r.Host, Port: strconv.Itoa(r.Port)}
	if to, reason, ok := own.Referral(); ok {
		return &fetch.Plan{URI: u, Shape: fetch.ShapeReferral, Refers: []fetch.Referral{{URI: to, Reason: reason}}}, nil
	}
	p := &fetch.Plan{URI: u, Network: "tcp", Addr: net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), TLS: tls, Shape: r.shape()}
	p.Type, _ = nameType(r.item(), string(r.Selector))
	return p, r.addSteps(p, o)
}

// addSteps adds the requests and the function that sends them. There is one request unless a view must be chosen.
func (r *request) addSteps(p *fetch.Plan, o *fetch.Options) error {
	answers := o.Set[dataKey]
	var step fetch.Step
	var err error
	p.Run = r.run
	switch {
	case o.Op == fetch.Metadata:
		step.Args, p.Run = []string{r.with("!")}, r.runMetadata // RFC 1436 itself has no request for metadata
	case len(answers) > 0:
		if step, err = r.formStep(answers); r.plus() == "" {
			r.Plus = new(fetch.Octets("+"))
		}
	case r.Plus == nil && wantsView(o.Accept):
		p.Steps, p.Run = r.viewSteps(), r.runView
		return nil
	default:
		line := r.line()
		if r.Plus != nil {
			line, step.Data, err = splitForm(line)
		}
		step.Args = []string{line}
	}
	p.Steps = []fetch.Step{step}
	return err
}

// addSearch makes the words of Options the search of a searchable item.
func (r *request) addSearch(o *fetch.Options) error {
	if len(o.Search) == 0 {
		return nil
	}
	if r.item() != itemSearch {
		return fetch.Errorf(fetch.ErrUnsupported, "only items of type 7 can be searched, this one is of type %s", r.Type)
	}
	words := fetch.Octets(strings.Join(o.Search, " "))
	if strings.Contains(string(words), "\t") {
		return fetch.Errorf(fetch.ErrRefusedURL, "TAB in the words of a search")
	}
	r.Search = &words
	return nil
}

func (r *request) shape() fetch.Shape {
	switch r.item() {
	case itemMenu:
		return fetch.ShapeListing
	case itemSearch:
		return fetch.ShapeSearch
	}
	return fetch.ShapeDocument
}
