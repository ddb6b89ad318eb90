package tn3270

// A cell is one position of the screen: a character, or the attribute of a field, which is shown as a blank.
type cell struct {
	char  byte // EBCDIC, 0 for none
	apl   bool // of the other character set (GE)
	field bool // attr begins a field here
	attr  byte
	look
}

// A look holds what SFE, SA and MF set (GA23-0059 "Character attributes"). 0 is the default.
type look struct{ highlight, color, back byte }

// Bits of a field's attribute.
const (
	protected = 0x20
	numeric   = 0x10
	display   = 0x0c
	intense   = 0x08
	hidden    = 0x0c
	modified  = 0x01
)

// A screen holds the host's output and the user's input.
type screen struct {
	rows, cols       int
	altRows, altCols int
	cells            []cell
	cursor           int
	locked           bool
	alarm            bool
	aid              byte // of the last key that was sent
	insert           bool
	writes           int // records that changed it
}

const noAID = 0x60

// newScreen returns the screen of a model, 2 to 5.
func newScreen(model byte) *screen {
	s := &screen{altRows: 24, altCols: 80, locked: true, aid: noAID}
	switch model {
	case '3':
		s.altRows = 32
	case '4':
		s.altRows = 43
	case '5':
		s.altRows, s.altCols = 27, 132
	}
	s.erase(false)
	return s
}

// erase clears the screen and sets one of its two sizes.
func (s *screen) erase(alternate bool) {
	s.rows, s.cols = 24, 80
	if alternate {
		s.rows, s.cols = s.altRows, s.altCols
	}
	s.cells = make([]cell, s.rows*s.cols)
	s.cursor = 0
}

func (s *screen) next(at int) int { return (at + 1) % len(s.cells) }
func (s *screen) prev(at int) int { return (at + len(s.cells) - 1) % len(s.cells) }

// fieldAt returns the position of the attribute of at's field. ok is false on a screen without fields.
func (s *screen) fieldAt(at int) (i int, ok bool) {
	for n := 0; n < len(s.cells); n++ {
		if s.cells[at].field {
			return at, true
		}
		at = s.prev(at)
	}
	return 0, false
}

// marks returns for each position that of its field's attribute, -1 on a screen without fields.
func (s *screen) marks() []int {
	list := make([]int, len(s.cells))
	at, ok := s.fieldAt(len(s.cells) - 1)
	if !ok {
		at = -1
	}
	for i := range s.cells {
		if s.cells[i].field {
			at = i
		}
		list[i] = at
	}
	return list
}

// open reports whether a character can be typed at a position.
func (s *screen) open(at int) bool {
	if s.cells[at].field {
		return false
	}
	f, ok := s.fieldAt(at)
	return !ok || s.cells[f].attr&protected == 0
}

// nextInput returns the first position of the next unprotected field after at, 0 if there is none.
func (s *screen) nextInput(at int) int {
	for i, n := at, 0; n < len(s.cells); n++ {
		j := s.next(i)
		if s.cells[i].field && s.cells[i].attr&protected == 0 && !s.cells[j].field {
			return j
		}
		i = j
	}
	return 0
}

// eraseInput clears the unprotected fields in [from,to), wrapping around. If from and to are equal, it clears all.
func (s *screen) eraseInput(from, to int) {
	marks := s.marks()
	for i, n := from, 0; n == 0 || i != to && n < len(s.cells); i, n = s.next(i), n+1 {
		if c := &s.cells[i]; !c.field && (marks[i] < 0 || s.cells[marks[i]].attr&protected == 0) {
			*c = cell{}
		}
	}
}

func (s *screen) resetModified() {
	for i := range s.cells {
		s.cells[i].attr &^= modified
	}
}

// A field is the part of the screen between two attributes.
type field struct{ at, length int }

// fields returns the fields in the order of their attributes.
func (s *screen) fields() (list []field) {
	for i := range s.cells {
		if !s.cells[i].field {
			continue
		}
		n := 0
		for j := s.next(i); !s.cells[j].field; j = s.next(j) {
			n++
		}
		list = append(list, field{i, n})
	}
	return list
}
