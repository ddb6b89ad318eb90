// Package cso queries CCSO nameservers (RFC 2378), the phone books that items of gopher type 2 refer to.
//
// There is no specification of such URIs. These are the ones that gopher menus result in, with the query in the path:
//
//	cso://h/alice%20lab       C: query alice lab
//	                          C: quit
//	                          S: 102:There was 1 match to your request.
//	                          S: -200:1:   alias: a-lab
//	                          S: -200:1:    name: alice lab
//	                          S: 200:Ok.
//	cso://h/name=al*%20return%20email%20phone
//	cso://h/                  C: fields               the fields of entries, unless Options.Search has words
//
// The document is the response without its codes, with an empty line between persons. Each person is an Entry. The last reply, and any
// earlier one that belongs to no entry, decide the result:
//
//	200                       the document; truncated without it
//	4xx                       unavailable
//	501, 507, 508             notfound: no match, no field
//	506                       auth: a login is required, which is not supported
//	513, 514, 598, 599        unsupported: unknown command, syntax
//	other 5xx                 refused
//	4xx or 5xx after entries  transfer
//	another, or none          protocol
//	a byte range              range: the protocol has none
package cso

import (
	"context"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Scheme returns the scheme cso.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:    []string{"cso"},
		Rules:    uri.Rules{DefaultPort: port},
		Does:     fetch.Does{Retrieves: true},
		Searches: true,
		Summary:  "phone books of CCSO nameservers",
		Spec:     "RFC 2378",
		LineEnds: fetch.LineEnds{Replies: lineRule, Texts: lineRule},
		Help:     func() string { return help + string(outcomes) },
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Plan:     plan,
	}
}

const port = 105

// lineRule is the section about the form of responses.
const lineRule = "RFC 2378 section 2.2"

const help = `cso://host/QUERY, for example name=al*%20return%20email; cso://host/ lists the fields.

`

const outcomes replies.Table = `200                       the document; truncated without it
4xx                       unavailable
501, 507, 508             notfound: no match, no field
506                       auth: a login is required, which is not supported
513, 514, 598, 599        unsupported: unknown command, syntax
other 5xx                 refused
4xx or 5xx after entries  transfer
another, or none          protocol
a byte range              range: the protocol has none
`

// A request is a parsed cso URI.
type request struct {
	Scheme  string       `json:"scheme"`
	Addr    string       `json:"-"`
	Host    string       `json:"host"`
	Port    int          `json:"port"`
	Query   fetch.Octets `json:"query"`
	Request fetch.Octets `json:"request"`
}

// parse parses u. The words of the URI's query follow those of the path.
func parse(u uri.URI) (*request, error) {
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	query := strings.TrimPrefix(u.Path().Decode(), "/")
	if words, has := u.Query(); has {
		query += " " + strings.Join(words.Words(), " ")
	}
	r := &request{Scheme: u.Scheme(), Addr: addr, Host: u.Hostname(), Port: u.PortNumber(port)}
	r.Query = fetch.Octets(strings.Trim(query, " "))
	r.Request = fetch.Octets(r.step().Line() + "\r\n")
	return r, nil
}

func (r *request) step() fetch.Step {
	if r.Query == "" {
		return fetch.Step{Verb: "fields"}
	}
	return fetch.Step{Verb: "query", Args: []string{string(r.Query)}}
}

// plan sends one command, and quit.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("cso", o); err != nil {
		return nil, err
	}
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	r.Query = fetch.Octets(strings.Trim(strings.Join(append([]string{string(r.Query)}, o.Search...), " "), " "))
	return &fetch.Plan{
		Network: "tcp", Addr: r.Addr, Shape: fetch.ShapeSearch, Type: "text/plain",
		Steps: []fetch.Step{r.step(), {Verb: "quit"}}, Run: run,
	}, nil
}

// run sends both commands in one write and waits for the first line that belongs to an entry.
func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := lineproto.Send(ctx, p, env, fetch.RecordTexts)
	if err != nil {
		return nil, err
	}
	c.BeginReply()
	text := pieces.NewReader((&body{conn: c, env: env}).next)
	if err := text.Fill(); err != nil && err != io.EOF {
		return nil, err
	}
	d := fetch.NewDocument(fetch.NewBody(text, c.Close))
	d.Type, d.TypeReason, d.End = p.Type, "cso sends text", fetch.EndTerminated
	d.ListWith(lister{p.URI, env.Limits().Reply, p.Steps[0].Verb == "fields"}.entries)
	return d, nil
}

// A body holds the lines of the entries.
type body struct {
	conn  *fetch.Conn
	env   *fetch.Env
	entry int // the number of the last line's entry
	line  []byte
	over  bool
}

// next returns the next line that belongs to an entry. The lines that it skips are limited like a reply.
func (b *body) next() ([]byte, error) {
	b.conn.BeginPart()
	for !b.over {
		line, err := b.conn.ReadLine()
		if err != nil {
			return nil, err
		}
		r, err := parseReply(string(line))
		switch {
		case err != nil:
			return nil, err
		case r.entry > 0 && r.code == 200:
			b.strict(r)
			b.set(r)
			return b.line, nil
		case r.code/100 == 1, r.entry > 0 && r.code/100 == 5: // the number of entries; a field that an entry does not have
		case r.code == 200 && r.more:
			return nil, fetch.Errorf(fetch.ErrProtocol, "line outside of an entry: %q", line)
		case r.code != 200:
			return nil, b.failure(r)
		default:
			b.over = !r.more
		}
	}
	return nil, io.EOF
}

// strict reports a line of an entry that is not in the order or form of the specification.
func (b *body) strict(r reply) {
	if r.entry != b.entry && r.entry != b.entry+1 {
		b.env.Deviates(lineRule, "an entry", "its number is not that of the entry before, or one more")
	}
	switch name, _, ok := strings.Cut(r.text, ":"); {
	case !ok:
		b.env.Deviates(lineRule, "a line of an entry", "no name of a field")
	case name == "" || name[0] != ' ' && name[0] != '\t':
		b.env.Deviates(lineRule, "a line of an entry", "no blank before the name of the field")
	}
}

func (b *body) set(r reply) {
	b.line = b.line[:0]
	if b.entry != 0 && b.entry != r.entry {
		b.line = append(b.line, "\r\n"...)
	}
	b.entry = r.entry
	b.line = append(append(b.line, r.text...), "\r\n"...)
}

// A reply is a line: -200:1:   alias: a-lab (RFC 2378 §2.2).
type reply struct {
	more  bool // other lines follow
	code  int
	entry int // its number, 0 if the line belongs to none
	text  string
}

func parseReply(line string) (r reply, err error) {
	rest, more := strings.CutPrefix(line, "-")
	code, text, ok := strings.Cut(rest, ":")
	if r.code, err = strconv.Atoi(code); err != nil || !ok || len(code) != 3 || r.code < 100 {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "not a reply line: %q", line)
	}
	r.more, r.text = more, text
	number, text, ok := strings.Cut(r.text, ":")
	if n, err := strconv.Atoi(strings.TrimSpace(number)); more && ok && err == nil && n > 0 {
		r.entry, r.text = n, text
	}
	return r, nil
}

// failure returns the error that an unexpected reply means.
func (b *body) failure(r reply) error {
	kind := outcomes.Fault(r.code)
	if b.entry > 0 && r.code/100 > 3 {
		kind = fetch.ErrTransfer
	}
	return fetch.Errorf(kind, "the server replied %d: %s", r.code, strings.TrimSpace(r.text))
}
