package warc

import (
	"bufio"
	"container/heap"
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

// An index collects the CDXJ lines of one file and sorts them: in memory, and beyond maxLines in runs.
type index struct {
	name  string
	dir   string
	lines []string
	runs  []*indexRun
}

// An indexRun holds sorted lines in an unnamed file. A run of level 0 has the lines of memory, and each other one those of maxRuns runs of
// the level below.
type indexRun struct {
	spool
	level int
}

const (
	maxLines = 1 << 12 // in memory
	maxRuns  = 16      // of one level
)

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
	return x.addLine(surt(r.Target()) + " " + r.Date().UTC().Format("20060102150405") + " " + string(b))
}

func (x *index) addLine(line string) error {
	x.lines = append(x.lines, line+"\n")
	if len(x.lines) >= maxLines {
		return x.spill()
	}
	return nil
}

// spill moves the lines into a sorted run.
func (x *index) spill() error {
	if err := x.addRun(0, nil); err != nil {
		return err
	}
	x.lines = x.lines[:0]
	for {
		n := max(len(x.runs)-maxRuns, 0)
		if same := x.runs[n:]; len(same) < maxRuns || same[0].level != same[maxRuns-1].level {
			return nil
		}
		from := slices.Clone(x.runs[n:])
		x.runs = x.runs[:n]
		err := x.addRun(from[0].level+1, from)
		dropRuns(from)
		if err != nil {
			return err
		}
	}
}

// addRun adds a run with the lines of others, or of memory if there are none.
func (x *index) addRun(level int, from []*indexRun) error {
	run := &indexRun{spool{dir: x.dir}, level}
	x.runs = append(x.runs, run)
	if err := run.spill(); err != nil {
		return err
	}
	w := bufio.NewWriter(run)
	if from == nil {
		x.writeLines(w)
	} else if err := mergeRuns(w, from); err != nil {
		return err
	}
	return w.Flush()
}

// writeLines writes the lines in memory in order.
func (x *index) writeLines(w *bufio.Writer) {
	slices.Sort(x.lines)
	for _, l := range x.lines {
		w.WriteString(l)
	}
}

// close writes the sorted lines.
func (x *index) close() error {
	_, err := save.Rewrite(x.name, 0o666, func(to io.Writer) error {
		w := bufio.NewWriter(to)
		err := x.merge(w)
		x.drop()
		if ferr := w.Flush(); err == nil { // the first write error
			err = ferr
		}
		if s, ok := to.(interface{ Sync() error }); ok && err == nil {
			err = s.Sync()
		}
		return err
	})
	return err
}

// drop frees the runs.
func (x *index) drop() {
	dropRuns(x.runs)
	x.runs = nil
}

func dropRuns(runs []*indexRun) {
	for _, run := range runs {
		run.close()
	}
}

// merge writes the lines of the runs and of memory in order.
func (x *index) merge(w *bufio.Writer) error {
	if len(x.runs) == 0 {
		x.writeLines(w)
		return nil
	}
	if err := x.addRun(0, nil); err != nil {
		return err
	}
	return mergeRuns(w, x.runs)
}

// mergeRuns writes the lines of the runs in order.
func mergeRuns(w *bufio.Writer, runs []*indexRun) error {
	var q lineRuns
	for _, run := range runs {
		r := &lineRun{in: bufio.NewReader(run.from(0))}
		if err := r.next(); err != nil {
			return err
		}
		if r.line != "" {
			q = append(q, r)
		}
	}
	heap.Init(&q)
	for len(q) > 0 {
		w.WriteString(q[0].line)
		if err := q[0].next(); err != nil {
			return err
		}
		if q[0].line != "" {
			heap.Fix(&q, 0)
		} else {
			heap.Pop(&q)
		}
	}
	return nil
}

// A lineRun is a sorted run that is being merged.
type lineRun struct {
	in   *bufio.Reader
	line string // "" at the end
}

func (r *lineRun) next() (err error) {
	if r.line, err = r.in.ReadString('\n'); err == io.EOF {
		err = nil
	}
	return err
}

type lineRuns []*lineRun

func (q lineRuns) Len() int           { return len(q) }
func (q lineRuns) Less(i, j int) bool { return q[i].line < q[j].line }
func (q lineRuns) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *lineRuns) Push(x any)        { *q = append(*q, x.(*lineRun)) }
func (q *lineRuns) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
