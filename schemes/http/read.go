package http

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// reading is what an http URI says. RFC 1738 section 3.3, RFC 9110 section 4.2.
type reading struct {
	Scheme   string   `json:"scheme"`
	Host     string   `json:"host"`
	Port     int      `json:"port"`
	Target   string   `json:"request_uri"` // as sent
	Search   *string  `json:"search"`      // as written
	Fragment *string  `json:"fragment"`
	Sequence []string `json:"sequence"`
}

func (h *handler) read(u uri.URI, _ uri.Mode) (any, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	r.Sequence = []string{"GET " + r.Target}
	if f, ok := u.Fragment(); ok {
		s := string(f)
		r.Fragment = &s
	}
	return r, nil
}

func (h *handler) reading(u uri.URI) (r reading, err error) {
	host := u.Hostname()
	if host == "" {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "an %s URI names a host", h.name)
	}
	r = reading{Scheme: h.name, Host: host, Port: u.PortNumber(h.port)}
	if q, ok := u.Query(); ok {
		s := string(q)
		r.Search = &s
	}
	r.Target = target(string(u.Path()), r.Search)
	return r, nil
}

// target is the origin-form of RFC 9112 section 3.2.1: path and search as the user wrote them, "/" for a void path.
func target(path string, search *string) string {
	if path == "" {
		path = "/"
	}
	path = wire(path)
	if search == nil {
		return path
	}
	return path + "?" + wire(*search)
}

// wire escapes what may not stand in a request target: blanks, controls, what the drafts call unsafe, and octets beyond ASCII.
// Nothing that is escaped already is touched.
func wire(s string) string {
	n := 0
	for i := range len(s) {
		if mustEscape(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+2*n)
	for i := range len(s) {
		if c := s[i]; mustEscape(c) {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func mustEscape(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}#", c) >= 0
}

// hostField is the value of Host: the host, an IPv6 address in brackets and without its zone (RFC 6874 section 1), and the port
// where it is not the default one.
func (h *handler) hostField(r reading) string {
	host := r.Host
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%")
		host = "[" + host + "]"
	}
	if r.Port != h.port {
		host += ":" + strconv.Itoa(r.Port)
	}
	return host
}
