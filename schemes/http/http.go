// Package http dereferences http and https URIs: RFC 1945 (and the HTTP/0.9 in it), RFC 9110, 9112 and 9113.
//
// An exchange is one message each way:
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
// The request target is the path and query of the URI as the user wrote them; only characters that a URI cannot contain are escaped. The
// fragment is never sent. Each line of the request is one Step of the Plan. Statuses:
//
//	2xx                       the document; of 206 the requested part
//	304                       not modified, if the request was conditional
//	305, 306                  protocol
//	other 3xx                 the referrals
//	401, 407                  auth
//	404, 410                  notfound
//	408, 421, 425, 429        unavailable
//	412                       changed
//	416                       range
//	other 4xx, 501, 505       refused
//	other 5xx, 600 and above  unavailable
//	not an HTTP response      protocol
//
// A 3xx refers to its Location; a 300 or unknown one without is a document. A 200 with "Refresh" of at most ten seconds is a referral too.
// The body of an error status is not the document. Within TLS, credentials are sent with the first request. Without TLS they wait for a
// challenge, and the request is repeated with them, as Digest if possible, else as Basic.
//
// HTTP/1 runs over one leased connection without a goroutine. The standard library parses headers (net/textproto) and chunks
// (net/http/httputil). Where a body ends (RFC 9112 section 6.3) is decided in frame.go, more strictly than by net/http. HTTP/2 is
// net/http's own, over the same connection.
//
// HTTP/2 is used if the setting http.version asks for it, and for the requests of a list (fetch.WithSharer) to one distant https server, which
// then share a connection, up to 100 at a time. A near server is faster with HTTP/1.1 on several connections, and so are large documents.
package http

import (
	nethttp "net/http"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http/cache"
	"example.org/deref/uri"
)

// Config holds state shared between requests. A nil *Config means the zero Config.
type Config struct {
	UserAgent string            // the product in User-Agent; "" means "deref"
	Jar       nethttp.CookieJar // receives and supplies cookies; nil means no cookies (package jar has one)

	Cache *cache.Cache // stores responses; nil means no cache

	// Proxy returns the HTTP proxy to use for u, with its login, or the zero URI for none. Only http uses it: for https the Client's Dialer
	// connects through the proxy. It must be pure. Package fetch/proxy has one. A nil Proxy means none.
	Proxy func(u uri.URI) uri.URI
}

// Schemes returns http and https.
func Schemes(cfg *Config) []fetch.Scheme {
	if cfg == nil {
		cfg = &Config{}
	}
	return []fetch.Scheme{
		(&scheme{Config: *cfg, name: "http", port: 80}).definition("documents of the World-Wide Web"),
		(&scheme{Config: *cfg, name: "https", port: 443, tls: true}).definition("documents of the World-Wide Web, within TLS"),
	}
}

// A scheme is http or https with its configuration. It is immutable.
type scheme struct {
	Config
	name string
	port int
	tls  bool
}

func (s *scheme) definition(summary string) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{s.name},
		LineEnds:   fetch.LineEnds{Replies: "RFC 9112 section 2.2"},
		Rules:      uri.Rules{DefaultPort: s.port, Hierarchical: true},
		Ports:      []int{80, 443},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		MayReferTo: []string{"http", "https"},
		Summary:    summary,
		Spec:       "RFC 1945, RFC 9110, RFC 9112, RFC 9113",
		Help:       func() string { return help + string(statuses) + cookieHelp },
		Settings:   settings(),
		Read:       s.read,
		Grammar:    grammar,
		Plan:       s.plan,
	}
}

const help = `example: http://www.example.org/a%20b/c?d
  GET /a%20b/c?d HTTP/1.1
  Host: www.example.org
  User-Agent: deref
  Accept: */*

`

const cookieHelp = `
Cookies follow RFC 6265: those of a host are sent to every port of it. Other credentials stay with their scheme, host and port.`
