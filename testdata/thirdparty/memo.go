// Package memo dereferences memo URIs. The protocol is made up; it has what many have, a status line, redirects and errors:
//
//	memo://h/notes/today    C: GET /notes/today
//	                        S: 20 text/plain
//	                        S: Water the plants.
//
// The close ends the document. The status line has a code and a text:
//
//	20  the document, of the media type in the text
//	30  redirect to the URI in the text
//	40  notfound: there is no such memo
//	50  unavailable: the server cannot answer now
package memo

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const port = 7890

// Scheme returns the scheme memo.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"memo"},
		Rules:      uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		MayReferTo: []string{"memo"},
		Summary:    "memos",
		Spec:       "the package comment",
		Help:       func() string { return "memo://host/path\n\n20 document, 30 redirect, 40 notfound, 50 unavailable\n" },
		Read:       func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Plan:       plan,
	}
}

// A request is a parsed memo URI.
type request struct {
	Addr string `json:"addr"`
	Path string `json:"path"` // decoded
}

func parse(u uri.URI) (*request, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	if _, has := u.Query(); has {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "memo URIs cannot have a query")
	}
	path := u.Path().Decode()
	if path == "" {
		path = "/"
	}
	return &request{addr, path}, nil
}

// plan puts the decoded path into an argument of the step, where the Client refuses CR, LF and NUL.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("memo", o); err != nil {
		return nil, err
	}
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	return &fetch.Plan{
		Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeDocument, Run: run,
		Steps: []fetch.Step{{Verb: "GET", Args: []string{r.Path}}},
	}, nil
}

// run sends the step and reads the status line. One deadline holds for the line, and the document, which may be long, has its own.
func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	if err := c.Send(p.When("")...); err != nil {
		return nil, err
	}
	c.BeginReply()
	line, err := c.ReadLine()
	if err != nil {
		return nil, err
	}
	switch code, text, _ := strings.Cut(string(line), " "); code {
	case "20":
		c.BeginBody()
		d := fetch.NewDocument(c)
		d.Type, d.TypeReason, d.End = text, "the status line", fetch.EndClosed
		return d, nil
	case "30":
		to, err := uri.Parse(text)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrProtocol, "bad redirect: %w", err)
		}
		d := fetch.NewDocument(nil)
		d.Referrals = []fetch.Referral{{URI: p.URI.Resolve(to), Reason: "30 redirect"}}
		return d, nil
	case "40":
		return nil, fetch.Errorf(fetch.ErrNotFound, "the server returned %q", line)
	case "50":
		return nil, fetch.Errorf(fetch.ErrUnavailable, "the server returned %q", line)
	}
	return nil, fetch.Errorf(fetch.ErrProtocol, "bad status line: %q", line)
}
