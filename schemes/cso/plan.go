package cso

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A reading is a cso URI taken apart.
type reading struct {
	Scheme  string       `json:"scheme"`
	Addr    string       `json:"-"`
	Host    string       `json:"host"`
	Port    int          `json:"port"`
	Query   fetch.Octets `json:"query"`
	Request fetch.Octets `json:"request"`
}

// read takes u apart. The words of a search are, or follow, the query of the path.
func read(u uri.URI) (*reading, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	query := strings.TrimPrefix(u.Path().Decode(), "/")
	if words, has := u.Query(); has {
		query += " " + strings.Join(words.Words(), " ")
	}
	r := &reading{Scheme: u.Scheme(), Addr: addr, Host: u.Hostname(), Port: u.PortNumber(port)}
	r.Query = fetch.Octets(strings.Trim(query, " "))
	r.Request = fetch.Octets(r.step().Line() + "\r\n")
	return r, nil
}

func (r *reading) step() fetch.Step {
	if r.Query == "" {
		return fetch.Step{Verb: "fields"}
	}
	return fetch.Step{Verb: "query", Args: []string{string(r.Query)}}
}

// Plan is the one command, and the farewell.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve:
		return nil, fetch.NoOperation("cso", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "cso has no parts of documents")
	}
	r, err := read(u)
	if err != nil {
		return nil, err
	}
	r.Query = fetch.Octets(strings.Trim(strings.Join(append([]string{string(r.Query)}, o.Search...), " "), " "))
	return &fetch.Plan{
		Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeSearch, Type: "text/plain",
		Steps: []fetch.Step{r.step(), {Verb: "quit"}},
	}, nil
}
