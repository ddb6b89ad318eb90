package wais

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// What a URI names.
const (
	whatDatabase = "database"
	whatSearch   = "search"
	whatDocument = "document"
)

// parts is what a wais URI says.
type parts struct {
	Scheme   string        `json:"scheme"`
	Host     string        `json:"host"`
	Port     int           `json:"port"`
	What     string        `json:"what"`
	Database fetch.Octets  `json:"database"`
	Search   *fetch.Octets `json:"search"` // the words, decoded, blanks between them (D21)
	WType    *fetch.Octets `json:"wtype"`
	Length   *int          `json:"length"`
	WPath    *fetch.Octets `json:"wpath"` // decoded
	Fields   []field       `json:"fields"`
	Form     docForm       `json:"docid_form,omitempty"` // how wpath stands for the DocID
	DocID    fetch.Octets  `json:"docid,omitempty"`      // as the server is given it
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := readingOf(u, m)
	if err != nil {
		return nil, err
	}
	reading.Map(m.Text, &r.Database)
	reading.MapOpt(m.Text, &r.Search, &r.WType, &r.WPath)
	for i := range r.Fields {
		reading.Map(m.Text, &r.Fields[i].value)
	}
	return r, nil
}

// readingOf takes a URI apart on the raw path: what is decoded is data, never a delimiter.
func readingOf(u uri.URI, m uri.Mode) (r parts, err error) {
	r = parts{Scheme: "wais", Host: u.Hostname(), Port: u.PortNumber(port), What: whatDatabase, Fields: []field{}}
	if r.Host == "" {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "a wais URI names a host")
	}
	path := strings.TrimPrefix(string(u.Path()), "/")
	database, rest, isDoc := cutDocument(path)
	search, isSearch := u.Query()
	if isSearch || !isDoc {
		database, isDoc = strings.TrimSuffix(path, "/"), false
	}
	r.Database = fetch.Octets(uri.Escaped(database).Decode())
	if err := checkDatabase(string(r.Database)); err != nil {
		return r, err
	}
	switch {
	case isSearch:
		r.What, r.Search = whatSearch, reading.Opt(fetch.Octets(strings.Join(search.Words(), " ")), true)
	case isDoc:
		r.What = whatDocument
		return r, r.document(rest, m)
	}
	return r, nil
}

// cutDocument splits database/type/wpath. One element is a database, and so are two: a database's name may hold a slash, and a
// document has both type and path.
func cutDocument(path string) (database, rest string, ok bool) {
	database, rest, ok = strings.Cut(path, "/")
	if wtype, wpath, has := strings.Cut(rest, "/"); !ok || !has || wtype == "" || wpath == "" {
		return path, "", false
	}
	return database, rest, true
}

// maxDatabase is the longest path of an index, which is what a name comes to.
const maxDatabase = 1024

// checkDatabase refuses what is no database: freeWAIS servers forward a name with "@host" to that host, and take 0x1F for the
// border of two names.
func checkDatabase(name string) error {
	switch {
	case name == "":
		return fetch.Errorf(fetch.ErrRefusedURL, "a wais URI names a database")
	case len(name) > maxDatabase:
		return fetch.Errorf(fetch.ErrRefusedURL, "the name of a database has at most %d octets", maxDatabase)
	case strings.Contains(name, "@"):
		return fetch.Errorf(fetch.ErrRefusedURL, "a database with @HOST would make the server contact another one")
	case strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return fetch.Errorf(fetch.ErrRefusedURL, "the name of a database holds no controls")
	}
	return nil
}

// document reads wtype "/" [digits "/"] wpath.
func (r *parts) document(rest string, m uri.Mode) error {
	wtype, wpath, _ := strings.Cut(rest, "/")
	r.WType = reading.Opt(fetch.Octets(uri.Escaped(wtype).Decode()), true)
	if length, path, ok := cutLength(wpath, m); ok {
		r.Length, wpath = &length, path
	} else if m == uri.URL6 {
		return fetch.Errorf(fetch.ErrRefusedURL, "the draft of July 1993 puts a document's length before its path")
	}
	r.WPath = reading.Opt(fetch.Octets(uri.Escaped(wpath).Decode()), true)
	return r.docID(wpath)
}

// cutLength finds the digits element. Only url6 has it; elsewhere libwww and Lynx write it, and always before a tokened DocID.
func cutLength(wpath string, m uri.Mode) (int, string, bool) {
	first, path, ok := strings.Cut(wpath, "/")
	n, isNumber := reading.Digits(first)
	if !ok || !isNumber || path == "" || m != uri.URL6 && !isTokens(path) {
		return 0, wpath, false
	}
	return n, path, true
}
