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

// plan requests the access methods. Each of its conditions is a message of its own, with the same opening lines.
func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if err := r.identified(); err != nil {
		return nil, err
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{
		Network: "udp", Addr: addr, TLS: fetch.NoTLS, Shape: fetch.ShapeReferral,
		Steps: append(opening(), r.steps(o.Op)...), Run: r.run,
	}
	switch {
	case len(r.Attributes) > 0:
		p.Shape, p.Type = fetch.ShapeDocument, "text/plain"
	case r.direct() && o.Op == fetch.Retrieve:
		p.Shape = fetch.ShapeDocument
	}
	return p, nil
}

// grammar requires that the arguments are words. Only Data is quoted.
func grammar(s *fetch.Step) error {
	for _, word := range append(s.Args[:len(s.Args):len(s.Args)], s.Tail...) {
		if word != "''" && wire.Quote(word) != word {
			return errors.New("an argument of " + s.Verb + " is not a word")
		}
	}
	return nil
}

// direct reports whether the URI selects the server's own access method, by the field that our referrals add.
func (r *request) direct() bool { return strings.EqualFold(string(r.Fields[fieldMethod]), contents) }

// The fields that are sent.
const (
	fieldMethod  = "ACCESS-METHOD"
	fieldRemote  = "REMOTE"
	fieldVersion = "OBJECT-VERSION"
)

// opening returns the first lines of every message.
func opening() []fetch.Step {
	return []fetch.Step{{Verb: "VERSION", Args: []string{"5"}}, {Verb: "AUTHENTICATE", Args: []string{"''", "UNAUTHENTICATED", "guest"}}}
}

// wanted are the attributes for access to an object.
//
// QUIRK: dirsrv PreAlpha.5.3 replies NOT-FOUND to ACCESS-METHOD alone for some objects. To ACCESS-METHOD+SIZE it returns methods for a directory
// that do not work, but not together with UNIX-MODES (trace goi-directory).
const wanted = "ACCESS-METHOD+SIZE+UNIX-MODES"

// steps returns the steps after the opening: the attributes of the URI, or those for access, then the object itself or its links.
func (r *request) steps(op fetch.Op) []fetch.Step {
	if len(r.Attributes) > 0 {
		return r.info(r.attributes(), "")
	}
	if op == fetch.Metadata {
		return r.info("#ALL", "")
	}
	if r.direct() {
		return r.info("CONTENTS", "")
	}
	list := append(r.info(r.attributes(), ""), r.info("CONTENTS", ifContents)...)
	return append(list,
		fetch.Step{Verb: "DIRECTORY", Args: []string{"ASCII"}, Data: string(r.HSOName), If: ifDirectory},
		fetch.Step{Verb: "LIST", Args: []string{"ATTRIBUTES", "COMPONENTS"}, If: ifDirectory},
	)
}

// attributes returns the argument of GET-OBJECT-INFO for the attributes of the URI, or for access.
func (r *request) attributes() string {
	if len(r.Attributes) == 0 {
		return wanted
	}
	list := string(r.Attributes[0])
	for _, a := range r.Attributes[1:] {
		list += "+" + string(a)
	}
	return list
}

// info requests attributes. The field REMOTE becomes a second line that selects one of several objects of a name.
func (r *request) info(attributes, cond string) []fetch.Step {
	list := []fetch.Step{{Verb: "GET-OBJECT-INFO", Args: []string{attributes, "ASCII"}, Data: string(r.HSOName), Tail: []string{r.versionArg()}, If: cond}}
	if id, ok := r.Fields[fieldRemote]; ok {
		list = append(list, fetch.Step{Verb: "SELECT", Args: []string{"OBJECT", "FIELD", "ID", "REMOTE"}, Data: string(id), If: cond})
	}
	return list
}

// versionArg returns the last argument of GET-OBJECT-INFO; 0 is the current version.
func (r *request) versionArg() string {
	if r.Version != nil && *r.Version != "" {
		return string(*r.Version)
	}
	if v := string(r.Fields[fieldVersion]); v != "" && strings.Trim(v, "0123456789") == "" {
		return v
	}
	return "0"
}

// message writes steps as lines, with Data quoted.
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
