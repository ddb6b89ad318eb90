package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Copy answers for the URIs of a mirror from its directory: with the documents as the servers sent them, with the listings of its directories and
// groups, and with its redirects. A news article is also found by its Message-ID. A Copy is safe for concurrent use.
type Copy struct{ m *mirror }

// OpenCopy opens the mirror in dir. list are the schemes for which Schemes answers. Nothing in dir is changed.
func OpenCopy(dir string, list fetch.Registry) (*Copy, error) {
	at := filepath.Join(dir, metaName, manifestName)
	if !isRegular(os.Stat(at)) {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s is not a mirror: %s is missing", dir, at)
	}
	s, err := openStore(dir, true, false)
	if err != nil {
		return nil, err
	}
	c := &Copy{&mirror{client: &fetch.Client{Schemes: list}, store: s}}
	if err := c.findRoot(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close releases what the Copy needs besides the directory.
func (c *Copy) Close() { c.m.store.close() }

// findRoot reads the root and the options of the last Run: see fingerprint.
func (c *Copy) findRoot() error {
	var fields []json.RawMessage
	var root string
	var noParent bool
	for _, name := range [...]string{lastName, wantedName} {
		b, err := c.m.docs.ReadFile(path.Join(metaName, passName, name))
		if err == nil && json.Unmarshal(b, &fields) == nil && len(fields) > 5 {
			json.Unmarshal(fields[0], &root)
			json.Unmarshal(fields[5], &noParent)
			break
		}
	}
	u, err := uri.Parse(root)
	if err != nil || !u.IsAbs() {
		return fetch.Errorf(fetch.ErrLocal, "%s is not a mirror: it names no root", c.m.docs.Name())
	}
	c.m.setTop(u, noParent)
	return nil
}

// Root returns the URI that was mirrored, without a password.
func (c *Copy) Root() uri.URI { return c.m.root }

// A Stored is a URI of a Copy.
type Stored struct {
	URI  uri.URI
	Time time.Time // when it was fetched, or confirmed unchanged; zero for a directory, whose listing is that of the copies
}

// URIs yields all URIs for which the Copy has an answer: directories, documents, redirects and links. It stops after an error.
func (c *Copy) URIs() iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if (hasListings(c.m.root.Scheme()) || c.m.root.Scheme() == "wais") && !yield(Stored{URI: c.m.root}, nil) {
			return
		}
		for r, err := range c.m.manifest.all() {
			u := uri.URI{}
			switch {
			case err != nil:
			case r.Kind == Dir && r.Path != "":
				u = c.dirURI(&r)
			case r.isObject():
				u, err = uri.Parse(r.URI)
			}
			if err == nil && (u.IsZero() || key(u) == key(c.m.root) && hasListings(u.Scheme())) {
				continue
			}
			if !yield(Stored{u, r.Time}, err) || err != nil {
				return
			}
		}
	}
}

// Schemes returns the schemes, made to answer from the Copy without contacting any server. What it does not have is ErrNotFound.
func (c *Copy) Schemes() []fetch.Scheme {
	list := make([]fetch.Scheme, len(c.m.client.Schemes))
	for i, s := range c.m.client.Schemes {
		list[i] = s
		list[i].Plan = c.plan
	}
	return list
}

func (c *Copy) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return nil, fetch.Errorf(fetch.ErrUnsupported, "mirrors contain only documents")
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "a mirror's copies have no byte ranges")
	}
	return &fetch.Plan{URI: u, Shape: fetch.ShapeDocument, Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return c.open(u)
	}}, nil
}

// open returns the document of u.
func (c *Copy) open(u uri.URI) (*fetch.Document, error) {
	r, ok, err := c.find(u)
	switch {
	case err != nil:
		return nil, err
	case ok && r.isDocument():
		return c.document(&r)
	case ok && r.To != "":
		ref := r.To
		if r.Fragment != "" {
			ref += "#" + r.Fragment
		}
		to, err := uri.Parse(ref)
		d := fetch.NewDocument(io.NopCloser(strings.NewReader("")))
		d.Referrals = []fetch.Referral{{URI: to, Reason: "the mirror's manifest"}}
		return d, err
	}
	if d, ok, err := c.listing(u); ok || err != nil {
		return d, err
	}
	return nil, fetch.Errorf(fetch.ErrNotFound, "the mirror has no copy of %s", u)
}

// find returns the record of u. An article is also found by its Message-ID: the manifest has that as the validator of the article's number.
func (c *Copy) find(u uri.URI) (Record, bool, error) {
	r, ok, err := c.m.manifest.byURI(key(c.m.canonical(u)))
	p := pathOf(u)
	if ok || err != nil || family(u.Scheme()) != "news" || !strings.Contains(p.name, "@") {
		return r, ok && r.Kind != "", err
	}
	id := "<" + strings.Trim(p.name, "<>") + ">"
	for r, err := range c.m.manifest.all() {
		if err != nil || r.isDocument() && r.Validator != nil && r.Validator.Tag == id {
			return r, err == nil, err
		}
	}
	return Record{}, false, nil
}

