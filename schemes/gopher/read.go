package gopher

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// A gopherURI is a gopher URI taken apart. Search and Plus are nil where the URI has none.
type gopherURI struct {
	Scheme   string        `json:"scheme"`
	Host     string        `json:"host"`
	Port     int           `json:"port"`
	Type     string        `json:"type"`
	Selector fetch.Octets  `json:"selector"`
	Search   *fetch.Octets `json:"search"`
	Plus     *fetch.Octets `json:"plus"`
	Request  fetch.Octets  `json:"request"`
}

// readFields is Scheme.Read.
func readFields(u uri.URI, m uri.Mode) (any, error) {
	r, err := read(u, m)
	if err != nil {
		return nil, err
	}
	reading.Map(m.Text, &r.Type)
	reading.Map(m.Text, &r.Selector, &r.Request)
	reading.MapOpt(m.Text, &r.Search, &r.Plus)
	return r, nil
}

// item is the item type.
func (r *gopherURI) item() byte { return r.Type[0] }

// read takes u apart: type, selector, search words and Gopher+ string, the last three between TABs (RFC 4266 §2.1).
func read(u uri.URI, m uri.Mode) (*gopherURI, error) {
	if u.Hostname() == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a gopher URI names a host")
	}
	r := &gopherURI{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(defaultPort), Type: "1"}
	path := strings.TrimPrefix(string(u.Path()), "/")
	query, hasQuery := u.Query()
	rest := uri.Escaped(path).Decode()
	if rest != "" {
		r.Type, rest = rest[:1], rest[1:]
	}
	switch {
	case !hasQuery:
	case endsSelector(m, r.item()) && !strings.Contains(rest, "\t"):
		rest += "\t" + strings.Join(query.Words(), " ")
	default:
		rest += "?" + query.Decode()
	}
	r.split(rest)
	if r.Request = fetch.Octets(r.line()); !endsInBlock(string(r.Request)) {
		r.Request += "\r\n"
	}
	return r, nil
}

// endsSelector says what a question mark is: the drafts and RFC 1630 let it begin the search words, RFC 1738 has it as any other
// character. Today it begins the words of what can be searched, and is part of any other selector.
func endsSelector(m uri.Mode, item byte) bool {
	switch m {
	case uri.RFC1630, uri.RFC1630Amended, uri.RFC1630Strict, uri.URL6:
		return true
	case uri.RFC1738:
		return false
	}
	return item == itemSearch
}

// split takes apart what follows the type.
func (r *gopherURI) split(s string) {
	f := strings.SplitN(s, "\t", 3)
	r.Selector = fetch.Octets(f[0])
	switch {
	case len(f) == 2 && r.item() != itemSearch && isPlus(f[1]):
		// Gopher+ itself has no empty search field; RFC 4266 does. Both are found in URIs.
		r.Plus = (*fetch.Octets)(&f[1])
	case len(f) > 1:
		r.Search = (*fetch.Octets)(&f[1])
	}
	if len(f) > 2 {
		r.Plus = (*fetch.Octets)(&f[2])
	}
}

// isPlus reports whether a field is a Gopher+ command: fetch, item attributes, directory attributes.
func isPlus(field string) bool { return field != "" && strings.IndexByte("+!$", field[0]) >= 0 }

// line is what is sent, without the end of the line.
func (r *gopherURI) line() string {
	if r.Plus == nil {
		return r.bare()
	}
	return r.with(string(*r.Plus))
}

// with is the line with a Gopher+ field.
func (r *gopherURI) with(plus string) string { return r.bare() + "\t" + plus }

// bare is the line of RFC 1436.
func (r *gopherURI) bare() string {
	s := string(r.Selector)
	if r.Search != nil {
		s += "\t" + string(*r.Search)
	}
	return s
}
