package warc

import (
	"strings"

	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/mediatype"
)

// An entry is the part of an index line that is not in the record's fields.
type entry struct {
	status int    // of HTTP
	media  string // Content-Type, without parameters
}

// An index collects CDXJ lines.
type index struct{ spill.Sorter }

// revisitMime is the type of a revisit in an index.
const revisitMime = "warc/revisit"

func newIndex(dir string) *index { return &index{spill.Sorter{Dir: dir}} }

func indexName(archive string) string {
	base, _ := splitName(archive)
	return base + ".cdxj"
}

// isIndexed reports whether the record answers for a URI.
func (r *Record) isIndexed() bool {
	switch r.Type() {
	case Response, Resource, Revisit:
		return true
	}
	return r.isFailure()
}

// isFailure reports whether r is the dialogue of a capture without a document.
func (r *Record) isFailure() bool {
	return r.Type() == Metadata && r.MediaType() == DialogueType && r.Fields.Get("WARC-Concurrent-To") == ""
}

// add indexes a record that answers for a URI.
func (x *index) add(r *Record, file string) error {
	if !r.isIndexed() {
		return nil
	}
	return x.Add(r.indexLine(file).String())
}

// indexLine returns the line about r in the named file.
func (r *Record) indexLine(file string) *cdx.Line {
	l := &cdx.Line{Key: cdx.Key(r.Target()), Date: r.Date(), Fields: cdx.Fields{URL: r.Target(), Filename: file, Mime: r.entry.media, Status: cdx.Number(r.entry.status), Length: cdx.Number(r.Length),
		Offset: cdx.Number(r.Offset), Within: cdx.Number(r.Within), Digest: strings.TrimPrefix(r.Fields.Get("WARC-Payload-Digest"), "sha1:")}}
	switch r.Type() {
	case Metadata:
		l.Mime = mediatype.Essence(DialogueType)
	case Revisit:
		l.Mime = revisitMime
	}
	return l
}
