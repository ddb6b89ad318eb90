package prospero

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const (
	ifContents  = "the only method that can be used is PROSPERO-CONTENTS"
	ifDirectory = "there is no ACCESS-METHOD, or FAILURE NOT-FOUND" // some servers answer so for directories
)

// Plan asks for the methods of access. Each of its conditions is a message of its own, with the same opening lines.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u, o.Mode)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return nil, fetch.Errorf(fetch.ErrUnsupported, "prospero has no operation %q", o.Op)
	case len(o.Search) > 0:
		return nil, fetch.Errorf(fetch.ErrUnsupported, "a prospero object has no search")
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	return &fetch.Plan{
		Network: "udp", Addr: addr, TLS: fetch.NoTLS, Shape: fetch.ShapeReferral,
		Steps: append(opening(), r.request(o.Op)...),
	}, nil
}

// opening are the lines that every message begins with.
func opening() []fetch.Step {
	return []fetch.Step{{Verb: "VERSION", Args: []string{"5"}}, {Verb: "AUTHENTICATE", Args: []string{"''", "UNAUTHENTICATED", "guest"}}}
}

// request asks for SIZE together with ACCESS-METHOD, since servers answer NOT-FOUND to the latter alone.
func (r *parts) request(op fetch.Op) []fetch.Step {
	name := string(r.HSOName)
	list := append(r.selects(), fetch.Step{Verb: "GET-OBJECT-INFO", Args: []string{"ACCESS-METHOD+SIZE", "ASCII", r.versionArg()}, Data: name})
	if op == fetch.Metadata {
		list[len(list)-1].Args[0] = "#ALL"
		return list
	}
	return append(list,
		fetch.Step{Verb: "GET-OBJECT-INFO", Args: []string{"CONTENTS", "ASCII", r.versionArg()}, Data: name, If: ifContents},
		fetch.Step{Verb: "DIRECTORY", Args: []string{"ASCII"}, Data: name, If: ifDirectory},
		fetch.Step{Verb: "LIST", Args: []string{"ATTRIBUTES", "COMPONENTS"}, If: ifDirectory},
	)
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

// selects turns the identifying field REMOTE into the line that picks one of several objects of a name; other fields are compared
// by the reader of the reply, not sent.
func (r *parts) selects() []fetch.Step {
	id, ok := r.Fields["REMOTE"]
	if !ok {
		return nil
	}
	return []fetch.Step{{Verb: "SELECT", Args: []string{"OBJECT", "FIELD", "ID", "REMOTE"}, Data: string(id)}}
}

// command is the request as one line, for people: without its opening.
func (r *parts) command() string {
	return "GET-OBJECT-INFO ACCESS-METHOD+SIZE ASCII " + quote(string(r.HSOName)) + " " + r.versionArg()
}

// quote writes a token of the request language: quoted where it is void or holds more than letters, digits and -_.:/+#*().
func quote(token string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.:/+#*()", c)
	}
	if token != "" && strings.IndexFunc(token, func(c rune) bool { return !plain(c) }) < 0 {
		return token
	}
	return "'" + strings.ReplaceAll(token, "'", "''") + "'"
}
