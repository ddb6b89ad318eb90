package dialogue

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxConn bounds the numbers of connections in a script.
const maxConn = 1000

// Parse reads a script. An error names the line.
func Parse(text string) (*Script, error) {
	s := &Script{}
	pos := 0
	for raw := range strings.Lines(text) {
		pos++
		raw = strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		if strings.TrimSpace(raw) == "" || raw[0] == '#' {
			continue
		}
		if err := s.add(raw, pos); err != nil {
			return nil, fmt.Errorf("line %d: %w", pos, err)
		}
	}
	return s, nil
}

// add reads one line. form is the character behind its head.
func (s *Script) add(raw string, pos int) error {
	l, form, rest, err := head(raw)
	if err != nil {
		return err
	}
	l.Pos = pos
	if l.Dir == '*' {
		if err := l.words(rest); err != nil {
			return err
		}
		s.Lines = append(s.Lines, l)
		return nil
	}
	data, more, err := octets(form, rest)
	if err != nil {
		return err
	}
	if !more && form != '=' && l.Conn != 0 {
		data = append(data, "\r\n"...)
	}
	l.Data = data
	return s.put(l, form, more)
}

func (s *Script) put(l Line, form byte, more bool) error {
	last := len(s.Lines) - 1
	switch {
	case form == '|' && (l.Dir != 'C' || last < 0 || s.Lines[last].Dir != 'C' || s.Lines[last].Conn != l.Conn):
		return fmt.Errorf("an alternative stands behind a C line of its connection")
	case form == '|':
		s.Lines[last].Or = append(s.Lines[last].Or, l.Data)
		return nil
	case last >= 0 && s.Lines[last].goesOn(l):
		s.Lines[last].Data = append(s.Lines[last].Data, l.Data...)
		s.Lines[last].Arg = ""
	default:
		s.Lines = append(s.Lines, l)
	}
	if l.Conn == 0 && more {
		s.Lines[len(s.Lines)-1].Arg = `\`
	}
	return nil
}

// goesOn reports whether l is a datagram that next belongs to.
func (l Line) goesOn(next Line) bool {
	return l.Conn == 0 && l.Arg == `\` && next.Dir == l.Dir && next.Conn == 0
}

func head(raw string) (l Line, form byte, rest string, err error) {
	i := strings.IndexAny(raw, ":|=")
	if i < 1 || !strings.ContainsRune("CS*", rune(raw[0])) {
		return l, 0, "", fmt.Errorf("%q begins with none of C:, S:, *: and their like", raw)
	}
	l.Dir, l.Conn, form = raw[0], 1, raw[i]
	if i > 1 {
		n, err := strconv.ParseUint(raw[1:i], 10, 16)
		if err != nil || n > maxConn {
			return l, 0, "", fmt.Errorf("%q is no number of a connection", raw[1:i])
		}
		l.Conn = int(n)
	}
	if l.Dir == '*' && form != ':' {
		return l, 0, "", fmt.Errorf("behind * stands a colon")
	}
	return l, form, strings.TrimPrefix(raw[i+1:], " "), nil
}

func (l *Line) words(text string) error {
	switch {
	case strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"):
		l.Mark, l.Arg = remark, unescape(text[1:len(text)-1])
		return nil
	case !strings.HasPrefix(text, "["):
		l.Words = unescape(text)
		return nil
	case !strings.HasSuffix(text, "]"):
		return fmt.Errorf("%q has no closing bracket", text)
	}
	mark, arg, _ := strings.Cut(text[1:len(text)-1], " ")
	l.Mark, l.Arg = Mark(mark), unescape(arg)
	if !l.Mark.known() {
		return fmt.Errorf("nothing called %q can happen; remarks stand in round brackets", mark)
	}
	if l.Mark == Random {
		if b, err := hex.DecodeString(l.Arg); err != nil || len(b) == 0 {
			return fmt.Errorf("%q is not a number of octets in hexadecimal", arg)
		}
	}
	if l.Mark == Delay {
		if d, err := time.ParseDuration(arg); err != nil || d < 0 || d > time.Hour {
			return fmt.Errorf("%q is no duration", arg)
		}
	}
	return nil
}

// unescape reads words; what is no escape stands for itself.
func unescape(text string) string {
	data, more, err := octets(':', text)
	if err != nil || more {
		return text
	}
	return string(data)
}

// octets reads what stands behind the head; more says that a backslash ended it.
func octets(form byte, text string) (data []byte, more bool, err error) {
	if form == '=' {
		data, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		return data, false, err
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			data = append(data, text[i])
			continue
		}
		if i+1 == len(text) {
			return data, true, nil
		}
		i++
		switch text[i] {
		case '\\':
			data = append(data, '\\')
		case 'n':
			data = append(data, '\n')
		case 'r':
			data = append(data, '\r')
		case 't':
			data = append(data, '\t')
		case 'x':
			if i+2 >= len(text) {
				return nil, false, fmt.Errorf(`\x is not followed by two hexadecimal digits`)
			}
			n, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
			if err != nil {
				return nil, false, fmt.Errorf(`\x%s is no octet`, text[i+1:i+3])
			}
			data, i = append(data, byte(n)), i+2
		default:
			return nil, false, fmt.Errorf(`there is no escape \%c`, text[i])
		}
	}
	return data, false, nil
}
