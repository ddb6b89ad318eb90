// Package afs names files of the Andrew File System: afs://cell/path (RFC 1630, the drafts' "afsaddress").
//
// The file system is mounted or it is not: nothing is spoken here. The URI leads to the file below the mount point, which by
// tradition is /afs:
//
//	afs://cern.ch/user/t/timbl  ->  file:///afs/cern.ch/user/t/timbl
//
// Where Config.Mount names the mount point, the referral is the user's own and is followed. Without it the URI is still resolved,
// but a name alone does not open local files: the Client asks for --follow-to file. A missing file or mount is the file scheme's
// notfound.
//
// What could leave the cell's folder is refused-url: "." and ".." as whole segments, and an escaped slash or NUL in one.
package afs

import (
	"context"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// Config is what the user's configuration says; nil is the zero value.
type Config struct {
	Mount string // the folder at which AFS is mounted, absolute and with slashes; void: /afs, and not the user's own word
}

// Scheme returns afs.
func Scheme(cfg *Config) fetch.Scheme {
	h := handler{mount: "/afs"}
	if cfg != nil && cfg.Mount != "" {
		h = handler{mount: "/" + strings.Trim(cfg.Mount, "/"), own: true}
	}
	return fetch.Scheme{
		Names:   []string{"afs"},
		Rules:   uri.Rules{Hierarchical: true},
		Does:    fetch.Does{Refers: true},
		Summary: "files of the Andrew File System, where it is mounted",
		Spec:    "RFC 1630",
		Help:    help,
		Read:    read,
		Handler: h,
	}
}

// handler is immutable.
type handler struct {
	mount string
	own   bool
}

const help = `example: afs://cern.ch/user/t/timbl
  -> file:///afs/cern.ch/user/t/timbl

A local file system answers, so the errors are those of file:. --follow-to file, or a mount point in the configuration, lets the
referral be followed.`

// parts is what an afs URI says. RFC 1630: afs://cellname/path.
type parts struct {
	Scheme string       `json:"scheme"`
	Cell   fetch.Octets `json:"cell"`
	Path   fetch.Octets `json:"path"` // decoded, without the first slash
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := readingOf(u)
	if err != nil {
		return nil, err
	}
	reading.Map(m.Text, &r.Cell, &r.Path)
	return r, nil
}

func readingOf(u uri.URI) (r parts, err error) {
	cell := u.Host().Decode()
	_, user := u.Userinfo()
	_, search := u.Query()
	switch {
	case cell == "":
		return r, fetch.Errorf(fetch.ErrRefusedURL, "an afs URI names a cell")
	case user || u.HasPort() || search:
		return r, fetch.Errorf(fetch.ErrRefusedURL, "an afs URI has no user, port or search")
	case !inside(cell):
		return r, fetch.Errorf(fetch.ErrRefusedURL, "the name of the cell is not one of a folder")
	}
	for s := range u.Segments() {
		if !inside(s.Decode()) {
			return r, fetch.Errorf(fetch.ErrRefusedURL, "a segment of the path would leave its folder")
		}
	}
	path := strings.TrimPrefix(u.Path().Decode(), "/")
	return parts{Scheme: "afs", Cell: fetch.Octets(cell), Path: fetch.Octets(path)}, nil
}

// inside reports whether a decoded segment names something within its folder.
func inside(s string) bool {
	return s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}

// Plan leads to the file. It cannot look whether AFS is mounted: that is the file scheme's to find out.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u)
	if err != nil {
		return nil, err
	}
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.NoOperation("afs", o.Op)
	}
	text := "file://"
	for s := range strings.SplitSeq(strings.TrimPrefix(h.mount, "/")+"/"+string(r.Cell), "/") {
		text += "/" + string(uri.Segment.Escape(uri.RFC3986, s))
	}
	file, err := uri.Parse(text + string(u.Path()))
	if err != nil {
		return nil, err
	}
	reason := "where AFS is mounted by tradition"
	if h.own {
		reason = "AFS is mounted at " + h.mount
	}
	return &fetch.Plan{Shape: fetch.ShapeReferral, Refers: []fetch.Referral{{URI: file, Reason: reason, Own: h.own}}}, nil
}

// Run is never called: Plan has referrals alone.
func (h handler) Run(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "afs leads to a file")
}
