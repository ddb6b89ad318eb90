package wais

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// Kinds of objects that a URI names.
const (
	whatDatabase = "database"
	whatSearch   = "search"
	whatDocument = "document"
)

// A request is a parsed wais URI, with what the options add to it.
type request struct {
	Scheme   string        `json:"scheme"`
	Host     string        `json:"host"`
	Port     int           `json:"port"`
	What     string        `json:"what"`
	Database fetch.Octets  `json:"database"`
	Search   *fetch.Octets `json:"search"` // the decoded words, separated by blanks
	WType    *fetch.Octets `json:"wtype"`
	Length   *int          `json:"length"`
	WPath    *fetch.Octets `json:"wpath"` // decoded
	Fields   []field       `json:"fields"`
	Form     docForm       `json:"docid_form,omitempty"` // how wpath encodes the DocID
	DocID    fetch.Octets  `json:"docid,omitempty"`      // as sent to the server

	chunk    int   // bytes to request at once
	from, to int64 // the bytes to return; to is 0 if the end is unknown
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := parse(u, m)
	if err != nil {
		return nil, err
	}
	urifield.Map(m.Text, &r.Database)
	urifield.MapOpt(m.Text, &r.Search, &r.WType, &r.WPath)
	for i := range r.Fields {
		urifield.Map(m.Text, &r.Fields[i].value)
	}
	return *r, nil
}

// parse splits the raw path, so that escaped characters are data, never delimiters.
func parse(u uri.URI, m uri.Mode) (*request, error) {
	r := &request{Scheme: "wais", Host: u.Hostname(), Port: u.PortNumber(port), What: whatDatabase, Fields: []field{}}
	if r.Host == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "host missing in a wais URI")
	}
	path := strings.TrimPrefix(string(u.Path()), "/")
	database, rest, isDoc := cutDocument(path)
	search, isSearch := u.Query()
	if isSearch || !isDoc {
		database, isDoc = strings.TrimSuffix(path, "/"), false
	}
	r.Database = fetch.Octets(uri.Escaped(database).Decode())
	if err := checkDatabase(string(r.Database)); err != nil {
		return nil, err
	}
	switch {
	case isSearch:
		r.What, r.Search = whatSearch, urifield.Opt(fetch.Octets(strings.Join(search.Words(), " ")), true)
	case isDoc:
		r.What = whatDocument
		return r, r.document(rest, m)
	}
	return r, nil
}

// cutDocument splits database/type/wpath. One or two elements are a database: its name may contain a slash, and a document has both type and
// path.
func cutDocument(path string) (database, rest string, ok bool) {
	database, rest, ok = strings.Cut(path, "/")
	if wtype, wpath, has := strings.Cut(rest, "/"); !ok || !has || wtype == "" || wpath == "" {
		return path, "", false
	}
	return database, rest, true
}

// maxDatabase limits a name because servers use it as the path of an index.
const maxDatabase = 1024

// checkDatabase returns an error unless name is a database. freeWAIS servers forward a name with "@host" to that host, and treat 0x1F as a
// separator of names.
func checkDatabase(name string) error {
	switch {
	case name == "":
		return fetch.Errorf(fetch.ErrRefusedURL, "database missing in a wais URI")
	case len(name) > maxDatabase:
		return fetch.Errorf(fetch.ErrRefusedURL, "the database's name is longer than %d bytes", maxDatabase)
	case strings.Contains(name, "@"):
		return fetch.Errorf(fetch.ErrRefusedURL, "the database's name contains @HOST, which the server would contact")
	case strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return fetch.Errorf(fetch.ErrRefusedURL, "control character in the database's name")
	}
	return nil
}

// document parses wtype "/" [digits "/"] wpath.
func (r *request) document(rest string, m uri.Mode) error {
	wtype, wpath, _ := strings.Cut(rest, "/")
	r.WType = urifield.Opt(fetch.Octets(uri.Escaped(wtype).Decode()), true)
	if length, path, ok := cutLength(wpath, m); ok {
		r.Length, wpath = &length, path
	} else if m == uri.URL6 {
		return fetch.Errorf(fetch.ErrRefusedURL, "the draft of July 1993 requires a document's length before its path")
	}
	r.WPath = urifield.Opt(fetch.Octets(uri.Escaped(wpath).Decode()), true)
	return r.docID(wpath)
}

// cutLength splits off the digits element. Only url6 has it, but libwww and Lynx always write it before a DocID of tokens.
func cutLength(wpath string, m uri.Mode) (int, string, bool) {
	first, path, ok := strings.Cut(wpath, "/")
	n, isNumber := urifield.Digits(first)
	if !ok || !isNumber || path == "" || m != uri.URL6 && !isTokens(path) {
		return 0, wpath, false
	}
	return n, path, true
}
