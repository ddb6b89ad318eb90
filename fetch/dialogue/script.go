package dialogue

import (
	"slices"
	"strings"
	"time"
)

// A Script is a conversation.
type Script struct {
	Lines []Line

	authority authority // of its Players
}

// A Line is something sent, a step, or an event.
type Line struct {
	Dir   byte     // 'C', 'S', '*'
	Conn  int      // 0 for datagrams
	Data  []byte   // C and S: the bytes, with their line end
	Or    [][]byte // C: alternatives
	Words string   // *: a step
	Mark  Mark     // *: an event
	Arg   string   // the text after the Mark
	Pos   int      // line number in the text, from 1
}

// forms returns what the client may send: the bytes of the line, and its alternatives.
func (l *Line) forms() [][]byte { return append([][]byte{l.Data}, l.Or...) }

// A Mark is the first word of an event.
type Mark string

const (
	Listening Mark = "listening"
	Connected Mark = "connected"
	Refused   Mark = "refused"
	TLS       Mark = "TLS"
	End       Mark = "end"
	Cut       Mark = "cut"
	Delay     Mark = "delay"
	If        Mark = "if"
	Whole     Mark = "whole"
	Random    Mark = "random"
	Remark    Mark = "remark"
)

func (m Mark) known() bool {
	switch m {
	case Listening, Connected, Refused, TLS, End, Cut, Delay, If, Whole, Random:
		return true
	}
	return false
}

// Bytes returns how many bytes the script's server sends over connections, datagrams excluded.
func (s *Script) Bytes() int {
	b := s.Bounds()
	return b[len(b)-1]
}

// Needed returns how many of these bytes the client needs for the document: those before [whole], or all.
func (s *Script) Needed() int {
	lines := s.Lines
	if i := slices.IndexFunc(lines, func(l Line) bool { return l.Mark == Whole }); i >= 0 {
		lines = lines[:i]
	}
	return (&Script{Lines: lines}).Bytes()
}

// Bounds returns the offsets of the S lines in these bytes, and the end of the last one.
func (s *Script) Bounds() []int {
	list, n := []int{0}, 0
	for _, l := range s.Lines {
		if l.Dir == 'S' && l.Conn > 0 && len(l.Data) > 0 {
			n += len(l.Data)
			list = append(list, n)
		}
	}
	return list
}

// Delays returns the sum of all [delay].
func (s *Script) Delays() time.Duration {
	var sum time.Duration
	for _, l := range s.Lines {
		if l.Mark == Delay {
			d, _ := time.ParseDuration(l.Arg)
			sum += d
		}
	}
	return sum
}

// Datagrams reports whether the script has datagrams.
func (s *Script) Datagrams() bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Conn == 0 && (l.Dir == 'C' || l.Dir == 'S') })
}

// Steps returns the steps.
func (s *Script) Steps() []string {
	var list []string
	for _, l := range s.Lines {
		if l.Dir == '*' && l.Mark == "" {
			list = append(list, l.Words)
		}
	}
	return list
}

// conns returns the highest number of a connection.
func (s *Script) conns() int {
	n := 0
	for _, l := range s.Lines {
		n = max(n, l.Conn)
	}
	return n
}

// Secure reports whether the script uses TLS.
func (s *Script) Secure() bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Mark == TLS })
}

// refuses reports whether connection n is refused.
func (s *Script) refuses(n int) bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Mark == Refused && l.Conn == n })
}

// String returns the text of the script, without comments.
func (s *Script) String() string {
	var b strings.Builder
	for _, l := range s.Lines {
		b.Write(l.append(nil))
	}
	return b.String()
}
