// Package spartan dereferences spartan URIs, by spartan://spartan.mozz.us/specification.gmi of 2021-03-24.
//
// The client says host, path and the length of what it sends along; the server answers with a line of status, the document, and
// its close:
//
//	spartan://h/owl           C: h /owl 0
//	                          S: 2 text/gemini
//	                          S: # The owl
//	                          S: =: /find Which bird?
//	spartan://h/find?big%20owl  C: h /find 7
//	                            C: big owl                     --search "big owl" makes this of spartan://h/find
//
// A text/gemini document gives Entries; one of "=:" is a search. What the status makes of it:
//
//	2  the document             up to the close
//	3  redirect                 a referral to another path of the server
//	4  the client is wrong      notfound
//	5  the server is            unavailable
//	another, or none            protocol
package spartan

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/schemes/internal/gemtext"
	"example.org/deref/schemes/internal/gone"
	"example.org/deref/uri"
)

// Scheme returns the scheme spartan.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names: []string{"spartan"}, Rules: uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:     fetch.Does{Retrieves: true, Refers: true},
		Searches: true, MayReferTo: []string{"spartan"},
		Summary: "texts of the small web, in clear", Spec: "spartan://spartan.mozz.us/specification.gmi",
		Help:    "spartan://host/path, spartan://host/path?input\n\n4                   notfound\n5                   unavailable\nanother, or none    protocol\nparts (-r, -C)      range: the protocol has none\n",
		Read:    func(u uri.URI, _ uri.Mode) (any, error) { return read(u, nil) },
		Grammar: grammar,
		Handler: handler{},
	}
}

const port = 300

type handler struct{}

// A reading is a spartan URI taken apart.
type reading struct {
	Addr string       `json:"addr"`
	Host string       `json:"host"` // as it is sent: without a zone (RFC 6874 section 1)
	Path string       `json:"path"` // as it stands: the server decodes it
	Data fetch.Octets `json:"data"`
}

func read(u uri.URI, words []string) (*reading, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	rules := uri.Rules{Hierarchical: true}
	query, _ := u.Query()
	r := &reading{addr, u.WithoutZone().Hostname(), string(uri.RFC3986.Normalize(u, &rules).Path()), fetch.Octets(query.Decode())}
	if len(words) > 0 {
		r.Data = fetch.Octets(strings.Join(words, " "))
	}
	if strings.ContainsAny(string(r.Data), "\r\n\x00") { // counted, but on another port it would be a line of another protocol
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "CR, LF or NUL in what goes along")
	}
	return r, nil
}

// Plan is the request; what goes along is counted.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve:
		return nil, fetch.NoOperation("spartan", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "spartan has no parts of documents")
	}
	r, err := read(u, o.Search)
	if err != nil {
		return nil, err
	}
	return &fetch.Plan{Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeDocument,
		Steps: []fetch.Step{{Args: []string{r.Host, r.Path, strconv.Itoa(len(r.Data))}, Data: string(r.Data)}}}, nil
}

// Run says it and reads the status.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
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
	switch status, meta, _ := strings.Cut(string(line), " "); {
	case status == "2" && strings.Contains(meta, "/") && !strings.ContainsFunc(meta, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return document(c, meta, p, env), nil
	case status == "3" && strings.HasPrefix(meta, "/") && !strings.HasPrefix(meta, "//"):
		if to, err := uri.Parse(meta); err == nil {
			return &fetch.Document{Referrals: []fetch.Referral{{URI: p.URI.Resolve(to), Reason: "3 redirect"}}}, nil
		}
	case status == "4":
		e := fetch.Errorf(fetch.ErrNotFound, "the server says %s", line)
		e.Gone = gone.Said(meta) // 4 is every error of the client's, a bad request too
		return nil, e
	case status == "5":
		return nil, fetch.Errorf(fetch.ErrUnavailable, "the server says %s", line)
	}
	return nil, fetch.Errorf(fetch.ErrProtocol, "the server's first line is no status: %q", line)
}

func document(c *fetch.Conn, mediaType string, p *fetch.Plan, env *fetch.Env) *fetch.Document {
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason, d.End = mediaType, "the server's status line", fetch.EndClosed
	if mediatype.Essence(d.Type) == "text/gemini" {
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
			return gemtext.Entries(r, p.URI, env.Limits().Line, true)
		})
	} else if !strings.HasPrefix(mediaType, "text/") {
		c.Record(fetch.RecordOctets)
	}
	return d
}

// grammar is the request: words with single blanks between.
func grammar(s *fetch.Step) error {
	for _, word := range s.Args {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return errors.New("a blank or control character in the request")
		}
	}
	return nil
}
