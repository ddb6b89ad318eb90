package http

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A targetURI is a parsed http or https URI. RFC 1738 section 3.3, RFC 9110 section 4.2.
type targetURI struct {
	Scheme string  `json:"scheme"`
	Host   string  `json:"host"`
	Port   int     `json:"port"`
	Target string  `json:"request_uri"` // as sent
	Search *string `json:"search"`      // as written
}

// A reading is what Scheme.Read shows of a URI.
type reading struct {
	targetURI
	Fragment *string  `json:"fragment"`
	Sequence []string `json:"sequence"`
}

func (s *scheme) read(u uri.URI, _ uri.Mode) (any, error) {
	t, err := s.parse(u)
	if err != nil {
		return nil, err
	}
	r := reading{targetURI: t, Sequence: []string{"GET " + t.Target}}
	if f, ok := u.Fragment(); ok {
		r.Fragment = new(string(f))
	}
	return r, nil
}

func (s *scheme) parse(u uri.URI) (t targetURI, err error) {
	host := u.Hostname()
	if host == "" {
		return t, fetch.Errorf(fetch.ErrRefusedURL, "host missing in the %s URI", s.name)
	}
	t = targetURI{Scheme: s.name, Host: host, Port: u.PortNumber(s.port)}
	if q, ok := u.Query(); ok {
		t.Search = new(string(q))
	}
	t.Target = originForm(string(u.Path()), t.Search)
	return t, nil
}

// originForm returns the origin-form of RFC 9112 section 3.2.1: path and query as the user wrote them, "/" for an empty path.
func originForm(path string, query *string) string {
	if path == "" {
		path = "/"
	}
	path = escape(path)
	if query == nil {
		return path
	}
	return path + "?" + escape(*query)
}

// escape escapes what a request target cannot contain: spaces, control characters, the characters that RFC 1738 calls unsafe, and bytes
// that are not ASCII. It leaves existing escapes unchanged.
func escape(s string) string {
	const letters, marks = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "!$%&'()*+,-./:;=?@[]_~"
	if strings.Trim(s, letters+marks) == "" { // as most are; without an allocation
		return s
	}
	return uri.EscapeBut(s, marks)
}

// addSearch replaces the query of the URI by words: "?a+b". If the query ends in "=", it is a form with one empty field, and the words
// become the field's value.
func (t *targetURI) addSearch(o *fetch.Options) {
	query := string(uri.JoinWords(o.Mode, o.Search...))
	if t.Search != nil && strings.HasSuffix(*t.Search, "=") {
		query = *t.Search + query
	}
	path, _, _ := strings.Cut(t.Target, "?")
	t.Search, t.Target = &query, path+"?"+escape(query)
}

// hostField returns the value of Host: the host, and the port unless it is the default. An IPv6 address is in brackets and has no zone
// (RFC 6874 section 1).
func (r *request) hostField() string {
	host, port := r.addr, strings.LastIndexByte(r.addr, ':')
	if r.Port == r.port {
		host = host[:port]
	}
	if address, zone, ok := strings.Cut(host, "%"); ok && host[0] == '[' {
		host = address + zone[strings.LastIndexByte(zone, ']'):]
	}
	return host
}
