package whois

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A request is a parsed whois URI.
type request struct {
	Scheme   string         `json:"scheme"`
	Host     string         `json:"host"`
	Port     int            `json:"port"`
	Query    fetch.Octets   `json:"query"` // decoded: the line to send
	Sequence []fetch.Octets `json:"sequence"`

	addr string
	line string // of the plan, with the words of Options.Search
}

func (v *variant) read(u uri.URI, m uri.Mode) (any, error) {
	r, err := v.parse(u)
	if err != nil {
		return nil, err
	}
	if line := v.line(string(r.Query)); line != "" {
		r.Sequence = append(r.Sequence, fetch.Octets(line))
	}
	urifield.Map(m.Text, &r.Query)
	r.Sequence = urifield.MapAll(m.Text, r.Sequence)
	return *r, nil
}

func (v *variant) parse(u uri.URI) (*request, error) {
	r := &request{Scheme: v.name, Query: fetch.Octets(query(u))}
	if _, ok := u.Authority(); !ok && v.host != "" { // whois:query
		var err error
		if u, err = uri.Parse("whois://" + v.host); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "bad whois host in the configuration: %w", err)
		}
	}
	r.Host, r.Port = u.Hostname(), u.PortNumber(v.port)
	if r.Host == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "host missing in a %s URI", v.name)
	}
	r.addr = net.JoinHostPort(r.Host, strconv.Itoa(r.Port))
	return r, nil
}

// query returns the path without its first slash, and the words of the URI's query after it.
func query(u uri.URI) string {
	path := uri.Escaped(strings.TrimPrefix(string(u.Path()), "/")).Decode()
	search, ok := u.Query()
	if !ok {
		return path
	}
	words := strings.Join(search.Words(), " ")
	if path == "" {
		return words
	}
	return path + " " + words
}

// line returns the line to send for a query. A whois++ server describes itself if there is no query (RFC 1835 section 2.2.1.3).
func (v *variant) line(query string) string {
	if query == "" && v.name == "whois++" {
		return "describe"
	}
	return query
}

// plan sends one line (RFC 3912 section 2). The words of Options.Search follow those of the URI.
func (v *variant) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := v.parse(u)
	if err != nil {
		return nil, err
	}
	if err := fetch.CheckWhole(v.name, o); err != nil {
		return nil, err
	}
	words := o.Search
	if r.Query != "" {
		words = append([]string{string(r.Query)}, words...)
	}
	if r.line = v.line(strings.Join(words, " ")); r.line == "" {
		return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "the query is empty", Hint: hint.Search}
	}
	p := &fetch.Plan{
		Network: "tcp", Addr: r.addr, TLS: fetch.NoTLS, Shape: fetch.ShapeSearch, Type: "text/plain",
		Steps: []fetch.Step{{Args: []string{r.line}}}, Run: r.runText,
	}
	if v.name == "whois++" {
		p.Run = r.runTemplates
	}
	return p, nil
}
