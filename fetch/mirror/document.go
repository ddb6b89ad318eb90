package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/portal"
	"example.org/deref/fetch/save"
)

// What Opened finds a document to be; none of these is a failure.
var (
	errRead    = errors.New("read and not kept")
	errLed     = errors.New("leads to another URI")
	errLeftOut = errors.New("left out")
)

// document gets a document and keeps it.
func (v *visit) document() (err error) {
	wanted := v.included(v.uri)
	if !wanted && !mayLead(v.uri) {
		v.tell(Event{URI: v.uri, Did: LeftOut, Why: outIncluded})
		return nil
	}
	if v.options.DryRun || !wanted {
		return v.look(wanted)
	}
	if v.record, err = v.claim(v.uri); err != nil {
		return err
	}
	intact := v.record.isDocument() && v.intact(&v.record)
	if intact && v.record.isListed(v.note.Listed) {
		v.tell(Event{URI: v.uri, Path: v.record.Path, Did: Unchanged})
		return v.again()
	}
	return v.save(intact)
}

// save fetches the document into its file.
func (v *visit) save(intact bool) error {
	dir, name := path.Split(v.record.Path)
	folder, done, err := v.openFolder(dir)
	if err != nil {
		return err
	}
	defer done()
	o := &save.Options{Dir: folder, Name: name, URI: v.uri, Force: true, Times: true, Sum: true}
	o.Resume = v.options.Commit == nil && v.hasPart(v.record.Path)
	o.Opened = func(d *fetch.Document) error { return v.opened(d, o) }
	r, err := save.File(v.ctx, v.get, v.uri, v.request(intact && !o.Resume), o)
	if o.Resume && fetch.KindOf(err) == fetch.ErrRange { // the server has no parts after all
		o.Resume, o.View = false, nil
		r, err = save.File(v.ctx, v.get, v.uri, v.request(false), o)
	}
	if err != nil {
		return v.stopped(err)
	}
	v.octets = r.Size
	if d := r.Document; d != nil && d.NotModified {
		v.tell(Event{URI: v.uri, Path: v.record.Path, Did: Unchanged})
		if err := v.confirm(); err != nil {
			return err
		}
		return v.again()
	}
	return v.keep(r, intact)
}

// confirm records how the document that the server says to be the same is listed now, so that the listing will be enough.
func (v *visit) confirm() error {
	if v.note.Listed == nil || v.record.isListed(v.note.Listed) {
		return nil
	}
	v.record.Listed, v.record.Time = v.note.Listed, now()
	return v.manifest.add(v.record)
}

// request asks for a document only if it is not the one that is here.
func (v *visit) request(intact bool) *fetch.Options {
	base := v.requestOf(v.uri)
	if !intact || v.record.Validator == nil {
		return base
	}
	var o fetch.Options
	if base != nil {
		o = *base
	}
	o.IfChanged = v.record.Validator.wish()
	return &o
}

// stopped sees to a document that was not saved.
func (v *visit) stopped(err error) error {
	switch {
	case errors.Is(err, errRead):
		v.tell(Event{URI: v.uri, Did: Read})
		return nil
	case errors.Is(err, errLed), errors.Is(err, errLeftOut):
		return nil
	}
	return err
}

// opened looks at what has come before it is written.
func (v *visit) opened(d *fetch.Document, o *save.Options) error {
	v.suspect = portal.Suspect(v.uri, d, v.record.Type)
	if len(d.Via) > 0 {
		if err := v.led(d); err != nil {
			return err
		}
	}
	if d.NotModified {
		return nil
	}
	if v.isOld(d.Modified) && !isPage(d.Type) && d.Entries == nil {
		if v.isRoot(v.uri) {
			v.cut()
		}
		v.tell(Event{URI: v.uri, Did: LeftOut, Why: outOld})
		return errLeftOut
	}
	switch {
	case d.Entries == nil || isMessage(d.Type):
		return nil
	case isTree(v.uri.Scheme()): // what stood there as a file is a folder: a link, which may lead in a circle
		v.tell(Event{URI: v.uri, Did: LeftOut, Why: outLink, Warn: true})
		return errLeftOut
	case isListing(d.Type):
		if err := v.follow(d); err != nil {
			return err
		}
		return errRead
	}
	v.record.Kind = Menu
	o.View = v.menu
	return nil
}

// menu writes the octets of a document while its entries are read.
func (v *visit) menu(w io.Writer, d *fetch.Document) error {
	body := d.Body
	sum := sha256.New()
	d.Body = fetch.NewBody(io.TeeReader(body, io.MultiWriter(w, sum)), body.Close)
	err := v.follow(d) // which reads the octets to their end
	v.sum = hex.EncodeToString(sum.Sum(nil))
	return err
}

