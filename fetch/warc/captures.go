package warc

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// A Capture is one capture of a URI.
type Capture struct {
	Date   time.Time // in seconds
	Status int       // of HTTP, else 0
	Failed bool      // no document was received
	Again  bool      // unchanged: the document of an earlier capture
}

// Captures returns the captures of u, the earliest first. Several within a second are one.
func (a *Archive) Captures(u uri.URI) ([]Capture, error) {
	all, err := a.refs(a.key(target(u)))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(p, q recordRef) int { return cmp.Compare(p.date/1e6, q.date/1e6) })
	var list []Capture
	for _, p := range all {
		c := p.capture()
		n := len(list)
		switch {
		case n == 0 || !list[n-1].Date.Equal(c.Date):
			list = append(list, c)
		case list[n-1].Failed && !c.Failed:
			list[n-1] = c
		}
	}
	return list, nil
}

// capture returns what is known of the capture without reading the record.
func (p *recordRef) capture() Capture {
	return Capture{Date: time.UnixMicro(p.date).UTC().Truncate(time.Second), Status: int(p.status), Failed: p.kind == refDialogue,
		Again: p.kind == refRevisit}
}

// refs returns the records about the URIs of a key.
func (a *Archive) refs(k string) ([]recordRef, error) {
	if err := a.readAll(); err != nil {
		return nil, err
	}
	var list []recordRef
	keys := a.indexKeys(k)
	for _, x := range a.indexes {
		for _, key := range keys {
			err := x.each(key+" ", func(line string) bool {
				if !strings.HasPrefix(line, key+" ") {
					return false
				}
				if p, u, ok := x.ref(line); ok && a.key(u) == k {
					list = append(list, p)
				}
				return len(list) < maxCaptures
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// maxCaptures bounds the captures of one URI in the indexes.
const maxCaptures = 1 << 16

// indexKeys returns the keys that an index may have for the URIs of a key. Keys contain the default ports of all schemes but http and https, if
// the URI had them.
func (a *Archive) indexKeys(k string) []string {
	list := []string{cdx.Key(k), cdx.Key(dialoguePrefix + k)}
	u, err := uri.Parse(k)
	if err != nil {
		return list
	}
	s, ok := a.list.Lookup(u.Scheme())
	if !ok || u.Port() != "" || u.Hostname() == "" || s.Rules.DefaultPort == 0 {
		return list
	}
	host, err := u.HostPort(s.Rules.DefaultPort)
	if err != nil {
		return list
	}
	with := u.Scheme() + "://" + host + strings.TrimPrefix(string(u.Opaque()), "//"+authorityOf(u))
	return slices.Compact(append(list, cdx.Key(with), cdx.Key(dialoguePrefix+with)))
}

func authorityOf(u uri.URI) string {
	host, _ := u.Authority()
	return string(host)
}

// ref returns the record of a line, and the URI of its document. Some indexers write the directories of a file, too.
func (x *indexFile) ref(line string) (p recordRef, u string, ok bool) {
	e, ok := cdx.Parse(line)
	n, is := x.archives[filepath.Base(e.Filename)]
	return refTo(&e, n), strings.TrimPrefix(e.URL, dialoguePrefix), ok && is
}

// refTo returns the record of an index line in file n, which settle completes.
func refTo(e *cdx.Line, n int32) recordRef {
	p := recordRef{file: n, kind: refResponse, offset: int64(e.Offset), status: int32(max(e.Status, 0)),
		date: e.Date.UnixMicro(), digest: e.Digest, within: int64(e.Within), truncated: strings.Contains(e.Notes, noteTruncated),
		damaged: strings.Contains(e.Notes, noteDamaged), head: strings.Contains(e.Notes, noteHead), plain: strings.Contains(e.Notes, notePlain)}
	if p.digest != "" && !strings.Contains(p.digest, ":") {
		p.digest = "sha1:" + p.digest
	}
	if !strings.HasPrefix(e.URL, "http:") && !strings.HasPrefix(e.URL, "https:") {
		p.status = 0 // every other document has 200 in an index
	}
	switch {
	case e.Mime == revisitMime:
		p.kind, p.status = refRevisit, 0
	case e.Mime == mediatype.Essence(DialogueType):
		p.kind = refDialogue
	}
	return p
}

// settle completes p, by reading the record and those of the same capture after it.
func (a *Archive) settle(p recordRef, k string) (recordRef, error) {
	r, err := a.open(p)
	if err != nil {
		return p, err
	}
	defer r.Close()
	p.settled = true
	if !a.describe(&p, r.Record) || a.key(r.about()) != k {
		return p, fetch.Errorf(fetch.ErrProtocol, "%s: no record of %s at byte %d, where the index has one", a.files[p.file].Name(), k, p.offset)
	}
	if p.kind == refDialogue {
		p.selection = readOutcome(r.Block).Selection
		return p, nil
	}
	p.fault = a.compare(r, p) // in passing: it must be read to reach those after it
	id := r.ID()
	a.after(r, func(next *Record) bool {
		at := recordRef{file: p.file, offset: next.Offset, within: next.Within}
		switch isOwn := next.isConcurrentTo(id); {
		case isOwn && next.Type() == Request:
			if head, err := requestHead(next); err == nil {
				p.head, p.plain = isHead(head), !acceptsCoding(head)
			}
		case isOwn && next.MediaType() == DialogueType:
			p.dialogue, p.selection = &at, readOutcome(next.Block).Selection
		case next.Type() == Conversion && next.MediaType() == fetch.ListingType:
			p.listing = &at
		}
		return p.dialogue == nil // the last record
	})
	return p, nil
}

// after calls do for the records of r's capture that follow r, until it returns false: they refer to r, or have its URI and date.
func (a *Archive) after(r *opened, do func(*Record) bool) {
	id, date, key := r.ID(), r.Date(), a.key(r.about())
	for {
		next, err := r.reader.Next()
		if err != nil { // the end, or damage to another record
			return
		}
		isOther := !next.Date().Equal(date) || a.key(next.about()) != key
		if isOther && !next.isConcurrentTo(id) || !do(next) {
			return
		}
	}
}
