package gopher

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A request is a parsed gopher URI. Search and Plus are nil if the URI has none.
type request struct {
	Scheme   string        `json:"scheme"`
	Host     string        `json:"host"`
	Port     int           `json:"port"`
	Type     string        `json:"type"`
	Selector fetch.Octets  `json:"selector"`
	Search   *fetch.Octets `json:"search"`
	Plus     *fetch.Octets `json:"plus"`
	Request  fetch.Octets  `json:"request"`
}

// read is Scheme.Read.
func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := parse(u, m)
	if err != nil {
		return nil, err
	}
	urifield.Map(m.Text, &r.Type)
	urifield.Map(m.Text, &r.Selector, &r.Request)
	urifield.MapOpt(m.Text, &r.Search, &r.Plus)
	return r, nil
}

// item returns the item type.
func (r *request) item() byte { return r.Type[0] }

// parse splits u into type, selector, search words and Gopher+ string, the last three separated by TABs (RFC 4266 section 2.1).
func parse(u uri.URI, m uri.Mode) (*request, error) {
	if u.Hostname() == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "host missing in the gopher URI")
	}
	r := &request{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(defaultPort), Type: "1"}
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
	r.Request = fetch.Octets(r.line())
	if _, data, err := splitForm(r.line()); err != nil || data == "" { // a data block has its own end
		r.Request += "\r\n"
	}
	return r, nil
}

// endsSelector reports whether a question mark begins the search words. In the drafts and RFC 1630 it does, in RFC 1738 it is an ordinary
// character. Today it begins the words of an item that can be searched, and is part of any other selector.
func endsSelector(m uri.Mode, item byte) bool {
	return m.Drafts() || m != uri.RFC1738 && item == itemSearch
}

// split splits the selector after the item type.
func (r *request) split(s string) {
	f := strings.SplitN(s, "\t", 3)
	r.Selector = fetch.Octets(f[0])
	switch {
	case len(f) == 2 && r.item() != itemSearch && isPlus(f[1]):
		// Gopher+ itself has no empty search field, but RFC 4266 does. Both are found in URIs.
		r.Plus = (*fetch.Octets)(&f[1])
	case len(f) > 1:
		r.Search = (*fetch.Octets)(&f[1])
	}
	if len(f) > 2 {
		r.Plus = (*fetch.Octets)(&f[2])
	}
}

// isPlus reports whether a field is a Gopher+ command: retrieve, item attributes, directory attributes.
func isPlus(field string) bool { return field != "" && strings.IndexByte("+!$", field[0]) >= 0 }

// plus returns the Gopher+ string, "" if there is none or an empty one.
func (r *request) plus() string {
	if r.Plus == nil {
		return ""
	}
	return string(*r.Plus)
}

// line returns the line to send, without its end.
func (r *request) line() string {
	if r.Plus == nil {
		return r.bare()
	}
	return r.with(r.plus())
}

// with returns the line with a Gopher+ field.
func (r *request) with(plus string) string { return r.bare() + "\t" + plus }

// bare returns the line of RFC 1436.
func (r *request) bare() string {
	s := string(r.Selector)
	if r.Search != nil {
		s += "\t" + string(*r.Search)
	}
	return s
}
