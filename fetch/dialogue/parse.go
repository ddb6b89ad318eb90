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
	text = strings.TrimPrefix(text, "\ufeff") // some editors add it
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

// add parses one line. form is the character after its head.
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
	data, more, err := parseData(form, rest)
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
		return fmt.Errorf("an alternative must follow a C line of its connection")
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

// goesOn reports whether next continues the datagram l.
func (l Line) goesOn(next Line) bool {
	return l.Conn == 0 && l.Arg == `\` && next.Dir == l.Dir && next.Conn == 0
}

func head(raw string) (l Line, form byte, rest string, err error) {
	i := strings.IndexAny(raw, ":|=")
	if i < 1 || !strings.ContainsRune("CS*", rune(raw[0])) {
		return l, 0, "", fmt.Errorf("%q has none of the prefixes C:, S: and *: of a line", raw)
	}
	l.Dir, l.Conn, form = raw[0], 1, raw[i]
	if i > 1 {
		n, err := strconv.ParseUint(raw[1:i], 10, 16)
		if err != nil || n > maxConn {
			return l, 0, "", fmt.Errorf("%q is not the number of a connection", raw[1:i])
		}
		l.Conn = int(n)
	}
	if l.Dir == '*' && form != ':' {
		return l, 0, "", fmt.Errorf("* must be followed by a colon")
	}
	return l, form, strings.TrimPrefix(raw[i+1:], " "), nil
}

func (l *Line) words(text string) error {
	switch {
	case strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"):
		l.Mark, l.Arg = Remark, unescape(text[1:len(text)-1])
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
		return fmt.Errorf("unknown event %q; put remarks in parentheses", mark)
	}
	if l.Mark == Random {
		if b, err := hex.DecodeString(l.Arg); err != nil || len(b) == 0 {
			return fmt.Errorf("%q is not a sequence of bytes in hexadecimal", arg)
		}
	}
	if l.Mark == Delay {
		if d, err := time.ParseDuration(arg); err != nil || d < 0 || d > time.Hour {
			return fmt.Errorf("%q is not a duration", arg)
		}
	}
	return nil
}

// unescape decodes the escapes of text. It returns text unchanged if an escape is invalid.
func unescape(text string) string {
	data, more, err := parseData(':', text)
	if err != nil || more {
		return text
	}
	return string(data)
}

// parseData decodes the text after the head. more is true if a backslash ends it.
func parseData(form byte, text string) (data []byte, more bool, err error) {
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
				return nil, false, fmt.Errorf(`\x%s is not a byte`, text[i+1:i+3])
			}
			data, i = append(data, byte(n)), i+2
		default:
			return nil, false, fmt.Errorf(`unknown escape \%c`, text[i])
		}
	}
	return data, false, nil
}
