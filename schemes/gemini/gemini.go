// Package gemini dereferences gemini URIs: the Gemini network protocol and text/gemini, version 0.24.1.
//
// The client sends the URI, within TLS. The server returns a status line and the document, and closes the connection:
//
//	gemini://h/owl            C: gemini://h/owl
//	                          S: 20 text/gemini
//	                          S: # The owl
//	                          S: => /birds More birds
//	gemini://h/find?big%20owl C: gemini://h/find?big%20owl
//
// The words of a search replace the query. A text/gemini document has Entries: its links, and the lines of text between them. Statuses:
//
//	11                          auth: the server wants a secret, the password for the host
//	other 1x                    interactive: the server wants input, the words of a search
//	2x                          the document, up to the close
//	3x                          a referral, followed to gemini only
//	4x                          unavailable
//	51, 52                      notfound
//	other 5x                    refused
//	6x                          auth: the server wants a client certificate, or another one
//	another, or none            protocol
//	close without close_notify  truncated
//	a byte range                range: the protocol has none
//
// Most servers sign their own certificates. fetch.Client.FirstUse trusts the first one that a host shows. A client certificate is sent only
// to the host for which it was set: a redirect to another host does not get it.
package gemini

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/uri"
)

// Scheme returns the scheme gemini.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"gemini"},
		LineEnds:   fetch.LineEnds{Replies: responses},
		Rules:      rules(),
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		FirstUse:   true,
		MayReferTo: []string{"gemini"}, // the user decides whether to follow a redirect to another protocol
		Summary:    "texts and menus of the small web, within TLS",
		Spec:       "gemini protocol 0.24.1, text/gemini",
		Settings:   secretfile.CertSettings("gemini"),
		Help:       func() string { return help + string(statuses) },
		Read:       func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Grammar:    gemtext.Grammar,
		Plan:       plan,
	}
}

const port = 1965

func rules() uri.Rules { return uri.Rules{DefaultPort: port, Hierarchical: true} }

const help = `gemini://host/path, gemini://host/path?input. Most servers sign their own certificates, which
are trusted at their first use if the user allows that. The words of a search are sent as input, a password without a user as sensitive input.

`

// A request is a parsed gemini URI, which is sent as it is.
type request struct {
	Scheme string       `json:"scheme"`
	Host   string       `json:"host"`
	Port   int          `json:"port"`
	Input  *string      `json:"input"` // decoded; nil without a query
	Bytes  fetch.Octets `json:"request"`

	uri  uri.URI
	addr string
	cert secretfile.ClientCert
	// secret is the password as the query has it. A server may return it.
	secret string
}

// maxURL is the length of the longest request (section "Requests").
const maxURL = 1024

// parse makes the request: absolute, normalized, and without the userinfo and fragment that it must not have.
func parse(u uri.URI) (*request, error) {
	rules := rules()
	r := &request{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(port)}
	r.uri = uri.RFC3986.Normalize(u.WithoutUserinfo().WithoutFragment(), &rules)
	var err error
	if r.addr, err = r.uri.HostPort(port); err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	if len(r.line()) > maxURL {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the gemini URI has %d bytes, more than %d", len(r.line()), maxURL)
	}
	if q, has := r.uri.Query(); has {
		r.Input = new(q.Decode())
	}
	r.Bytes = fetch.Octets(r.line() + "\r\n")
	return r, nil
}

// line returns the request without its line end. The zone of an address has a meaning only on this machine (RFC 6874 section 1).
func (r *request) line() string { return r.uri.WithoutZone().String() }

// secretWanted is the condition of the second step.
const secretWanted = "the server answered 11"

// plan requests the URI. If there is a password for the host, a second step sends that to a server that wants it.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for gemini")
	}
	r, err := parse(u)
	if err == nil && len(o.Search) > 0 {
		r, err = r.withInput(strings.Join(o.Search, " "))
	}
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{URI: r.uri, Network: "tcp", Addr: r.addr, TLS: fetch.ImplicitTLS, Shape: fetch.ShapeDocument}
	if r.Input != nil {
		p.Shape = fetch.ShapeSearch
	}
	p.Steps = []fetch.Step{{Args: []string{r.line()}}}
	if o.Login.Password != "" {
		answer, err := r.withInput(o.Login.Password)
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, fetch.Step{Args: []string{answer.line()}, If: secretWanted, Secret: true})
		r.secret = string(escape(o.Login.Password))
	}
	r.cert, p.Run = secretfile.ClientCertOf(o, "gemini"), r.run
	return p, nil
}

// withInput returns the request with input as its query, in which a space is %20 (section "Input expected").
func (r *request) withInput(input string) (*request, error) {
	bare, _, _ := strings.Cut(r.uri.String(), "?")
	u, err := uri.Parse(bare + "?" + string(escape(input)))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return parse(u)
}

func escape(input string) uri.Escaped { return uri.QueryText.Escape(uri.RFC3986, input) }
