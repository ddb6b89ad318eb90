package dict

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A request is a parsed dict URI (RFC 2229 §5), with the words of Options.Search.
type request struct {
	Scheme   string         `json:"scheme"`
	Addr     string         `json:"-"`
	Host     string         `json:"host"`
	Port     int            `json:"port"`
	Command  string         `json:"command"` // DEFINE, MATCH, SHOW, HELP, STATUS
	Word     fetch.Octets   `json:"word"`
	Database fetch.Octets   `json:"database"`
	Strategy fetch.Octets   `json:"strategy"`
	N        int            `json:"n"` // of a definition or match, 0 means all
	Sequence []fetch.Octets `json:"sequence"`

	args []string // of the command, as sent
}

// parse splits u at its colons, then undoes the escapes: a colon within a word is escaped.
func parse(u uri.URI) (*request, error) {
	r := &request{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(port)}
	var err error
	if r.Addr, err = u.HostPort(port); err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	path := strings.TrimPrefix(string(u.Path()), "/")
	if q, has := u.Query(); has { // a word may end in a question mark
		path += "?" + string(q)
	}
	f := strings.Split(path, ":")
	for i := range f {
		f[i] = uri.Escaped(f[i]).Decode()
	}
	if err := r.fields(strings.ToLower(f[0]), f[1:]); err != nil {
		return nil, err
	}
	r.Sequence = []fetch.Octets{fetch.Octets(r.step().Line())}
	return r, nil
}

// fields parses the fields after the command's letter.
func (r *request) fields(command string, f []string) error {
	switch command {
	case "d", "define", "lookup":
		r.Command = "DEFINE"
		return r.words(f, false)
	case "m", "match", "find":
		r.Command = "MATCH"
		return r.words(f, true)
	case "":
		r.Command, r.args = "SHOW", []string{"DB"}
	case "show":
		return r.show(f)
	case "help", "status":
		r.Command = strings.ToUpper(command)
	default:
		return fetch.Errorf(fetch.ErrRefusedURL, "the path must begin with d:, m:, show:, help or status, not %q", command)
	}
	if len(f) > 0 {
		return fetch.Errorf(fetch.ErrRefusedURL, "%s cannot have arguments", command)
	}
	return nil
}

// words parses word:database:strategy:n. DEFINE has no strategy.
func (r *request) words(f []string, strategy bool) error {
	field := func(def string) fetch.Octets {
		s := def
		if len(f) > 0 && f[0] != "" {
			s = f[0]
		}
		f = f[min(1, len(f)):]
		return fetch.Octets(s)
	}
	r.Word, r.Database = field(""), field("!")
	r.args = []string{string(r.Database)}
	if strategy {
		r.Strategy = field(".")
		r.args = append(r.args, string(r.Strategy))
	}
	n, ok := urifield.Digits(string(field("0")))
	if r.N = n; !ok || len(f) > 0 {
		return fetch.Errorf(fetch.ErrRefusedURL, "the last field of the path is not a number")
	}
	return nil
}

func (r *request) show(f []string) error {
	r.Command = "SHOW"
	what := strings.ToUpper(strings.Join(f, ":"))
	switch {
	case len(f) == 1 && strings.Contains(" DB DATABASES STRAT STRATEGIES SERVER ", " "+what+" "):
		r.args = []string{what}
	case len(f) == 2 && strings.EqualFold(f[0], "info") && f[1] != "":
		r.Database = fetch.Octets(f[1])
		r.args = []string{"INFO", f[1]}
	default:
		return fetch.Errorf(fetch.ErrRefusedURL, "show: must be followed by db, strat, server or info:DATABASE")
	}
	return nil
}

// step returns the command.
func (r *request) step() fetch.Step {
	s := fetch.Step{Verb: r.Command}
	for _, a := range r.args {
		s.Args = append(s.Args, lineproto.QuoteString(a))
	}
	if r.Command == "DEFINE" || r.Command == "MATCH" {
		s.Args = append(s.Args, lineproto.QuoteString(string(r.Word)))
	}
	return s
}

// authStep is the verb of the step that needs the greeting.
const authStep = "AUTH"

// plan sends the command between CLIENT and QUIT.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if err := fetch.CheckWhole("dict", o); err != nil {
		return nil, err
	}
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	r.search(o.Search)
	if r.Command == "DEFINE" || r.Command == "MATCH" {
		if r.Word == "" {
			return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "no word to look up", Hint: hint.Search}
		}
	}
	p := &fetch.Plan{Network: "tcp", Addr: r.Addr, Shape: r.shape(), Type: "text/plain; charset=utf-8", Run: r.run} // RFC 2229 §2.1
	p.Steps = []fetch.Step{{Verb: "CLIENT", Args: []string{"deref"}}}
	if name := loginName(o.Login); name != "" {
		p.Steps = append(p.Steps, fetch.Step{Verb: authStep, Args: []string{lineproto.QuoteString(name), "<digest>"}, Secret: true})
	}
	p.Steps = append(p.Steps, r.step(), fetch.Step{Verb: "QUIT"})
	return p, nil
}

// grammar requires that each argument is one string, an atom or quoted (RFC 2229 section 2.2).
func grammar(s *fetch.Step) error {
	for _, a := range s.Args {
		if one, rest := lineproto.CutString(a); rest != "" || lineproto.QuoteString(one) != a {
			return errors.New("an argument of " + s.Verb + " is not one string")
		}
	}
	return nil
}

// search replaces the URI's word by the words of Options. A URI without a word becomes a request for definitions.
func (r *request) search(words []string) {
	if len(words) == 0 {
		return
	}
	if r.Command != "MATCH" && r.Command != "DEFINE" {
		r.Command, r.Database, r.args = "DEFINE", "!", []string{"!"}
	}
	r.Word = fetch.Octets(strings.Join(words, " "))
}

func (r *request) shape() fetch.Shape {
	switch {
	case r.Command == "MATCH", r.Command == "DEFINE":
		return fetch.ShapeSearch
	case r.lists():
		return fetch.ShapeListing
	}
	return fetch.ShapeDocument
}

// lists reports whether each line of the response is a name and a description.
func (r *request) lists() bool {
	return r.Command == "SHOW" && (strings.HasPrefix(r.args[0], "D") || strings.HasPrefix(r.args[0], "STRAT"))
}

// loginName returns the user without the ";" and kind of authentication that may follow (RFC 2229 §5), "" if there is no login.
func loginName(l fetch.Login) string {
	if l.Password == "" {
		return ""
	}
	name, _, _ := strings.Cut(l.User, ";")
	return name
}
