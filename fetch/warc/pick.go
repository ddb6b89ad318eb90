package warc

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/uri"
)

// A Pick is one record of an Archive.
type Pick struct {
	URI string // its target

	archive *Archive
	at      recordRef
	isDoc   bool
}

// PickLine finds the record of a line of an index: of a CDXJ file, or of a CDX file with the columns of wayback machines or wget. If a has only one
// archive, that may have another name than in the index.
func (a *Archive) PickLine(line string) (Pick, error) {
	line = strings.TrimSpace(line)
	e, ok := cdx.Parse(line)
	for _, columns := range knownColumns() {
		if !ok {
			e, ok = columns.Parse(line)
		}
	}
	if !ok {
		return Pick{}, fetch.Errorf(fetch.ErrLocal, "not a line of an index: %.80q", line)
	}
	n := -1
	for i, f := range a.files {
		if f.Base == filepath.Base(e.Filename) || len(a.files) == 1 {
			n = i
		}
	}
	if n < 0 {
		return Pick{}, fetch.Errorf(fetch.ErrNotFound, "the line is about %s, which is not one of the archives", e.Filename)
	}
	return a.pickAt(refTo(&e, int32(n)), e.URL)
}

// knownColumns returns the columns of lines without a header: those of wayback machines, with nine or eleven columns, and of wget.
func knownColumns() []cdx.Columns {
	return []cdx.Columns{strings.Fields("N b a m s k r V g"), strings.Fields("N b a m s k r M S V g"), strings.Fields("a b a m s k r M V g u")}
}

// pickAt returns the record at p, if it is about the target.
func (a *Archive) pickAt(p recordRef, target string) (Pick, error) {
	picked := Pick{URI: target, archive: a}
	r, err := a.open(p)
	if err != nil {
		return picked, err
	}
	defer r.Close()
	if a.key(r.Target()) != a.key(target) {
		return picked, fetch.Errorf(fetch.ErrNotFound, "%s: no record of %s at byte %d, where the index has one", a.files[p.file].Name(), target, p.offset)
	}
	picked.at = p
	u, err := uri.Parse(target)
	if err != nil || !a.describe(&picked.at, r.Record) || strings.HasPrefix(target, dialoguePrefix) && !r.isFailure() {
		return picked, nil
	}
	if _, picked.isDoc = a.list.Lookup(u.Scheme()); !picked.isDoc {
		return picked, nil
	}
	picked.at, err = a.settle(p, a.key(r.about()))
	picked.URI = r.about()
	return picked, err
}

// PickURI finds the record that answers for u at a time, like At.
func (a *Archive) PickURI(u uri.URI, at time.Time) (Pick, error) {
	p, err := a.best(u, "", at)
	return Pick{target(u), a, p, true}, err
}

// IsDocument reports whether a Client with the Archive's schemes can return the document of the record. Other records, such as a request, have only
// a Payload.
func (p Pick) IsDocument() bool { return p.isDoc }

// In returns a context in which the Archive answers for the record's URI with the record.
func (p Pick) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, momentKey{}, &Moment{pick: &p})
}

// Payload returns what the record contains, after comparing its digests: the payload of a message without header and transfer coding, but with its
// content coding; that of the record to which a revisit refers; or else the block. The caller closes it.
func (p Pick) Payload() (io.ReadCloser, error) {
	a := p.archive
	if err := a.verify(p.at); err != nil {
		return nil, err
	}
	r, err := a.open(p.at)
	if err != nil {
		return nil, err
	}
	payload := r.Block
	if r.Type() != Request {
		if _, payload, err = a.payload(r, p.at); err != nil {
			r.Close()
			return nil, err
		}
	}
	return fetch.NewBody(&cutPayload{payload, p.at.truncated}, func() error { r.Close(); return nil }), nil
}

// cutPayload is a payload that may have been cut when it was captured, or with its archive.
type cutPayload struct {
	r   io.Reader
	cut bool
}

func (c *cutPayload) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if err == io.EOF && c.cut || err == io.ErrUnexpectedEOF {
		err = fetch.Errorf(fetch.ErrTruncated, "the archive contains only a part of the payload")
	}
	return n, err
}

// wanted returns the record that answers for u: the one that the context has picked, or the best.
func (m *Moment) wanted(a *Archive, u uri.URI, selection string) (recordRef, error) {
	if p := m.pick; p != nil && p.archive == a && a.key(target(u)) == a.key(p.URI) {
		return p.at, a.verify(p.at)
	}
	return a.best(u, selection, m.want)
}
