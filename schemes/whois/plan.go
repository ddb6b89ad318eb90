package whois

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Plan is one line: RFC 3912 section 2. The words of --search are the line, or follow that of the URI.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Op != fetch.Retrieve:
		return nil, fetch.NoOperation(h.name, o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "%s has no ranges", h.name)
	}
	words := o.Search
	if r.Query != "" {
		words = append([]string{string(r.Query)}, words...)
	}
	line := h.line(strings.Join(words, " "))
	if line == "" {
		return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "there is nothing to ask for", Hint: "whois://HOST/NAME, or --search NAME"}
	}
	return &fetch.Plan{
		Network: "tcp", Addr: r.addr, TLS: fetch.NoTLS, Shape: fetch.ShapeSearch, Type: "text/plain",
		Steps: []fetch.Step{{Args: []string{line}}},
	}, nil
}
