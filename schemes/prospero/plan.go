package prospero

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/internal/wire"
	"example.org/deref/uri"
)

const (
	ifContents  = "the only method that can be used is PROSPERO-CONTENTS"
	ifDirectory = "UNIX-MODES or NONE-FOUND marks a directory, there is no ACCESS-METHOD, or FAILURE NOT-FOUND" // some servers answer so for directories
)

// Plan asks for the methods of access. Each of its conditions is a message of its own, with the same opening lines.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u, o.Mode)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return nil, fetch.NoOperation("prospero", o.Op)
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{
		Network: "udp", Addr: addr, TLS: fetch.NoTLS, Shape: fetch.ShapeReferral,
		Steps: append(opening(), r.request(o.Op)...),
	}
	if r.direct() && o.Op == fetch.Retrieve {
		p.Shape = fetch.ShapeDocument
	}
	return p, nil
}

// grammar is what a line holds besides its quoted Data: words with single blanks between.
func grammar(s *fetch.Step) error {
	for _, word := range append(s.Args[:len(s.Args):len(s.Args)], s.Tail...) {
		if word != "''" && wire.Quote(word) != word {
			return errors.New("an argument of " + s.Verb + " is not a word")
		}
	}
	return nil
}

// direct reports whether the URI itself picks the server's own method of access, by the field that a referral of ours adds.
func (r *parts) direct() bool { return strings.EqualFold(string(r.Fields[fieldMethod]), contents) }

const fieldMethod = "ACCESS-METHOD"

// opening are the lines that every message begins with.
func opening() []fetch.Step {
	return []fetch.Step{{Verb: "VERSION", Args: []string{"5"}}, {Verb: "AUTHENTICATE", Args: []string{"''", "UNAUTHENTICATED", "guest"}}}
}

// wanted are the attributes that tell how an object is reached.
//
// QUIRK: dirsrv PreAlpha.5.3 answers NOT-FOUND to ACCESS-METHOD alone for some objects, and to ACCESS-METHOD+SIZE it gives the methods of
// a file for a directory too, none of which works. Together with UNIX-MODES it omits them (trace goi-directory).
const wanted = "ACCESS-METHOD+SIZE+UNIX-MODES"

// request returns the messages after the opening: what is wanted, then the object itself or its links.
func (r *parts) request(op fetch.Op) []fetch.Step {
	if op == fetch.Metadata {
		return r.info("#ALL", "")
	}
	if r.direct() {
		return r.info("CONTENTS", "")
	}
	list := append(r.info(wanted, ""), r.info("CONTENTS", ifContents)...)
	return append(list,
		fetch.Step{Verb: "DIRECTORY", Args: []string{"ASCII"}, Data: string(r.HSOName), If: ifDirectory},
		fetch.Step{Verb: "LIST", Args: []string{"ATTRIBUTES", "COMPONENTS"}, If: ifDirectory},
	)
}

// info asks for attributes. The identifying field REMOTE makes a line below that picks one of several objects of a name; other
// fields are compared by people, not sent.
func (r *parts) info(attributes, cond string) []fetch.Step {
	list := []fetch.Step{{Verb: "GET-OBJECT-INFO", Args: []string{attributes, "ASCII"}, Data: string(r.HSOName), Tail: []string{r.versionArg()}, If: cond}}
	if id, ok := r.Fields["REMOTE"]; ok {
		list = append(list, fetch.Step{Verb: "SELECT", Args: []string{"OBJECT", "FIELD", "ID", "REMOTE"}, Data: string(id), If: cond})
	}
	return list
}

// versionArg is the last argument of GET-OBJECT-INFO; 0 is the current version.
func (r *parts) versionArg() string {
	if r.Version != nil && *r.Version != "" {
		return string(*r.Version)
	}
	if v := string(r.Fields["OBJECT-VERSION"]); v != "" && strings.Trim(v, "0123456789") == "" {
		return v
	}
	return "0"
}

// command is the request as one line, for people: without its opening.
func (r *parts) command() string {
	return "GET-OBJECT-INFO " + wanted + " ASCII " + wire.Quote(string(r.HSOName)) + " " + r.versionArg()
}

// message writes steps as lines: a step's Data stands quoted.
func message(steps []fetch.Step) []byte {
	var b []byte
	for _, s := range steps {
		words := append([]string{s.Verb}, s.Args...)
		if s.Data != "" {
			words = append(words, wire.Quote(s.Data))
		}
		b = append(append(b, strings.Join(append(words, s.Tail...), " ")...), '\n')
	}
	return b
}
