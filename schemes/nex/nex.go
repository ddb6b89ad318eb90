// Package nex dereferences nex URIs as specified by nex://nightfall.city/nex/info/specification.txt.
//
// The client sends a path. The server returns the document and closes the connection:
//
//	nex://h/info/about.txt    C: info/about.txt
//	                          S: About this server.
//	nex://h/info/             C: info/
//	                          S: => about.txt
//
// A path that is empty or ends with a slash is a directory: its lines "=> URL" are Entries. For anything else the suffix determines the
// type. There is no status; the close ends the document. An empty response is an error because it looks the same as a lost one:
//
//	an empty response  truncated
//	a byte range       range: the protocol has none
package nex

import (
	"context"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Scheme returns the scheme nex.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names: []string{"nex"}, Rules: uri.Rules{DefaultPort: port, Hierarchical: true}, Does: fetch.Does{Retrieves: true},
		Summary: "texts and directories of Nightfall Express", Spec: "nex://nightfall.city/nex/info/specification.txt",
		Help:     func() string { return "nex://host/path, nex://host/directory/\n\n" + string(outcomes) },
		Settings: []fetch.Setting{fetch.CharsetSetting("nex")},
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Plan:     plan,
	}
}

const port = 1900

const outcomes replies.Table = `an empty response  truncated
a byte range       range: the protocol has none
`

// A request is a parsed nex URI.
type request struct {
	Scheme string       `json:"scheme"`
	Addr   string       `json:"addr"`
	Path   fetch.Octets `json:"path"` // without the first slash, as in the specification's examples
}

func parse(u uri.URI) (*request, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	if _, query := u.Query(); query {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "nex URIs cannot have a query")
	}
	return &request{u.Scheme(), addr, fetch.Octets(strings.TrimPrefix(u.Path().Decode(), "/"))}, nil
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("nex", o); err != nil {
		return nil, err
	}
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	path := string(r.Path)
	p := &fetch.Plan{Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeDocument, Steps: []fetch.Step{{Args: []string{path}}}, Run: run}
	switch name := path[strings.LastIndexByte(path, '/')+1:]; {
	case name == "":
		p.Shape, p.Type = fetch.ShapeListing, "text/plain"
	case !strings.Contains(name, "."):
		p.Type = "text/plain"
	default:
		p.Type = mediatype.OfFile(name)
	}
	return p, nil
}

func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := lineproto.Send(ctx, p, env, fetch.RecordLines)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(p.Type, "text/") {
		c.Record(fetch.RecordOctets)
	}
	if _, err := c.Peek(1); err != nil {
		if err == io.EOF {
			err = fetch.Errorf(fetch.ErrTruncated, "the server closed the connection without a response")
		}
		return nil, err
	}
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason, d.End = p.Type, "the path", fetch.EndClosed
	if p.Shape == fetch.ShapeListing {
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
			return gemtext.Listing(d.Source().NewReader(r), p.URI, env, false)
		})
		d.UTF8Entries = true
	}
	return d, nil
}