// led notes that a URI redirects to another, which is taken up by itself. A copy that is here stays, for a redirect does not say that the
// document is gone: many come from captive portals, login pages and maintenance. It is not even forgotten where the redirect is not followed.
func (v *visit) led(d *fetch.Document) error {
	to := v.canonical(d.URI)
	if key(to) == key(v.uri) {
		return nil
	}
	why := v.outside(to, v.note.Depth)
	if v.isRoot(v.uri) {
		if why != "" {
			return fetch.Errorf(fetch.ErrRedirect, "the root redirects to %s, which is left out: %s", v.client.Schemes.Redact(to), why)
		}
		v.setRoot(to)
	}
	if err := v.add(to, note{Depth: v.note.Depth}); err != nil {
		return err
	}
	if !v.options.DryRun && (why == "" || !v.record.hasCopy()) {
		r := Record{URI: key(v.uri), Kind: Alias, To: key(to), Time: now()}
		if v.record.hasCopy() {
			r.Path = v.record.Path
		}
		if err := v.manifest.add(r); err != nil {
			return err
		}
	}
	v.tell(Event{URI: v.uri, Did: Led, Why: key(to), Suspect: v.suspect})
	return errLed
}

// keep records a document that was saved, and takes up its links.
func (v *visit) keep(r save.Result, intact bool) error {
	d, old := r.Document, v.record
	if err := v.forgetOriginal(old.Path); err != nil {
		return err
	}
	if r.SHA256 == "" { // a view has none
		r.SHA256 = v.sum
	}
	now := Record{URI: old.URI, Path: old.Path, Kind: File, SHA256: r.SHA256, Size: r.Size, Type: d.Type, Validator: validatorOf(d.Validator),
		Listed: v.note.Listed, Time: now()}
	switch {
	case v.record.Kind == Menu && d.Entries != nil && !isMessage(d.Type):
		now.Kind = Menu
	case isPage(d.Type):
		now.Kind = Page
	}
	if now.Kind == Page {
		if err := v.links(now.Path); err != nil {
			return err
		}
	}
	if err := v.enter(now); err != nil {
		return err
	}
	did := Saved
	if intact && old.SHA256 == now.SHA256 {
		did = Unchanged
	}
	v.tell(Event{URI: v.uri, Path: now.Path, Did: did, Size: now.Size, Suspect: v.suspect})
	return nil
}

// enter adds the record of a document that has come. Before the Commit that covers it, it says nothing by which the document could be
// left out another time.
func (v *visit) enter(r Record) error {
	if v.options.Commit != nil {
		v.item.Keep = r
		r.Validator, r.Listed = nil, nil
	}
	return v.manifest.add(r)
}

// again takes up the links of a document that has not changed.
func (v *visit) again() error {
	switch v.record.Kind {
	case Page:
		return v.links(v.record.Path)
	case Menu:
		return v.items()
	}
	return nil
}

// look reads a document that is not kept, or not in this Run.
func (v *visit) look(wanted bool) error {
	if wanted && !mayLead(v.uri) {
		return v.would()
	}
	d, err := v.get.Get(v.ctx, v.uri, v.requestOf(v.uri))
	if d != nil {
		defer d.Body.Close()
	}
	if err == nil {
		err = v.opened(d, &save.Options{})
	}
	if err == nil {
		switch {
		case isPage(d.Type):
			err = v.pageLinks(d.Body, d.Base)
		case d.Entries != nil && !isMessage(d.Type):
			err = v.follow(d)
		}
	}
	if err != nil {
		return v.stopped(err)
	}
	if wanted {
		return v.would()
	}
	return v.stopped(errRead)
}

// would says what a Run that is not dry would do with a document.
func (v *visit) would() error {
	r, known, err := v.manifest.byURI(key(v.uri))
	did := Saved
	if known && r.isDocument() && v.note.Listed.same(r.Listed) && v.intact(&r) {
		did = Unchanged
	}
	if known && r.hasCopy() && v.evidence != nil && !isTree(v.uri.Scheme()) { // a listing shows what is there, a link does not
		switch gone, _, err := v.isGone(v.ctx, v.uri); {
		case gone:
			e := fetch.Errorf(fetch.ErrNotFound, "the server does not have it any more")
			e.Gone = true
			return e
		case err != nil:
			return err
		}
	}
	v.tell(Event{URI: v.uri, Path: r.Path, Did: did, Suspect: v.suspect})
	return err
}

func isPage(t string) bool { return t == "text/html" || t == "application/xhtml+xml" }

func isMessage(t string) bool { return strings.HasPrefix(t, "message/") }

// isListing reports whether the octets of a listing are nothing that a server keeps.
func isListing(t string) bool { return t == fetch.ListingType || t == "text/ftp-dir-listing" }

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
