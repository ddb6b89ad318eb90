package warc

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/save"
)

// An entry is the part of an index line that is not in the record's fields.
type entry struct {
	status int
	media  string
}

// An index collects the CDXJ lines of one file.
type index struct {
	name string
	spill.Sorter
}

// newIndex returns the index of an archive, or of several without a name if archive is empty.
func newIndex(archive, dir string) *index {
	return &index{indexName(archive), spill.Sorter{Dir: dir}}
}

func indexName(archive string) string {
	base, _ := splitName(archive)
	return base + ".cdxj"
}

// cdxjLine is the JSON of a line in the format of pywb and warcio.
type cdxjLine struct {
	URL      string `json:"url"`
	Mime     string `json:"mime,omitempty"`
	Status   int    `json:"status,omitempty,string"`
	Digest   string `json:"digest,omitempty"`
	Length   int64  `json:"length,string"`
	Offset   int64  `json:"offset,string"`
	Filename string `json:"filename"`
}

// isIndexed reports whether the record answers for a URI.
func (r *Record) isIndexed() bool {
	switch r.Type() {
	case Response, Resource, Revisit:
		return true
	case Metadata:
		return r.alone // the failure of a request
	}
	return false
}

// add indexes a record that answers for a URI.
func (x *index) add(r *Record, file string) error {
	if !r.isIndexed() {
		return nil
	}
	if r.Type() == Metadata {
		r.entry.media = mediatype.Essence(DialogueType)
	}
	j := cdxjLine{URL: r.Target(), Mime: r.entry.media, Status: r.entry.status, Length: r.Length, Offset: r.Offset, Filename: file}
	j.Digest = strings.TrimPrefix(r.Fields.Get("WARC-Payload-Digest"), "sha1:")
	if r.Type() == Revisit {
		j.Mime = "warc/revisit"
	}
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return x.Add(surt(r.Target()) + " " + r.Date().UTC().Format("20060102150405") + " " + string(b))
}

// close writes the sorted lines.
func (x *index) close() error {
	_, err := save.Rewrite(x.name, 0o666, func(to io.Writer) error {
		w := bufio.NewWriter(to)
		err := cmp.Or(x.Write(w), w.Flush())
		x.Close()
		if s, ok := to.(interface{ Sync() error }); ok && err == nil {
			err = s.Sync()
		}
		return err
	})
	return err
}
