package dialogue

import (
	"strings"
	"time"
)

// A Script is a conversation.
type Script struct {
	Lines []Line
}

// A Line is one utterance or happening.
type Line struct {
	Dir   byte     // 'C', 'S', '*'
	Conn  int      // 0 is datagrams
	Data  []byte   // C and S: the octets, with their line end
	Or    [][]byte // C: what may be said instead
	Words string   // *: a step
	Mark  Mark     // *: a happening
	Arg   string   // what stands behind the Mark
	Pos   int      // line number in the text, from 1
}

// A Mark is the first word in square brackets.
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
	remark    Mark = "remark"
)

func (m Mark) known() bool {
	switch m {
	case Listening, Connected, Refused, TLS, End, Cut, Delay, If, Whole, Random:
		return true
	}
	return false
}

// Octets returns how many octets the server says on connections in all.
func (s *Script) Octets() int {
	n, _ := s.octets()
	return n
}

// Needed returns how many of the server's octets the document needs: those before [whole], or all.
func (s *Script) Needed() int {
	_, n := s.octets()
	return n
}

func (s *Script) octets() (all, needed int) {
	whole := false
	for _, l := range s.Lines {
		switch {
		case l.Mark == Whole:
			whole = true
		case l.Dir == 'S' && l.Conn > 0:
			all += len(l.Data)
			if !whole {
				needed += len(l.Data)
			}
		}
	}
	return all, needed
}

// Bounds returns the numbers of octets after which the server has finished an S line: where it can fall silent between two.
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

// Datagrams reports whether the script has any.
func (s *Script) Datagrams() bool {
	for _, l := range s.Lines {
		if l.Conn == 0 && (l.Dir == 'C' || l.Dir == 'S') {
			return true
		}
	}
	return false
}

// Steps returns the steps in words.
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

// Secure reports whether TLS is spoken.
func (s *Script) Secure() bool {
	for _, l := range s.Lines {
		if l.Mark == TLS {
			return true
		}
	}
	return false
}

// refuses reports whether connection n is refused.
func (s *Script) refuses(n int) bool {
	for _, l := range s.Lines {
		if l.Mark == Refused && l.Conn == n {
			return true
		}
	}
	return false
}

// String returns the text of the script, without its comments.
func (s *Script) String() string {
	var b strings.Builder
	for _, l := range s.Lines {
		b.Write(l.append(nil))
	}
	return b.String()
}
