package refer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Local maps the objects below a URI to files of this machine. The drafts: "a client may use local file access [...] where this is
// available and equivalent".
//
// Whole path segments of normalized URIs are compared. A URI with a user, a query, or a segment that is not a file name ("..", one with an
// escaped slash) is not below anything. Only files are equivalent: if there is no file of that name, or a directory, or a symbolic link out
// of Dir, the server is contacted as without the table.
type Local struct {
	URI uri.URI // its path ends in a slash
	Dir string  // absolute
}

// NewLocal checks an entry of the table.
func NewLocal(name, dir string) (Local, error) {
	u, err := uri.Parse(name)
	_, user := u.Userinfo()
	_, query := u.Query()
	switch {
	case err != nil || !u.IsAbs() || u.Host() == "" || user || query || !strings.HasSuffix(string(u.Path()), "/"):
		return Local{}, fetch.Errorf(fetch.ErrLocal, "want SCHEME://HOST/ or SCHEME://HOST/DIRECTORY/ for a local equivalent")
	case !filepath.IsAbs(dir):
		return Local{}, fetch.Errorf(fetch.ErrLocal, "the path of a local directory must be absolute")
	}
	return Local{u.ASCII(), dir}, nil
}

// below returns the path from l's directory to the file of u.
func (l Local) below(u uri.URI, rules *uri.Rules) (name string, ok bool) {
	u = uri.RFC3986.Normalize(u.WithoutFragment().ASCII(), rules)
	at := uri.RFC3986.Normalize(l.URI, rules).String()
	rest, ok := strings.CutPrefix(u.String(), at)
	_, query := u.Query()
	if !ok || query {
		return "", false
	}
	if strings.HasPrefix(u.Scheme(), "ftp") {
		rest = strings.TrimSuffix(rest, ";type=i") // files are sent verbatim anyway
	}
	segments := strings.Split(rest, "/")
	for i, s := range segments {
		segments[i] = uri.Escaped(s).Decode()
		if s = segments[i]; s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/\\\x00") {
			return "", false
		}
	}
	return strings.Join(segments, "/"), filepath.IsLocal(filepath.FromSlash(strings.Join(segments, "/")))
}

// Locally returns the schemes with the table applied first: of several entries the longest counts. A scheme without a handler gets one that
// returns only local files.
func Locally(schemes []fetch.Scheme, table []Local) []fetch.Scheme {
	list := slices.Clone(schemes)
	table = slices.Clone(table)
	var done []int
	slices.SortStableFunc(table, func(a, b Local) int { return len(b.URI.String()) - len(a.URI.String()) })
	for _, l := range table {
		name := l.URI.Scheme()
		i := slices.IndexFunc(list, func(s fetch.Scheme) bool { return slices.Contains(s.Names, name) })
		if i < 0 {
			i, list = len(list), append(list, fetch.Scheme{Names: []string{name}, Plan: onlyLocal, Rules: uri.Rules{Hierarchical: true},
				Summary: "files of this machine"})
		}
		if !slices.Contains(done, i) {
			done = append(done, i)
			list[i].Plan = (&localFirst{list[i].Plan, list[i].Rules, table}).Plan
			list[i].Grammar = grammarFor(list[i].Grammar)
			list[i].Does.Refers = true
		}
	}
	return list
}

// A localFirst plans for a scheme whose objects may be local files.
type localFirst struct {
	plan  func(uri.URI, *fetch.Options) (*fetch.Plan, error) // the scheme's own Plan
	rules uri.Rules
	table []Local
}

const (
	look   = "look for the file"
	askFor = "ask for"
	ifNone = "there is no such file"
)

// grammarFor returns the grammar of a scheme, which does not apply to the steps that are not of its protocol.
func grammarFor(own func(*fetch.Step) error) func(*fetch.Step) error {
	return func(s *fetch.Step) error {
		if own == nil || s.Verb == look || s.Verb == askFor {
			return nil
		}
		return own(s)
	}
}

// find returns the entry and the name of the file that may be equivalent to u.
func (n *localFirst) find(u uri.URI) (l Local, name string, ok bool) {
	for _, l := range n.table {
		if name, ok := l.below(u, &n.rules); ok {
			return l, name, true
		}
	}
	return l, "", false
}

// Plan puts the local file before the server's steps.
func (n *localFirst) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	p, err := n.plan(u, o)
	l, name, ok := n.find(u)
	if err != nil || !ok || o.Op != fetch.Retrieve && o.Op != fetch.Metadata || len(o.Search) > 0 {
		return p, err
	}
	q := *p
	q.Steps = []fetch.Step{{Verb: look, Args: []string{filepath.Join(l.Dir, filepath.FromSlash(name))}}}
	for _, s := range p.Steps {
		if s.If == "" {
			s.If = ifNone
		}
		q.Steps = append(q.Steps, s)
	}
	for _, r := range p.Refers {
		q.Steps = append(q.Steps, fetch.Step{Verb: askFor, Args: []string{r.URI.Redacted(nil)}, If: ifNone})
	}
	q.Refers = nil
	q.Run = func(ctx context.Context, q *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		if err := env.Announce(q.Steps[0]); err != nil {
			return nil, err
		}
		to := p.Refers
		if l.hasFile(name) {
			to = []fetch.Referral{{URI: fileURI(q.Steps[0].Args[0]), Reason: "a file of this machine", Own: true}}
		}
		if len(to) > 0 {
			d := fetch.NewDocument(nil)
			d.Size, d.Referrals = 0, to
			return d, nil
		}
		server := *p
		server.URI, server.Options = q.URI, q.Options
		return p.Run(ctx, &server, env)
	}
	return &q, nil
}

// hasFile reports whether the file exists. os.Root follows no link out of the directory.
func (l Local) hasFile(name string) bool {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

func fileURI(path string) uri.URI {
	text := "file://"
	for s := range strings.SplitSeq(strings.Trim(filepath.ToSlash(path), "/"), "/") {
		text += "/" + string(uri.Segment.Escape(uri.RFC3986, s))
	}
	return uri.MustParse(text)
}

// onlyLocal plans for a scheme without a handler: only a local file can answer.
func onlyLocal(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	return &fetch.Plan{Shape: fetch.ShapeDocument, Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "no handler for the scheme %q, and no such local file", u.Scheme())
	}}, nil
}
