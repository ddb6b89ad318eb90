// Package spartan dereferences spartan URIs as specified by spartan://spartan.mozz.us/specification.gmi of 2021-03-24.
//
// The client sends host, path, and the length of the data that follows. The server returns a status line and the document, and closes the
// connection:
//
//	spartan://h/owl           C: h /owl 0
//	                          S: 2 text/gemini
//	                          S: # The owl
//	                          S: =: /find Which bird?
//	spartan://h/find?big%20owl  C: h /find 7
//	                            C: big owl
//
// The words of a search replace the query. A text/gemini document has Entries; a link that begins with "=:" is a search. Statuses:
//
//	2                 the document, up to the close
//	3                 a referral to another path on the server
//	4                 notfound
//	5                 unavailable
//	another, or none  protocol
//	a byte range      range: the protocol has none
package spartan

import (
	"context"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Scheme returns the scheme spartan.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names: []string{"spartan"}, LineEnds: fetch.LineEnds{Replies: responses}, Rules: uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:     fetch.Does{Retrieves: true, Refers: true},
		Searches: true, MayReferTo: []string{"spartan"},
		Summary: "texts of the small web, in clear", Spec: "spartan://spartan.mozz.us/specification.gmi",
		Help:    func() string { return "spartan://host/path, spartan://host/path?input\n\n" + string(statuses) },
		Read:    func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Grammar: gemtext.Grammar,
		Plan:    plan,
	}
}

const port = 300

// responses is the section about status lines.
const responses = "spartan specification section 3"

const statuses replies.Table = `2                 the document, up to the close
3                 a referral to another path on the server
4                 notfound
5                 unavailable
another, or none  protocol
a byte range      range: the protocol has none
`

// A request is a parsed spartan URI.
type request struct {
	Addr string       `json:"addr"`
	Host string       `json:"host"` // as sent: without a zone (RFC 6874 section 1)
	Path string       `json:"path"` // still escaped: the server decodes it
	Data fetch.Octets `json:"data"`
}

func parse(u uri.URI) (*request, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	rules := uri.Rules{Hierarchical: true}
	query, _ := u.Query()
	r := &request{addr, u.WithoutZone().Hostname(), string(uri.RFC3986.Normalize(u, &rules).Path()), fetch.Octets(query.Decode())}
	return r, r.checkData()
}

// checkData refuses data with line ends. The server counts the bytes, but a server of another protocol would read a line of its own.
func (r *request) checkData() error {
	if strings.ContainsAny(string(r.Data), "\r\n\x00") {
		return fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in the data of the request")
	}
	return nil
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("spartan", o); err != nil {
		return nil, err
	}
	r, err := parse(u)
	if len(o.Search) > 0 && r != nil {
		r.Data = fetch.Octets(strings.Join(o.Search, " "))
		err = r.checkData()
	}
	if err != nil {
		return nil, err
	}
	return &fetch.Plan{Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeDocument, Run: run,
		Steps: []fetch.Step{{Args: []string{r.Host, r.Path, strconv.Itoa(len(r.Data))}, Data: string(r.Data)}}}, nil
}

func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	if err := c.SendAs(fetch.LinesWithData, p.When("")...); err != nil {
		return nil, err
	}
	c.BeginReply()
	line, err := c.ReadLine()
	if err != nil {
		return nil, err
	}
	c.BeginBody()
	status, meta, _ := strings.Cut(string(line), " ")
	if meta == "" {
		env.Deviates(responses, "the status line", "nothing after the code")
	}
	switch kind, _ := statuses.Kind(status); {
	case status == "2" && gemtext.IsType(meta):
		return gemtext.Document(c, meta, p, env, true), nil
	case status == "3" && strings.HasPrefix(meta, "/") && !strings.HasPrefix(meta, "//"):
		if to, err := uri.Parse(meta); err == nil {
			return &fetch.Document{Referrals: []fetch.Referral{{URI: p.URI.Resolve(to), Reason: "3 redirect"}}}, nil
		}
	case kind != "":
		e := fetch.Errorf(kind, "the server returned %s", line)
		e.Gone = kind == fetch.ErrNotFound && replies.SaysNotFound(meta) // status 4 is any error of the client, such as a bad request
		return nil, e
	}
	return nil, fetch.Errorf(fetch.ErrProtocol, "bad status line: %q", line)
}
