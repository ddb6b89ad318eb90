package mirror

import (
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/portal"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/scope"
)

// Results of Opened that end a save without a failure.
var (
	errOnlyRead   = errors.New("read only for its links")
	errRedirected = errors.New("redirects to another URI")
	errLeftOut    = errors.New("left out")
	errCoded      = errors.New("has a content coding that was not requested")
)

// document fetches and saves a document.
func (v *visit) document() (err error) {
	isIncluded := v.included(v.uri) || v.note.Within > 0
	if !isIncluded && !mayHaveLinks(v.uri) {
		v.leaveOut(v.uri, scope.NotIncluded)
		return nil
	}
	if v.options.DryRun || !isIncluded {
		return v.preview(isIncluded)
	}
	if v.record, err = v.recorded(); err != nil {
		return err
	}
	intact := v.record.isDocument() && v.intact(&v.record)
	if intact && v.record.isListed(v.note.Listed) {
		v.report(Event{URI: v.uri, Path: v.record.Path, Did: Unchanged})
		return v.followStored()
	}
	return v.save(intact)
}

// recorded returns the record of the document. With Extensions, the path of a new one is chosen when its media type is known.
func (v *visit) recorded() (Record, error) {
	if v.options.Extensions {
		if r, ok, err := v.manifest.byURI(key(v.uri)); err != nil || ok && r.Path != "" {
			return r, err
		}
		return Record{URI: key(v.uri)}, nil
	}
	return v.claim(v.uri, "")
}

// dir returns the directory and the name for the document. The name is "" if it is not known yet.
func (v *visit) dir() (dir, name string, err error) {
	if v.record.Path != "" {
		dir, name = path.Split(v.record.Path)
		return dir, name, nil
	}
	v.naming.Lock()
	defer v.naming.Unlock()
	dir, err = v.dirFor(v.placeOf(v.uri).dirs)
	return dir, "", err
}

// nameOf returns the name for the open document d.
func (v *visit) nameOf(d *fetch.Document) (string, error) {
	r, err := v.claim(v.uri, d.Type)
	v.record.Path = r.Path
	return path.Base(r.Path), err
}

// save fetches the document into its file.
func (v *visit) save(intact bool) error {
	dir, name, err := v.dir()
	if err != nil {
		return err
	}
	to, done, err := v.openDir(dir)
	if err != nil {
		return err
	}
	defer done()
	o := &save.Options{Dir: to, Name: name, URI: v.uri, Force: true, Times: true, Sum: true}
	if name == "" {
		o.NameOf = v.nameOf
	}
	o.Resume = v.options.Commit == nil && isRegular(to.Lstat(name+partSuffix))
	o.Opened = func(d *fetch.Document) error { return v.opened(d, o) }
	with := v.request(intact && !o.Resume)
	if !o.Resume {
		with = v.withListed(with)
	}
	r, err := save.File(v.ctx, v.get, v.uri, with, o)
	for err != nil {
		switch kind := fetch.KindOf(err); {
		case kind == fetch.ErrChanged && with != nil && with.Listed != nil:
			v.outdated.Store(true)
			with = v.request(intact)
		case kind == fetch.ErrRange && o.Resume: // the server does not support ranges after all
			with = v.request(false)
		case errors.Is(err, errCoded): // a local copy of it could not be opened, nor its links read
			v.decoding = true
			with = v.request(false)
		default:
			return v.handleStop(err)
		}
		o.Resume, o.View = false, nil
		r, err = save.File(v.ctx, v.get, v.uri, with, o)
	}
	v.size = r.Size
	if d := r.Document; d != nil && d.NotModified {
		v.report(Event{URI: v.uri, Path: v.record.Path, Did: Unchanged})
		if err := v.confirm(); err != nil {
			return err
		}
		return v.followStored()
	}
	return v.recordSaved(r, intact)
}

// confirm records the listing of a document that the server reports as unchanged, so that next time the listing is enough.
func (v *visit) confirm() error {
	if v.note.Listed == nil || v.record.isListed(v.note.Listed) {
		return nil
	}
	v.record.Listed, v.record.Time = v.note.Listed, v.now()
	return v.manifest.add(v.record)
}

// request returns options that fetch a document only if it differs from the local copy.
func (v *visit) request(intact bool) *fetch.Options {
	base := v.requestOf(v.uri)
	if !v.decoding && (!intact || v.record.Validator == nil) {
		return base
	}
	o := base.Clone()
	if v.decoding {
		o.Put("http.compressed", "1")
	}
	if intact && v.record.Validator != nil {
		o.IfChanged = v.record.Validator.options()
	}
	return o
}

// maxListed is the largest document whose size and time are not requested again after its listing. The requests cost a large one nothing.
const maxListed = 1 << 20

// withListed adds the document's entry in its listing to a request, unless it is too large, or the listings have been wrong about a document of this
// Run. This saves SIZE and, after MLSD, MDTM, of 3,000 files each.
func (v *visit) withListed(o *fetch.Options) *fetch.Options {
	l := v.note.Listed
	if v.note.Kind != fetch.KindFile || l == nil || l.Size > maxListed || !isTree(v.uri.Scheme()) || v.outdated.Load() {
		return o
	}
	with := o.Clone()
	with.Listed = &fetch.Entry{URI: v.uri, Kind: fetch.KindFile, Size: l.Size, Modified: l.Modified, Precision: fetch.PrecisionOf(l.Exact), ZoneUnknown: l.NoZone}
	return with
}