// document opens the copy of a document.
func (c *Copy) document(r *Record) (*fetch.Document, error) {
	if !c.m.isDirect(r.Path) {
		return nil, fetch.Errorf(fetch.ErrLocal, "the copy of %s is missing: a directory of %s is a link", r.URI, r.Path)
	}
	f, err := c.m.openOriginal(r.Path)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the copy of %s is missing: %w", r.URI, err)
	}
	is, err := f.Stat()
	if err == nil && is.Size() != r.Size {
		err = errors.New(r.Path)
	}
	if err != nil {
		f.Close()
		return nil, fetch.Errorf(fetch.ErrLocal, "the copy of %s was changed: %w", r.URI, err)
	}
	d := fetch.NewDocument(fetch.NewBody(&verified{f, r.SHA256, sha256.New()}, f.Close))
	d.Type, d.TypeReason, d.Size, d.End = r.Type, "the mirror", r.Size, fetch.EndDeclared
	if r.Charset != "" {
		d.Header = textproto.MIMEHeader{"Content-Type": {r.contentType()}}
	}
	d.Validator = r.Validator.options()
	if r.Validator == nil {
		d.Validator.Size = -1
	}
	if l := r.Listed; l != nil {
		d.Modified, d.Precision, d.ZoneUnknown = l.Modified, fetch.PrecisionOf(l.Exact), l.NoZone
	} else if t, err := time.Parse(time.RFC1123, d.Validator.Modified); err == nil {
		d.SetModified(t, time.Second)
	}
	u, err := uri.Parse(r.URI)
	if r.Kind == Menu && err == nil {
		d.ListWith(func(in io.Reader) iter.Seq2[fetch.Entry, error] { return menuEntries(in, r.contentType(), u) })
	}
	return d, err
}

// dirURI returns the URI of a directory or group. It returns the zero URI if no server has it.
func (c *Copy) dirURI(r *Record) uri.URI {
	at, is := strings.CutPrefix(r.URI, dirPrefix+c.m.server)
	top := location{dirs: c.m.top}.path()
	inTop, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(strings.Trim(at, "/"), top), "/"), "/")
	a, has := c.m.root.Authority()
	if !is || !has || !hasListings(c.m.root.Scheme()) || inTop == elsewhere {
		return uri.URI{}
	}
	if !endsInSlash(c.m.root.Scheme()) {
		at = strings.TrimSuffix(at, "/")
	}
	u, err := uri.Parse(c.m.root.Scheme() + "://" + string(a) + at)
	if err != nil {
		return uri.URI{}
	}
	return u
}

// hasListings reports whether the directories of a mirror are listings of the server.
func hasListings(scheme string) bool { return isTree(scheme) || scheme == "imap" || scheme == "imaps" }

// listing returns the listing of a directory or group, made from the names in the local one.
func (c *Copy) listing(u uri.URI) (*fetch.Document, bool, error) {
	u = c.m.canonical(u)
	p := c.m.placeOf(u)
	if u.Scheme() == "wais" && key(u) == key(c.m.root) {
		return fetch.NewListing(c.entries(c.m.manifest.all())), true, nil // the documents that the search has found
	}
	if !hasListings(u.Scheme()) || serverOf(u) != c.m.server {
		return nil, false, nil
	}
	if p.name != "" {
		p.dirs = append(p.dirs, p.name)
	}
	r, ok, err := c.m.manifest.byURI(c.m.dirKey(p.dirs))
	if err != nil || !ok && key(u) != key(c.m.root) {
		return nil, false, err
	}
	d := fetch.NewListing(c.entries(c.m.members(&r)))
	if endsInSlash(u.Scheme()) {
		d.Base = uri.MustParse(strings.TrimSuffix(u.String(), "/") + "/")
	}
	return d, true, nil
}

// entries yields the entries of records.
func (c *Copy) entries(list iter.Seq2[Record, error]) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for r, err := range list {
			e, ok := fetch.Entry{}, false
			if err == nil {
				e, ok = c.entry(&r)
			}
			if (err != nil || ok) && !yield(e, err) {
				return
			}
		}
	}
}

// entry returns the entry of a member as the server's listing has it. ok is false if the member is not of that server.
func (c *Copy) entry(r *Record) (e fetch.Entry, ok bool) {
	if r.Kind == Dir {
		e.URI, e.Kind, e.Size = c.dirURI(r), fetch.KindDir, -1
		e.Title = uri.Escaped(path.Base(strings.TrimSuffix(string(e.URI.Path()), "/"))).Decode()
		if family(e.URI.Scheme()) == "news" {
			e.Kind = fetch.KindGroup
		}
		return e, !e.URI.IsZero()
	}
	u, err := uri.Parse(r.URI)
	if err != nil || !r.hasCopy() || serverOf(u) != c.m.server {
		return e, false
	}
	e = entryOf(r, pathOf(u).name)
	e.URI = u
	switch {
	case family(u.Scheme()) == "news":
		e.Kind, e.Attr = fetch.KindMessage, map[string][]string{"number": {e.Title}, "nntp": {r.URI}}
		if id := r.Validator.options().Tag; len(id) > 2 {
			e.URI, _ = uri.Parse("news:" + string(uri.Segment.Escape(uri.RFC3986, strings.Trim(id, "<>"))))
		}
	case r.Kind == Link || r.Kind == Alias:
		e.Kind, e.Size = fetch.KindFile, -1 // answered by a referral
	}
	return e, true
}
