package finger

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A request is a parsed finger URI.
type request struct {
	Scheme  string       `json:"scheme"`
	Addr    string       `json:"-"`
	Host    string       `json:"host"`
	Port    int          `json:"port"`
	Query   fetch.Octets `json:"query"` // RFC 1288 §2.3: {Q1} or {Q2}, without its CRLF
	Request fetch.Octets `json:"request"`
}

// parse parses u. The path is the query; user@host, which people and lynx write, stands for a path.
func parse(u uri.URI) (*request, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	query := strings.TrimPrefix(u.Path().Decode(), "/")
	if user, _, _ := u.User(); user != "" {
		if query != "" {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "a finger URI names one user: before the host or in the path")
		}
		query = user
	}
	if _, has := u.Query(); has {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a finger URI has no question mark")
	}
	r := &request{Scheme: u.Scheme(), Addr: addr, Host: u.Hostname(), Port: u.PortNumber(port), Query: fetch.Octets(query)}
	r.Request = r.Query + "\r\n"
	return r, nil
}

// plan makes the one line that is sent.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve:
		return nil, fetch.NoOperation("finger", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "finger has no parts of documents")
	}
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	line := strings.TrimLeft(strings.Join(append([]string{string(r.Query)}, o.Search...), " "), " ")
	if strings.Contains(line, "@") && o.Get(forward) != "yes" {
		return nil, &fetch.Error{Kind: fetch.ErrDenied, Text: "the URI would have the server ask another host", Hint: "--set finger.forward=yes lets it"}
	}
	if o.Get(long) == "yes" && !strings.HasPrefix(line, "/W") {
		line = strings.TrimRight("/W "+line, " ")
	}
	return &fetch.Plan{
		Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeDocument, Type: "text/plain",
		Steps: []fetch.Step{{Args: []string{line}}}, Run: run,
	}, nil
}
