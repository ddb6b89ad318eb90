package spill

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// A Sorter sorts lines: in memory, and beyond maxHeld in sorted runs, each in a File. Its memory and the number of its Files are bounded, as far
// as lines are.
type Sorter struct {
	Dir  string // for the Files, see Create
	held []string
	size int // bytes of held
	runs []run
}

// A run of level 0 has the lines of memory, and each other one those of maxRuns runs of the level below.
type run struct {
	*File
	level int
}

const (
	maxHeld = 512 << 10
	maxRuns = 16 // of one level
)

// Add adds a line, without its end.
func (s *Sorter) Add(line string) error {
	s.held = append(s.held, line+"\n")
	if s.size += len(line); s.size < maxHeld {
		return nil
	}
	err := s.add(0, nil)
	for err == nil {
		n := max(len(s.runs)-maxRuns, 0)
		if same := s.runs[n:]; len(same) < maxRuns || same[0].level != same[maxRuns-1].level {
			break
		}
		from := slices.Clone(s.runs[n:])
		s.runs = s.runs[:n]
		err = s.add(from[0].level+1, from)
		drop(from)
	}
	return err
}

// add adds a run with the lines of others and of memory.
func (s *Sorter) add(level int, from []run) error {
	f, err := Create(s.Dir)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run{f, level})
	w := bufio.NewWriterSize(f, 64<<10)
	if err := s.merge(w, from); err != nil {
		return err
	}
	return w.Flush()
}

// Write writes all lines in order. Flushing w returns its errors.
func (s *Sorter) Write(w *bufio.Writer) error { return s.merge(w, s.runs) }

// merge writes the lines of runs and of memory in order.
func (s *Sorter) merge(w *bufio.Writer, runs []run) error {
	slices.Sort(s.held)
	heads := []*head{{in: bufio.NewReader(strings.NewReader(strings.Join(s.held, "")))}}
	s.held, s.size = s.held[:0], 0
	for _, r := range runs {
		heads = append(heads, &head{in: bufio.NewReader(io.NewSectionReader(r, 0, 1<<62))})
	}
	for _, h := range heads {
		if err := h.next(); err != nil {
			return err
		}
	}
	for {
		heads = slices.DeleteFunc(heads, func(h *head) bool { return h.line == "" })
		if len(heads) == 0 {
			return nil
		}
		least := slices.MinFunc(heads, func(a, b *head) int { return strings.Compare(a.line, b.line) })
		w.WriteString(least.line)
		if err := least.next(); err != nil {
			return err
		}
	}
}

// A head is the next line of a run that is being merged, "" at its end.
type head struct {
	in   *bufio.Reader
	line string
}

func (h *head) next() (err error) {
	if h.line, err = h.in.ReadString('\n'); err == io.EOF {
		err = nil
	}
	return err
}

// Close forgets all lines.
func (s *Sorter) Close() {
	drop(s.runs)
	*s = Sorter{Dir: s.Dir}
}

func drop(runs []run) {
	for _, r := range runs {
		r.Close()
	}
}
