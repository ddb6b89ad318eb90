package file

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// A reading is a file URI taken apart.
type reading struct {
	Scheme string       `json:"scheme"`
	Host   string       `json:"host"`
	Path   fetch.Octets `json:"path"`
}

// read decodes the path segment by segment, so that what would be no name on any system is seen.
func read(u uri.URI) (*reading, error) {
	r := &reading{Scheme: u.Scheme(), Host: u.Hostname()}
	if _, ok := u.Query(); ok && !isSource(string(u.Path())) {
		return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "a file has no query", Hint: "a question mark in a name is written %3F"}
	}
	if !strings.HasPrefix(string(u.Path()), "/") {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the path of a file begins with a slash")
	}
	var b strings.Builder
	for s := range u.Segments() {
		name := s.Decode()
		if strings.ContainsAny(name, "/\x00") {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "no file has a slash or NUL in its name")
		}
		b.WriteByte('/')
		b.WriteString(name)
	}
	r.Path = fetch.Octets(b.String())
	return r, nil
}

// Plan says what will be asked of the system.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.NoOperation("file", o.Op)
	}
	r, err := read(u)
	if err != nil {
		return nil, err
	}
	if err := isHere(u, r.Host); err != nil {
		return nil, err
	}
	path := string(r.Path)
	if _, err := native(path); err != nil {
		return nil, err
	}
	if len(o.Search) > 0 && !isSource(path) {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "only source files of WAIS (NAME.src) can be searched")
	}
	p := &fetch.Plan{URI: u, Shape: fetch.ShapeDocument, Steps: []fetch.Step{
		{Verb: "open", Data: path},
		{Verb: "list", Data: path, If: isFolder},
	}}
	p.Type, _ = mediatype.OfName(path)
	if strings.HasSuffix(path, "/") {
		p.Shape, p.Type = fetch.ShapeListing, fetch.ListingType
	}
	return p, nil
}

// isHere refuses the files of other hosts (RFC 8089 §2: no host, and localhost, are this one).
func isHere(u uri.URI, host string) error {
	_, user := u.Userinfo()
	switch {
	case user || u.HasPort():
		return fetch.Errorf(fetch.ErrRefusedURL, "a file has neither user nor port")
	case host == "" || strings.EqualFold(host, "localhost"):
		return nil
	}
	return &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "the file is on another host, and the URI does not tell how to get it from there",
		Hint: "ftp://" + host + string(u.Path()) + " would ask that host"}
}
