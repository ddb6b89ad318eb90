// Package finger asks a host about its users: RFC 1288, with the URIs of draft-ietf-uri-url-finger-03.
//
// The client sends one line. The server returns text and closes the connection:
//
//	finger://h/alice          C: alice
//	finger://alice@h          S: Login: alice   Name: Alice Lab
//	                          S: Plan:
//	                          S: To build a lab.
//	finger://h/               C:                      who is logged in?
//	finger://h/%2FW%20alice   C: /W alice             the long form
//	finger://h/alice@other    C: alice@other          h would contact other: see finger.forward
//
// There are no status codes. The text decides what it means:
//
//	nothing, or blank lines only        truncated
//	"no such user" and nothing else     notfound
//	an incomplete line of that kind     truncated
//	anything else                       the document, up to the close
//	user@other, without finger.forward  denied
//	a byte range                        range: the protocol has none
//
// An empty answer is truncated because it looks the same as a lost one. The text is returned unchanged, in the server's character set and
// with its line ends.
package finger

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Scheme returns the scheme finger.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:    []string{"finger"},
		LineEnds: fetch.LineEnds{Replies: lineRule, Texts: lineRule},
		Rules:    uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:     fetch.Does{Retrieves: true},
		Searches: true,
		Summary:  "who somebody is, or who is there",
		Spec:     "RFC 1288, draft-ietf-uri-url-finger-03",
		Settings: settings(),
		Help: func() string {
			return "finger://host/user, finger://user@host or, for who is logged in, finger://host/\n\n" + string(answers)
		},
		Read: func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Plan: plan,
	}
}

const port = 79

// lineRule is the section about the form of what the server sends.
const lineRule = "RFC 1288 section 2.2"

const answers replies.Table = `nothing, or blank lines only        truncated
"no such user" and nothing else     notfound
an incomplete line of that kind     truncated
anything else                       the document, up to the close
user@other, without finger.forward  denied
a byte range                        range: the protocol has none
`

func settings() []fetch.Setting {
	return []fetch.Setting{
		{Key: forward, Help: "yes: let the server contact the hosts that follow an @ in the user's name"},
		{Key: long, Help: "yes: request the long form (/W)"},
		fetch.CharsetSetting("finger"),
	}
}

const (
	forward = "finger.forward"
	long    = "finger.long"
)

// A request is a parsed finger URI.
type request struct {
	Scheme  string       `json:"scheme"`
	Addr    string       `json:"-"`
	Host    string       `json:"host"`
	Port    int          `json:"port"`
	Query   fetch.Octets `json:"query"` // RFC 1288 section 2.3: {Q1} or {Q2}, without its CRLF
	Request fetch.Octets `json:"request"`
}

// parse parses u. The path is the query; user@host, as lynx writes it, has the query before the host.
func parse(u uri.URI) (*request, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	query := strings.TrimPrefix(u.Path().Decode(), "/")
	if user, _, _ := u.User(); user != "" {
		if query != "" {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "a finger URI names one user, before the host or in the path")
		}
		query = user
	}
	if _, has := u.Query(); has {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "finger URIs cannot have a query")
	}
	r := &request{Scheme: u.Scheme(), Addr: addr, Host: u.Hostname(), Port: u.PortNumber(port), Query: fetch.Octets(query)}
	r.Request = r.Query + "\r\n"
	return r, nil
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("finger", o); err != nil {
		return nil, err
	}
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	line := strings.TrimLeft(strings.Join(append([]string{string(r.Query)}, o.Search...), " "), " ")
	if strings.Contains(line, "@") && o.Get(forward) != "yes" {
		return nil, &fetch.Error{Kind: fetch.ErrDenied, Text: "query names another host, which the server would contact",
			Hint: hint.Set + " finger.forward=yes"}
	}
	if o.Get(long) == "yes" && !strings.HasPrefix(line, "/W") {
		line = strings.TrimRight("/W "+line, " ")
	}
	return &fetch.Plan{
		Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeDocument, Type: "text/plain",
		Steps: []fetch.Step{{Args: []string{line}}}, Run: run,
	}, nil
}

// run sends the line. The answer is the document, unless all of it is an error message.
func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := lineproto.Send(ctx, p, env, fetch.RecordLines)
	if err != nil {
		return nil, err
	}
	head, whole, err := lineproto.Head(c, headLen, mayFail)
	if err != nil {
		return nil, err
	}
	if whole {
		if err := failure(string(head)); err != nil {
			return nil, err
		}
	}
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason, d.End = p.Type, "finger gives text", fetch.EndClosed
	return d, nil
}

// headLen is how much run reads before the document begins. Error messages are shorter.
const headLen = 512

// failure parses the error message of a complete answer. It returns nil if the answer is a document.
//
// QUIRK: finger 0.17, which Debian's fingerd runs, says "finger: NAME: no such user."; efingerd 1.6.7 "No such user: NAME" (seen).
func failure(answer string) error {
	line := strings.TrimSpace(answer)
	if line == "" {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection without an answer")
	}
	lower, complete := strings.ToLower(line), strings.HasSuffix(answer, "\n")
	switch {
	case !mayFail([]byte(line)):
		return nil
	case !complete:
		return fetch.Errorf(fetch.ErrTruncated, "the first line of the answer is incomplete: %s", line)
	case strings.Contains(lower, "no such user"):
		return fetch.Errorf(fetch.ErrNotFound, "the server returned: %s", line)
	}
	return nil
}

// mayFail reports whether an answer that begins with head may be an error message.
func mayFail(head []byte) bool {
	line := strings.ToLower(strings.TrimSpace(string(head)))
	return !strings.Contains(line, "\n") && (mayBegin(line, "finger: ") || mayBegin(line, "no such user"))
}

// mayBegin reports whether s begins with prefix, or would if it continued.
func mayBegin(s, prefix string) bool {
	return strings.HasPrefix(s, prefix) || strings.HasPrefix(prefix, s)
}
