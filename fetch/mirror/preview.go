package mirror

import (
	"errors"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// preview reads a document without saving it: in a dry run, or only for its links.
func (v *visit) preview(isIncluded bool) error {
	if isIncluded && !mayHaveLinks(v.uri) {
		return v.previewResult()
	}
	err := v.readLinks()
	if errors.Is(err, errCoded) {
		v.decoding = true
		err = v.readLinks()
	}
	if err != nil {
		return v.handleStop(err)
	}
	if isIncluded {
		return v.previewResult()
	}
	return v.handleStop(errOnlyRead)
}

// readLinks fetches a document and visits its links.
func (v *visit) readLinks() error {
	d, err := v.get.Get(v.ctx, v.uri, v.request(false))
	if d != nil {
		defer d.Body.Close()
	}
	if err == nil {
		err = v.opened(d, &save.Options{})
	}
	switch {
	case err != nil:
		return err
	case d.Entries != nil && !isMessage(d.Type):
		return v.follow(d)
	case isPage(d.Type):
		return v.pageLinks(d.Body, rewriterOf(d.Type), d.ContentType(), d.Base)
	}
	return nil
}

// previewResult reports how a real Run would change a document's copy.
func (v *visit) previewResult() error {
	r, known, err := v.manifest.byURI(key(v.uri))
	did := Saved
	if known && r.isDocument() && v.note.Listed.same(r.Listed) && v.intact(&r) {
		did = Unchanged
	}
	if known && r.hasCopy() && v.evidence != nil && !isTree(v.uri.Scheme()) { // a listed name exists, but the target of a link may not
		switch gone, _, err := v.isGone(v.ctx, v.uri); {
		case gone:
			e := fetch.Errorf(fetch.ErrNotFound, "the server no longer has it")
			e.Gone = true
			return e
		case err != nil:
			return err
		}
	}
	v.report(Event{URI: v.uri, Path: r.Path, Did: did, Suspect: v.suspect})
	return err
}
