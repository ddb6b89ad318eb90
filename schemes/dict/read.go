package dict

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/dictstring"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// A request is a dict URI taken apart (RFC 2229 §5).
type request struct {
	Scheme   string         `json:"scheme"`
	Addr     string         `json:"-"`
	Host     string         `json:"host"`
	Port     int            `json:"port"`
	Command  string         `json:"command"` // DEFINE, MATCH, SHOW, HELP, STATUS
	Word     fetch.Octets   `json:"word"`
	Database fetch.Octets   `json:"database"`
	Strategy fetch.Octets   `json:"strategy"`
	N        int            `json:"n"` // 0 is all
	Sequence []fetch.Octets `json:"sequence"`

	args []string // of the command, as sent
}

// read takes u apart at its colons, then undoes the escapes: a colon within a word is escaped.
func read(u uri.URI) (*request, error) {
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

// fields reads what follows the command's letter.
func (r *request) fields(command string, f []string) error {
	switch command {
	case "d", "define", "lookup":
		r.Command = "DEFINE"
		return r.search(f, false)
	case "m", "match", "find":
		r.Command = "MATCH"
		return r.search(f, true)
	case "":
		r.Command, r.args = "SHOW", []string{"DB"}
	case "show":
		return r.show(f)
	case "help", "status":
		r.Command = strings.ToUpper(command)
	default:
		return fetch.Errorf(fetch.ErrRefusedURL, "a dict URI begins with d:, m:, show:, help or status, not %q", command)
	}
	if len(f) > 0 {
		return fetch.Errorf(fetch.ErrRefusedURL, "nothing follows %s", command)
	}
	return nil
}

// search reads word:database:strategy:n, without the strategy for DEFINE.
func (r *request) search(f []string, strategy bool) error {
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
	n, ok := reading.Digits(string(field("0")))
	if r.N = n; !ok || len(f) > 0 {
		return fetch.Errorf(fetch.ErrRefusedURL, "what follows the database and strategy is one number")
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
		return fetch.Errorf(fetch.ErrRefusedURL, "a server shows db, strat, server and info:DATABASE")
	}
	return nil
}

// step is the command.
func (r *request) step() fetch.Step {
	s := fetch.Step{Verb: r.Command}
	for _, a := range r.args {
		s.Args = append(s.Args, dictstring.Quote(a))
	}
	if r.Command == "DEFINE" || r.Command == "MATCH" {
		s.Args = append(s.Args, dictstring.Quote(string(r.Word)))
	}
	return s
}
