package whois

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// parts is what a whois URI says.
type parts struct {
	Scheme   string         `json:"scheme"`
	Host     string         `json:"host"`
	Port     int            `json:"port"`
	Query    fetch.Octets   `json:"query"` // decoded: the line that is sent
	Sequence []fetch.Octets `json:"sequence"`

	addr string
}

func (h handler) read(u uri.URI, m uri.Mode) (any, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	if line := h.line(string(r.Query)); line != "" {
		r.Sequence = append(r.Sequence, fetch.Octets(line))
	}
	reading.Map(m.Text, &r.Query)
	r.Sequence = reading.MapAll(m.Text, r.Sequence)
	return r, nil
}

func (h handler) reading(u uri.URI) (r parts, err error) {
	r = parts{Scheme: h.name, Query: fetch.Octets(query(u))}
	if _, ok := u.Authority(); !ok && h.host != "" { // whois:query
		if u, err = uri.Parse("whois://" + h.host); err != nil {
			return r, fetch.Errorf(fetch.ErrLocal, "the configured whois host is none: %w", err)
		}
	}
	r.Host, r.Port = u.Hostname(), u.PortNumber(h.port)
	if r.Host == "" {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "a %s URI names a host", h.name)
	}
	r.addr = net.JoinHostPort(r.Host, strconv.Itoa(r.Port))
	return r, nil
}

// query is the path without its first slash, and the words of the search after it.
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

// line is what is sent for a query: whois++ describes itself where there is none (RFC 1835 section 2.2.1.3).
func (h handler) line(query string) string {
	if query == "" && h.name == "whois++" {
		return "describe"
	}
	return query
}
