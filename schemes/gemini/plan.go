package gemini

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A reading is a gemini URI taken apart: the request is the URI itself.
type reading struct {
	Scheme  string       `json:"scheme"`
	Addr    string       `json:"-"`
	Host    string       `json:"host"`
	Port    int          `json:"port"`
	Input   *string      `json:"input"` // decoded; nil where there is none
	URL     uri.URI      `json:"-"`
	Request fetch.Octets `json:"request"` // without a zone
}

// maxURL is the longest request (§ "Requests").
const maxURL = 1024

// read makes the request: absolute, canonical, and without the userinfo and fragment that it may not have.
func read(u uri.URI) (*reading, error) {
	rules := rules()
	r := &reading{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(port)}
	r.URL = uri.RFC3986.Normalize(u.WithoutUserinfo().WithoutFragment(), &rules)
	var err error
	if r.Addr, err = r.URL.HostPort(port); err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	if len(r.line()) > maxURL {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a gemini URI has at most %d octets", maxURL)
	}
	if q, has := r.URL.Query(); has {
		input := q.Decode()
		r.Input = &input
	}
	r.Request = fetch.Octets(r.line() + "\r\n")
	return r, nil
}

// line is the request without its line end. The zone of an address is of use to this machine only (RFC 6874 section 1).
func (r *reading) line() string { return r.URL.WithoutZone().String() }

// secretWanted is the condition of the second step.
const secretWanted = "the server answered 11"

// Plan asks for the URI, and where a secret is known for the host, once more with that if the server wants it.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return nil, fetch.NoOperation("gemini", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "gemini has no parts of documents")
	}
	r, err := read(u)
	if err != nil {
		return nil, err
	}
	if len(o.Search) > 0 {
		if r, err = answer(r.URL, strings.Join(o.Search, " ")); err != nil {
			return nil, err
		}
	}
	p := &fetch.Plan{URI: r.URL, Network: "tcp", Addr: r.Addr, TLS: fetch.ImplicitTLS, Shape: fetch.ShapeDocument}
	if r.Input != nil {
		p.Shape = fetch.ShapeSearch
	}
	p.Steps = []fetch.Step{{Args: []string{r.line()}}}
	if o.Login.Password != "" {
		if r, err = answer(r.URL, o.Login.Password); err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, fetch.Step{Args: []string{r.line()}, If: secretWanted, Secret: true})
	}
	return p, nil
}

// answer puts input into the query of u, with blanks as %20 (§ "Input expected").
func answer(u uri.URI, input string) (*reading, error) {
	bare, _, _ := strings.Cut(u.String(), "?")
	v, err := uri.Parse(bare + "?" + string(escape(input)))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return read(v)
}

func escape(input string) uri.Escaped { return uri.QueryText.Escape(uri.RFC3986, input) }