// handleStop handles a document that was not saved.
func (v *visit) handleStop(err error) error {
	switch {
	case errors.Is(err, errOnlyRead):
		v.report(Event{URI: v.uri, Did: Read})
		return nil
	case errors.Is(err, errRedirected), errors.Is(err, errLeftOut):
		return nil
	}
	return err
}

// opened decides whether and where to write a document that has been opened.
func (v *visit) opened(d *fetch.Document, o *save.Options) error {
	if len(d.Header["Content-Encoding"]) > 0 && !v.decoding && (isPage(d.Type) || v.note.Sheet) {
		return errCoded
	}
	v.correctType(d)
	v.suspect = portal.Suspect(v.uri, d, v.record.Type)
	if len(d.Via) > 0 {
		if err := v.redirected(d); err != nil {
			return err
		}
	}
	if d.NotModified {
		return nil
	}
	if v.isOld(d.Modified) && !isPage(d.Type) && d.Entries == nil {
		if v.isRoot(v.uri) {
			v.markIncomplete()
		}
		v.leaveOut(v.uri, outOld)
		return errLeftOut
	}
	switch {
	case d.Entries == nil || isMessage(d.Type):
		return nil
	case isTree(v.uri.Scheme()): // listed as a file but a directory: a link, which may form a circle
		v.report(Event{URI: v.uri, Did: LeftOut, Why: outLink, Warn: true})
		return errLeftOut
	case isListing(d.Type):
		if err := v.follow(d); err != nil {
			return err
		}
		return errOnlyRead
	}
	v.record.Kind = Menu
	o.View = v.menu
	return nil
}

// menu writes the bytes of a menu while its entries are read.
func (v *visit) menu(w io.Writer, d *fetch.Document) error {
	body := d.Body
	d.Body = fetch.NewBody(io.TeeReader(body, w), body.Close)
	return v.follow(d) // this reads the body to its end
}

// redirected records that a URI redirects to another, which is visited separately. An existing copy stays, since a redirect does not mean
// that the document is gone: many come from captive portals, login pages and maintenance. The copy stays even if the redirect is not
// followed.
func (v *visit) redirected(d *fetch.Document) error {
	to := v.canonical(d.URI)
	if key(to) == key(v.uri) {
		return nil
	}
	why := v.whyNot(to, v.note)
	if v.isRoot(v.uri) {
		if why != "" {
			return fetch.Errorf(fetch.ErrRedirect, "the root redirects to %s, which is excluded: %s", v.client.Schemes.Redact(to), why)
		}
		v.setRoot(to)
	}
	if err := v.add(to, note{Depth: v.note.Depth, Within: v.note.Within, Sheet: v.note.Sheet}); err != nil {
		return err
	}
	if !v.options.DryRun && (why == "" || !v.record.hasCopy()) {
		r := Record{URI: key(v.uri), Kind: Alias, To: key(to), Fragment: d.Fragment, Time: v.now()}
		if v.record.hasCopy() {
			r.Path = v.record.Path
		}
		if err := v.manifest.add(r); err != nil {
			return err
		}
	}
	v.report(Event{URI: v.uri, Did: Redirected, Why: key(to), Suspect: v.suspect})
	return errRedirected
}

// recordSaved records a saved document and visits its links.
func (v *visit) recordSaved(r save.Result, intact bool) error {
	d, old := r.Document, v.record
	if err := v.forgetOriginal(old.Path); err != nil {
		return err
	}
	saved := Record{URI: old.URI, Path: old.Path, Kind: File, SHA256: r.SHA256, Size: r.Size, Type: d.Type, Charset: declared(d), Validator: validatorOf(d.Validator),
		Listed: v.note.Listed, Time: v.now()}
	switch {
	case v.record.Kind == Menu && d.Entries != nil && !isMessage(d.Type):
		saved.Kind = Menu
	case isPage(d.Type):
		saved.Kind = Page
	}
	if saved.Kind == Page {
		if err := v.links(&saved); err != nil {
			return err
		}
	}
	if err := v.addRecord(saved); err != nil {
		return err
	}
	did := Saved
	if intact && old.SHA256 == saved.SHA256 {
		did = Unchanged
	}
	v.report(Event{URI: v.uri, Path: saved.Path, Did: did, Size: saved.Size, Suspect: v.suspect})
	return nil
}

// addRecord adds the record of a fetched document. Before the Commit that covers it, the record lacks the fields that would let a later Run
// skip the document.
func (v *visit) addRecord(r Record) error {
	if v.options.Commit != nil {
		v.item.Keep = r
		r.Validator, r.Listed = nil, nil
	}
	return v.manifest.add(r)
}

// followStored visits the links of a document that has not changed.
func (v *visit) followStored() error {
	switch {
	case v.record.isPage(), v.record.Kind == Menu && isGemtext(v.uri):
		return v.links(&v.record)
	case v.record.Kind == Menu:
		return v.items()
	}
	return nil
}

func isMessage(t string) bool { return strings.HasPrefix(t, "message/") }

// isListing reports whether a listing's media type is generated, so that there is no document to save.
func isListing(t string) bool { return t == fetch.ListingType || t == "text/ftp-dir-listing" }

// now returns the time at which the document was fetched.
func (v *visit) now() time.Time { return v.date().UTC().Truncate(time.Second) }
