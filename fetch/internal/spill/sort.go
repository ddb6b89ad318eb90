package spill

import (
	"bufio"
	"cmp"
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
	return s.write(f, from)
}

// Write writes all lines in order.
func (s *Sorter) Write(w io.Writer) error { return s.write(w, s.runs) }

func (s *Sorter) write(w io.Writer, runs []run) error {
	out := bufio.NewWriterSize(w, 64<<10)
	err := s.merge(runs, func(line string) error {
		out.WriteString(line) // Flush reports errors
		return nil
	})
	return cmp.Or(err, out.Flush())
}

// Each calls do for all lines, each with its end, in order. It stops after an error.
func (s *Sorter) Each(do func(line string) error) error { return s.merge(s.runs, do) }

// merge calls do for the lines of runs and of memory in order.
func (s *Sorter) merge(runs []run, do func(line string) error) error {
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
		if err := cmp.Or(do(least.line), least.next()); err != nil {
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
