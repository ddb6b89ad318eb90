// Package afs names files of the Andrew File System: afs://cell/path (RFC 1630, the drafts' "afsaddress").
//
// The scheme contacts nothing. A URI refers to the file below the mount point of AFS, by tradition /afs:
//
//	afs://cern.ch/user/t/timbl  ->  file:///afs/cern.ch/user/t/timbl
//
// If Config.Mount is set, the referral counts as the user's own and is followed. Otherwise the URI is still resolved, but the Client does
// not open a local file for it unless Policy.FollowTo has file. A missing file or mount is the file scheme's notfound.
//
// A URI that could leave the cell's directory is refused-url: "." and ".." as whole segments, and an escaped slash or NUL in a segment.
package afs

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// Config is the user's configuration. A nil *Config means the zero Config.
type Config struct {
	Mount string // the directory at which AFS is mounted, absolute, with slashes; "" means /afs, as a guess
}

// Scheme returns the scheme afs.
func Scheme(cfg *Config) fetch.Scheme {
	m := mount{dir: "/afs"}
	if cfg != nil && cfg.Mount != "" {
		m = mount{dir: "/" + strings.Trim(cfg.Mount, "/"), configured: true}
	}
	return fetch.Scheme{
		Names:   []string{"afs"},
		Rules:   uri.Rules{Hierarchical: true},
		Does:    fetch.Does{Refers: true},
		Summary: "files of the Andrew File System, where it is mounted",
		Spec:    "RFC 1630",
		Help:    func() string { return help },
		Read:    read,
		Plan:    m.plan,
	}
}

// A mount is the place of AFS in the local file system.
type mount struct {
	dir        string
	configured bool // by the user
}

const help = `example: afs://cern.ch/user/t/timbl
  -> file:///afs/cern.ch/user/t/timbl

The file is read from the local file system, so the errors are those of file:. The referral is followed if the user allows
referrals to file, or if the configuration sets a mount point.`

// A request is a parsed afs URI: afs://cellname/path (RFC 1630).
type request struct {
	Scheme string       `json:"scheme"`
	Cell   fetch.Octets `json:"cell"`
	Path   fetch.Octets `json:"path"` // decoded, without the first slash
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	urifield.Map(m.Text, &r.Cell, &r.Path)
	return r, nil
}

func parse(u uri.URI) (r request, err error) {
	cell := u.Host().Decode()
	_, user := u.Userinfo()
	_, search := u.Query()
	switch {
	case cell == "":
		return r, fetch.Errorf(fetch.ErrRefusedURL, "cell missing in an afs URI")
	case user || u.HasPort() || search:
		return r, fetch.Errorf(fetch.ErrRefusedURL, "an afs URI cannot have a user, port or query")
	case !inside(cell):
		return r, fetch.Errorf(fetch.ErrRefusedURL, "the cell cannot be the name of a directory")
	}
	for s := range u.Segments() {
		if !inside(s.Decode()) {
			return r, fetch.Errorf(fetch.ErrRefusedURL, "a path segment would leave the directory")
		}
	}
	path := strings.TrimPrefix(u.Path().Decode(), "/")
	return request{Scheme: "afs", Cell: fetch.Octets(cell), Path: fetch.Octets(path)}, nil
}

// inside reports whether a decoded segment names something within its directory.
func inside(s string) bool {
	return s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}

// plan refers to the file. Whether AFS is mounted is for the file scheme to find out: planning does no I/O.
func (m mount) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	text := "file://"
	for s := range strings.SplitSeq(strings.TrimPrefix(m.dir, "/")+"/"+string(r.Cell), "/") {
		text += "/" + string(uri.Segment.Escape(uri.RFC3986, s))
	}
	file, err := uri.Parse(text + string(u.Path()))
	if err != nil {
		return nil, err
	}
	reason := "where AFS is mounted by tradition"
	if m.configured {
		reason = "AFS is mounted at " + m.dir
	}
	return &fetch.Plan{Shape: fetch.ShapeReferral, Refers: []fetch.Referral{{URI: file, Reason: reason, Own: m.configured}}}, nil
}
