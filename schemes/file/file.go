// Package file dereferences file URIs (RFC 8089): documents and directories of this machine.
//
//	file:///etc/motd   file://localhost/etc/motd   file:/etc/motd
//
// On Windows a drive is the first segment (RFC 8089 Appendix E.2): file:///C:/Users/me/x.txt. A path that Windows would understand in
// another way than the URI is meant is refused: //host/share, a backslash, NAME:STREAM, and the names of devices.
//
// There is no server and no dialogue. The plan's steps are operations on the file system:
//
//	open /etc/motd
//	list /etc/motd     (if it is a directory)
//
// Errors:
//
//	no such file, or not a directory  notfound
//	permission denied                 refused
//	a FIFO, device or socket          local
//	it shrinks while it is read       truncated
//	any other error                   local
//
// A file of another host is refused, because the URI does not tell how to get it (RFC 8089 section 2). So are %2F or NUL in a name, and a
// query, with one exception: file:///x.src?words, for a source file of WAIS, searches the database that the file describes.
package file

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Scheme returns the scheme file.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"file"},
		Rules:      uri.Rules{Hierarchical: true},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		MayReferTo: []string{}, // a file that anybody may have written names the referral
		Searches:   true,
		Local:      true,
		OpensLocal: true,
		Summary:    "documents and directories of this machine",
		Spec:       "RFC 8089",
		Help:       func() string { return help + string(outcomes) },
		Settings:   []fetch.Setting{fetch.CharsetSetting("file")},
		Read:       func(u uri.URI, m uri.Mode) (any, error) { return parse(u, m) },
		Plan:       plan,
	}
}

const help = "file:///path, of this machine only; a directory returns its entries. file:///x.src?words searches the database that a\n" +
	"source file of WAIS describes.\n\n"

const outcomes replies.Table = `no such file, or not a directory  notfound
permission denied                 refused
a FIFO, device or socket          local
it shrinks while it is read       truncated
any other error                   local
`

// isDirectory is the condition of the step that lists.
const isDirectory = "it is a folder"

// A request is a parsed file URI.
type request struct {
	Scheme string       `json:"scheme"`
	Host   string       `json:"host"`
	Path   fetch.Octets `json:"path"`

	name  string   // the path as the system writes it
	words []string // of a search in a source file of WAIS
}

// parse decodes the path segment by segment, so that it notices names that no file can have. In RFC 1738 section 5 a "?" is part of a name.
func parse(u uri.URI, m uri.Mode) (*request, error) {
	r := &request{Scheme: u.Scheme(), Host: u.Hostname()}
	path := string(u.Path())
	switch q, ok := u.Query(); {
	case ok && m == uri.RFC1738:
		path += "?" + string(q)
	case isSource(path):
		r.words = q.Words()
	case ok:
		return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "file URIs cannot have a query", Hint: "a question mark in a name is written %3F"}
	}
	if !strings.HasPrefix(path, "/") {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the path of a file must begin with a slash")
	}
	var b strings.Builder
	for s := range strings.SplitSeq(path[1:], "/") {
		name := uri.Escaped(s).Decode()
		if strings.ContainsAny(name, "/\x00") {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "the name of a file cannot contain a slash or NUL")
		}
		b.WriteByte('/')
		b.WriteString(name)
	}
	r.Path = fetch.Octets(b.String())
	return r, nil
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if err := isHere(u, r.Host); err != nil {
		return nil, err
	}
	path := string(r.Path)
	if r.name, err = native(path); err != nil {
		return nil, err
	}
	if isSource(path) {
		r.words = append(r.words, words(o)...)
	} else if len(o.Search) > 0 {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "only source files of WAIS (NAME.src) can be searched")
	}
	p := &fetch.Plan{URI: u, Shape: fetch.ShapeDocument, Run: r.run, Steps: []fetch.Step{
		{Verb: "open", Data: path},
		{Verb: "list", Data: path, If: isDirectory},
	}}
	p.Type, _ = mediatype.OfName(path)
	if strings.HasSuffix(path, "/") {
		p.Shape, p.Type = fetch.ShapeListing, fetch.ListingType
	}
	return p, nil
}

// isHere refuses the files of other hosts. RFC 8089 section 2: no host, and localhost, are this one.
func isHere(u uri.URI, host string) error {
	_, user := u.Userinfo()
	switch {
	case user || u.HasPort():
		return fetch.Errorf(fetch.ErrRefusedURL, "file URIs cannot have a user or port")
	case host == "" || strings.EqualFold(host, "localhost"):
		return nil
	}
	return &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "the file is on another host, and the URI does not name a protocol to get it from there",
		Hint: "ftp:" + string(u.Opaque()) + " requests it from that host"}
}
