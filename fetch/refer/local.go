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

// A Local says that the objects below a URI are to be had as files of this machine too. The drafts: "a client may use local file access
// [...] where this is available and equivalent".
//
// What counts is whole segments of the path, of URIs in their normal form. A URI with a user, a query, or a segment that would be no name
// of a file ("..", one with an escaped slash) is not below anything. Equivalent are files alone: where there is none of that name, or a
// folder, or a symbolic link that leaves Folder, the server is asked as if there were no table.
type Local struct {
	URI    uri.URI // its path ends in a slash
	Folder string  // absolute
}

// NewLocal checks an entry of the table.
func NewLocal(name, folder string) (Local, error) {
	u, err := uri.Parse(name)
	_, user := u.Userinfo()
	_, query := u.Query()
	switch {
	case err != nil || !u.IsAbs() || u.Host() == "" || user || query || !strings.HasSuffix(string(u.Path()), "/"):
		return Local{}, fetch.Errorf(fetch.ErrLocal, "what has a local equivalent is SCHEME://HOST/ or SCHEME://HOST/FOLDER/")
	case !filepath.IsAbs(folder):
		return Local{}, fetch.Errorf(fetch.ErrLocal, "the path of a local folder is absolute")
	}
	return Local{u, folder}, nil
}

// below returns the way from l's folder to the file of u.
func (l Local) below(u uri.URI, rules *uri.Rules) (name string, ok bool) {
	u = uri.RFC3986.Normalize(u.WithoutFragment(), rules)
	at := uri.RFC3986.Normalize(l.URI, rules).String()
	rest, ok := strings.CutPrefix(u.String(), at)
	_, query := u.Query()
	if !ok || query {
		return "", false
	}
	if strings.HasPrefix(u.Scheme(), "ftp") {
		rest = strings.TrimSuffix(rest, ";type=i") // says what a file is anyway
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

// Locally returns the schemes with the table before them: of several entries the longest counts. A scheme that has no handler gets one
// that has nothing but the files.
func Locally(schemes []fetch.Scheme, table []Local) []fetch.Scheme {
	list := slices.Clone(schemes)
	table = slices.Clone(table)
	var done []int
	slices.SortStableFunc(table, func(a, b Local) int { return len(b.URI.String()) - len(a.URI.String()) })
	for _, l := range table {
		name := l.URI.Scheme()
		i := slices.IndexFunc(list, func(s fetch.Scheme) bool { return slices.Contains(s.Names, name) })
		if i < 0 {
			i, list = len(list), append(list, fetch.Scheme{Names: []string{name}, Plan: onlyLocal, Rules: uri.Rules{Hierarchical: true}, Summary: "files of this machine"})
		}
		if !slices.Contains(done, i) {
			done = append(done, i)
			list[i].Plan = (&near{list[i].Planner(), list[i].Rules, table}).Plan
			list[i].Does.Refers = true
		}
	}
	return list
}

// near plans for a scheme whose objects may be nearer than its servers.
type near struct {
	plan  func(uri.URI, *fetch.Options) (*fetch.Plan, error) // the scheme's own
	rules uri.Rules
	table []Local
}

const (
	look   = "look for the file"
	ifNone = "there is no such file"
)

// find is the file that may stand for u.
func (n *near) find(u uri.URI) (l Local, name string, ok bool) {
	for _, l := range n.table {
		if name, ok := l.below(u, &n.rules); ok {
			return l, name, true
		}
	}
	return l, "", false
}

// Plan puts a look at this machine before what the server is told.
func (n *near) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	p, err := n.plan(u, o)
	l, name, ok := n.find(u)
	if err != nil || !ok || o.Op != fetch.Retrieve && o.Op != fetch.Metadata || len(o.Search) > 0 {
		return p, err
	}
	q := *p
	q.Steps = []fetch.Step{{Verb: look, Args: []string{filepath.Join(l.Folder, filepath.FromSlash(name))}}}
	for _, s := range p.Steps {
		if s.If == "" {
			s.If = ifNone
		}
		q.Steps = append(q.Steps, s)
	}
	for _, r := range p.Refers {
		q.Steps = append(q.Steps, fetch.Step{Verb: "ask for", Args: []string{r.URI.Redacted(nil)}, If: ifNone})
	}
	q.Refers = nil
	q.Run = func(ctx context.Context, q *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		if err := env.Announce(q.Steps[0]); err != nil {
			return nil, err
		}
		if l.has(name) {
			d := fetch.NewDocument(nil)
			d.Size, d.Referrals = 0, []fetch.Referral{{URI: fileURI(q.Steps[0].Args[0]), Reason: "a file of this machine", Own: true}}
			return d, nil
		}
		if len(p.Refers) > 0 {
			d := fetch.NewDocument(nil)
			d.Size, d.Referrals = 0, p.Refers
			return d, nil
		}
		server := *p
		server.URI, server.Options = q.URI, q.Options
		return p.Run(ctx, &server, env)
	}
	return &q, nil
}

// has reports whether the file is there. os.Root follows no link out of the folder.
func (l Local) has(name string) bool {
	root, err := os.OpenRoot(l.Folder)
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

// onlyLocal plans for a scheme that has no handler: only the file can answer.
func onlyLocal(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	return &fetch.Plan{Shape: fetch.ShapeDocument, Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "no handler for the scheme %q, and no file of this machine", u.Scheme())
	}}, nil
}
