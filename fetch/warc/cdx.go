package warc

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/save"
)

// An entry is the part of an index line that is not in the record's fields.
type entry struct {
	status int
	media  string
}

// An index collects the CDXJ lines of one file and sorts them: in memory, and beyond maxLines in runs that are merged at the end.
type index struct {
	name  string
	dir   string
	lines []string
	runs  []*spool
}

// maxLines bounds the number of lines sorted in memory.
const maxLines = 1 << 16

func newIndex(archive, dir string) *index { return &index{name: indexName(archive), dir: dir} }

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

// add indexes a record that answers for a URI.
func (x *index) add(r *Record, file string) error {
	switch kind := r.Type(); {
	case kind == Response, kind == Resource, kind == Revisit:
	case kind == Metadata && r.alone: // the failure of a request
		r.entry.media = mediatype.Essence(DialogueType)
	default:
		return nil
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
	x.lines = append(x.lines, surt(r.Target())+" "+r.Date().UTC().Format("20060102150405")+" "+string(b)+"\n")
	if len(x.lines) >= maxLines {
		return x.spill()
	}
	return nil
}

// spill moves the lines into a sorted run.
func (x *index) spill() error {
	slices.Sort(x.lines)
	run := &spool{dir: x.dir}
	x.runs = append(x.runs, run)
	if err := run.spill(); err != nil {
		return err
	}
	w := bufio.NewWriter(run)
	for _, l := range x.lines {
		w.WriteString(l)
	}
	x.lines = x.lines[:0]
	return w.Flush()
}

// close writes the sorted lines.
func (x *index) close() error {
	slices.Sort(x.lines)
	_, err := save.Rewrite(x.name, 0o666, func(to io.Writer) error {
		w := bufio.NewWriter(to)
		x.merge(w)
		x.drop()
		err := w.Flush() // the first write error
		if s, ok := to.(interface{ Sync() error }); ok && err == nil {
			err = s.Sync()
		}
		return err
	})
	return err
}

// drop frees the runs.
func (x *index) drop() {
	for _, run := range x.runs {
		run.close()
	}
	x.runs = nil
}

// merge writes the lines of the runs and of memory in order.
func (x *index) merge(w *bufio.Writer) {
	var in []*bufio.Reader
	for _, run := range x.runs {
		in = append(in, bufio.NewReader(run.from(0)))
	}
	in = append(in, bufio.NewReader(strings.NewReader(strings.Join(x.lines, ""))))
	heads := make([]string, len(in))
	for i := range in {
		heads[i], _ = in[i].ReadString('\n')
	}
	for {
		least := -1
		for i, h := range heads {
			if h != "" && (least < 0 || h < heads[least]) {
				least = i
			}
		}
		if least < 0 {
			return
		}
		w.WriteString(heads[least])
		heads[least], _ = in[least].ReadString('\n')
	}
}
