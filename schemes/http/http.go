// Package http dereferences http and https URIs: RFC 1945 (and the HTTP/0.9 within it), RFC 9110, 9112 and 9113.
//
// The dialogue is one message each way:
//
//	C: GET /a%20b/c?d HTTP/1.1
//	C: Host: www.example.org
//	C: User-Agent: deref
//	C: Accept: */*
//	C:
//	S: HTTP/1.1 200 OK
//	S: Content-Type: text/html
//	S: Content-Length: 5
//	S:
//	S: hello
//
// The request target is the path and search of the URI as the user wrote them, with what may not stand in a URI escaped; the
// fragment is never sent. Each line of the request is one Step of the Plan. What the answer's status makes of it:
//
//	2xx                 the document (204, 205: an empty one; 206: the part that was asked for)
//	3xx                 referrals to Location, and of 300 and unknown ones to their alternates
//	304                 not modified, if that was asked
//	401, 407            auth
//	402, 403, 405, 451, other 4xx   refused
//	404, 410            notfound
//	412                 changed
//	416                 range
//	408, 421, 425, 429, 5xx, and those above 599   unavailable (501, 505: refused)
//	what is no answer of HTTP   protocol
//
// The body of an error status is not the document. A 200 with "Refresh" of at most ten seconds leads on too. Credentials are sent at once within
// TLS; in clear they wait for a challenge, and the request is said again with its answer, Digest before Basic.
//
// HTTP/1 is spoken over one leased connection without a goroutine: the standard
// library's parsers of headers (net/textproto) and of chunks (net/http/httputil) read it, and RFC 9112 section 6.3, which says
// where a body ends, is kept here in frame.go, stricter than net/http does. HTTP/2 is net/http's own, over the same connection.
package http

import (
	nethttp "net/http"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http/cache"
	"example.org/deref/uri"
)

// Config is what outlives single requests; nil is the zero value.
type Config struct {
	UserAgent string            // the product that User-Agent names, "deref" if void
	Jar       nethttp.CookieJar // the cookies that are sent and kept; nil: none (package jar has one)

	Cache *cache.Cache // answers that are kept between requests; nil: none

	// Proxy names the HTTP proxy that is asked for u, with its login; zero, or a nil Proxy: none. It is asked for http only: a proxy of
	// https connects to the server, which is the Client's Dialer's business. It must be pure. fetch/proxy has one.
	Proxy func(u uri.URI) uri.URI
}

// Schemes returns http and https.
func Schemes(cfg *Config) []fetch.Scheme {
	if cfg == nil {
		cfg = &Config{}
	}
	return []fetch.Scheme{
		scheme(&handler{cfg: *cfg, name: "http", port: 80}, "documents of the World-Wide Web"),
		scheme(&handler{cfg: *cfg, name: "https", port: 443, tls: true}, "documents of the World-Wide Web, within TLS"),
	}
}

func scheme(h *handler, summary string) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{h.name},
		Rules:      uri.Rules{DefaultPort: h.port, Hierarchical: true},
		Ports:      []int{80, 443},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		MayReferTo: []string{"http", "https"},
		Summary:    summary,
		Spec:       "RFC 1945, RFC 9110, RFC 9112, RFC 9113",
		Help:       help,
		Settings:   settings(),
		Read:       h.read,
		Grammar:    grammar,
		Handler:    h,
	}
}

// handler is one of the two schemes. It is immutable.
type handler struct {
	cfg  Config
	name string
	port int
	tls  bool
}

const help = `example: http://www.example.org/a%20b/c?d
  GET /a%20b/c?d HTTP/1.1
  Host: www.example.org
  User-Agent: deref
  Accept: */*

status                             error class
2xx                                -
3xx with Location                  - (a referral)
304                                - (not modified, where that was asked)
401, 407                           auth
403 and other 4xx, 501, 505        refused
404, 410                           notfound
412                                changed
416                                range
408, 421, 425, 429, other 5xx      unavailable
600 and above                      unavailable
305, 306                           protocol
no answer of HTTP, false framing   protocol

Cookies (-b FILE, -c) follow RFC 6265: those of a host are sent to every
port of it. Other credentials stay with their scheme, host and port.`
