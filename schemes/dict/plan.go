package dict

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/dictstring"
	"example.org/deref/uri"
)

// authStep is the verb of the step that only the greeting completes.
const authStep = "AUTH"

// Plan is the command between CLIENT and QUIT.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve:
		return nil, fetch.NoOperation("dict", o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "dict has no parts of documents")
	}
	r, err := read(u)
	if err != nil {
		return nil, err
	}
	r.ask(o.Search)
	if r.Command == "DEFINE" || r.Command == "MATCH" {
		if r.Word == "" {
			return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "there is no word to look for", Hint: "--search WORDS names it"}
		}
	}
	p := &fetch.Plan{Network: "tcp", Addr: r.Addr, Shape: r.shape(), Type: "text/plain; charset=utf-8"} // RFC 2229 §2.1
	p.Steps = []fetch.Step{{Verb: "CLIENT", Args: []string{"deref"}}}
	if name := loginName(o.Login); name != "" {
		p.Steps = append(p.Steps, fetch.Step{Verb: authStep, Args: []string{dictstring.Quote(name), "<digest>"}, Secret: true})
	}
	p.Steps = append(p.Steps, r.step(), fetch.Step{Verb: "QUIT"})
	return p, nil
}

// grammar is what a command holds: each argument is one string, an atom or quoted (RFC 2229 section 2.2).
func grammar(s *fetch.Step) error {
	for _, a := range s.Args {
		if one, rest := dictstring.Cut(a); rest != "" || dictstring.Quote(one) != a {
			return errors.New("an argument of " + s.Verb + " is not one string")
		}
	}
	return nil
}

// ask puts the words of Options in place of the URI's; what names no command is then to be defined.
func (r *request) ask(words []string) {
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

// lists reports whether the lines of the answer are a name and a description each.
func (r *request) lists() bool {
	return r.Command == "SHOW" && (strings.HasPrefix(r.args[0], "D") || strings.HasPrefix(r.args[0], "STRAT"))
}

// loginName is the user without ";" and the kind of authentication that may follow (RFC 2229 §5).
func loginName(l fetch.Login) string {
	if l.Password == "" {
		return ""
	}
	name, _, _ := strings.Cut(l.User, ";")
	return name
}
