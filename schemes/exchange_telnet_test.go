package schemes_test

import (
	"errors"
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
)

// doubled returns s with each IAC doubled, as in data and in sub-negotiations.
func doubled(s string) string { return strings.ReplaceAll(s, "\xff", "\xff\xff") }

func sub(opt byte, s string) string {
	return "\xff\xfa" + string([]byte{opt}) + doubled(s) + "\xff\xf0"
}

func telnetGreeting(value string) string {
	const options = "\xff\xfd\x18\xff\xfd\x1f\xff\xfd\x27\xff\xfb\x01\xff\xfb\x03\xff\xfd\xc8"
	return options + sub(nvt.TerminalType, "\x01") + sub(nvt.NewEnviron, "\x01") + sub(nvt.NewEnviron, "\x01\x00X"+value) +
		doubled("hi "+value)
}

// query requests the terminal's capabilities (Read Partition), and screen writes on it.
const query, screen = "\xf3\x00\x05\x01\xff\x02", "\xf5\xc3\xc8\xc9"

func extendedGreeting(value string) string {
	end := "\xff\xef"
	return "\xff\xfd\x28" + sub(nvt.TN3270E, "\x08\x02") + sub(nvt.TN3270E, "\x02\x04IBM-3278-2-E\x01"+value) + sub(nvt.TN3270E, "\x03\x04") +
		"\x00\x00\x00\x00\x00" + doubled(query) + end + "\x00\x00\x00\x00\x00" + screen + end
}

func classicGreeting(value string) string {
	return "\xff\xfd\x18" + sub(nvt.TerminalType, "\x01"+value) + "\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00" + doubled(query) +
		"\xff\xef" + screen + "\xff\xef"
}

// telnetWire sends its greeting, and closes.
type telnetWire struct {
	greeting string
	in       []byte
}

func (w *telnetWire) Hear(b []byte) [][]byte {
	if w.in = append(w.in, b...); b != nil {
		return nil
	}
	return [][]byte{[]byte(w.greeting), {}}
}

// Said parses the stream (RFC 854, RFC 855): answers to the options of the greeting, each once; sub-negotiations; records.
func (w *telnetWire) Said() (list []string, err error) {
	in, data := w.in, []byte(nil)
	given := map[string]bool{}
	for len(in) > 0 {
		if in[0] != nvt.IAC {
			data, in = append(data, in[0]), in[1:]
			continue
		}
		if len(in) < 2 {
			return list, errors.New("got an IAC at the end")
		}
		switch cmd := in[1]; {
		case cmd == nvt.IAC:
			data, in = append(data, cmd), in[2:]
		case cmd == nvt.EOR:
			if len(data) > 6 {
				data = append(data[:0:0], data[:6]...)
			}
			list = append(list, fmt.Sprintf("record %x", data))
			data, in = nil, in[2:]
		case cmd == nvt.SB:
			words, rest, err := subOf(in[2:])
			if err != nil {
				return list, err
			}
			if in = rest; words != "" {
				list = append(list, words)
			}
		case cmd >= nvt.WILL && len(in) > 2:
			asked := map[byte]byte{nvt.WILL: nvt.DO, nvt.WONT: nvt.DO, nvt.DO: nvt.WILL, nvt.DONT: nvt.WILL}[cmd]
			key := string([]byte{asked, in[2]})
			if given[key] || !strings.Contains(w.greeting, "\xff"+key) {
				return list, fmt.Errorf("got the answer %d %d, for which nothing has asked", cmd, in[2])
			}
			given[key], in = true, in[3:]
		default:
			return list, fmt.Errorf("got the command %d", cmd)
		}
	}
	if len(data) > 0 {
		return list, fmt.Errorf("got the data %q", data)
	}
	return list, nil
}

// subOf parses a sub-negotiation after IAC SB.
func subOf(in []byte) (words string, rest []byte, err error) {
	var p []byte
	for {
		switch {
		case len(in) < 2:
			return "", nil, errors.New("got a sub-negotiation without end")
		case in[0] != nvt.IAC:
			p, in = append(p, in[0]), in[1:]
			continue
		case in[1] == nvt.IAC:
			p, in = append(p, nvt.IAC), in[2:]
			continue
		case in[1] != nvt.SE || len(p) == 0:
			return "", nil, fmt.Errorf("got the command %d in a sub-negotiation", in[1])
		}
		if p[0] != nvt.NewEnviron {
			return fmt.Sprintf("sub %d %q", p[0], p[1:]), in[2:], nil
		}
		list, err := environ(p[1:])
		if err != nil || len(list) == 0 { // the client sends no variable other than USER
			return "", in[2:], err
		}
		return fmt.Sprintf("environ %q", list), in[2:], nil
	}
}

// environ parses IS and its variables: RFC 1572 section 2.
func environ(p []byte) (list []string, err error) {
	if len(p) == 0 || p[0] != 0 {
		return nil, fmt.Errorf("got the environment %q", p)
	}
	for p = p[1:]; len(p) > 0; p = p[1:] {
		switch c := p[0]; {
		case c == 0 || c == 3: // VAR, USERVAR
			list = append(list, "")
			continue
		case c == 1 && len(list) > 0: // VALUE
			list = append(list, "")
			continue
		case c == 2 && len(p) > 1: // ESC
			p = p[1:]
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("got %q in an environment before any variable", p)
		}
		list[len(list)-1] += string(p[:1])
	}
	return list, nil
}

// wantTelnet returns the sub-negotiation of a step, or the beginning of its record.
func wantTelnet(s fetch.Step, p *fetch.Plan, _ string) string {
	arg := func(i int) string {
		if i < len(s.Args) {
			return s.Args[i]
		}
		return ""
	}
	switch s.Verb {
	case "IAC SB TERMINAL-TYPE IS":
		name := arg(0)
		if p.URI.Scheme() == "telnet" {
			name = strings.ToUpper(name)
		}
		return fmt.Sprintf("sub %d %q", nvt.TerminalType, "\x00"+name)
	case "IAC SB NAWS":
		return fmt.Sprintf("sub %d %q", nvt.NAWS, "\x00P\x00\x18") // 80, 24
	case "IAC SB NEW-ENVIRON IS USER":
		return fmt.Sprintf("environ %q", []string{"USER", arg(0)})
	case "IAC SB TN3270E DEVICE-TYPE REQUEST":
		said := "\x02\x07" + arg(0)
		if len(s.Args) > 1 {
			said += "\x01" + arg(2) // CONNECT
		}
		return fmt.Sprintf("sub %d %q", nvt.TN3270E, said)
	case "IAC SB TN3270E FUNCTIONS REQUEST":
		return fmt.Sprintf("sub %d %q", nvt.TN3270E, "\x03\x07")
	case "QUERY REPLY":
		const reply = "\x88\x00\x0a\x81\x80\x80"
		if strings.Contains(p.URI.String(), "@") { // the classic one
			return fmt.Sprintf("record %x", reply)
		}
		return fmt.Sprintf("record %x", "\x00\x00\x00\x00\x00\x88")
	}
	return ""
}
