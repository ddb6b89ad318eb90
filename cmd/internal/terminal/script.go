package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
)

// TypeLines types each line of r, followed by Enter.
func TypeLines(r io.Reader, keys io.Writer) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if text := strings.TrimRight(line, "\r\n"); line != "" {
			if _, err := io.WriteString(keys, text+"\r"); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// A ScriptLine is one line of a script: what to do, with the line number for errors.
type ScriptLine struct {
	number int
	Verb   string
	arg    string
	Re     *regexp.Regexp
	wait   time.Duration
}

// ParseScript reads a script: one verb a line. It skips empty lines and lines that begin with #.
func ParseScript(r io.Reader) (list []ScriptLine, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		l := ScriptLine{number: n}
		l.Verb, l.arg, _ = strings.Cut(text, " ")
		if err := l.read(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, l)
	}
	return list, fetch.LineError(lines.Err(), bufio.MaxScanTokenSize)
}

// read parses the argument of a line.
func (l *ScriptLine) read() (err error) {
	switch l.Verb {
	case "expect":
		l.Re, err = regexp.Compile(l.arg)
	case "timeout", "sleep":
		var s flags.Seconds
		err = s.Set(strings.TrimSpace(l.arg))
		l.wait = time.Duration(s)
	case "send", "type":
		l.arg, err = unquoted(l.arg)
		if l.Verb == "send" {
			l.arg += "\r"
		}
	case "key":
		name := l.arg
		if l.arg = keyBytes(name); l.arg == "" {
			err = fmt.Errorf("unknown key %q", name)
		}
	default:
		err = fmt.Errorf("%q is not one of expect, send, type, key, timeout, sleep", l.Verb)
	}
	return err
}

// unquoted returns a text without its quotes, if it is quoted as in Go.
func unquoted(s string) (string, error) {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return strconv.Unquote(s)
	}
	return s, nil
}

// PlayScript carries out the lines.
func PlayScript(ctx context.Context, list []ScriptLine, s *Screen, keys io.Writer) error {
	wait := 30 * time.Second
	for _, l := range list {
		var err error
		switch l.Verb {
		case "timeout":
			wait = l.wait
		case "sleep":
			s.Quiet(ctx, l.wait)
		case "expect":
			_, err = s.Expect(ctx, l.Re, wait)
		default:
			_, err = io.WriteString(keys, l.arg)
		}
		if err != nil {
			return inLine(l.number, err)
		}
	}
	return nil
}

// inLine adds the line number to err.
func inLine(n int, err error) error {
	if e, ok := errors.AsType[*fetch.Error](err); ok && n > 0 {
		return fetch.Errorf(e.Kind, "line %d of the script: %w", n, err)
	}
	if errors.Is(err, io.ErrClosedPipe) {
		return fetch.Errorf(fetch.ErrTruncated, "line %d of the script: the session has ended", n)
	}
	return err
}

// keyBytes returns what xterm sends for a key. It returns "" for an unknown one. PF keys are the same as F keys; PA, Clear, Attn, SysReq and
// Reset are keys of tn3270 (deref help tn3270).
func keyBytes(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if sent := map[string]string{"enter": "\r", "tab": "\t", "backtab": "\x1b[Z", "escape": "\x1b", "backspace": "\x7f", "home": "\x1b[H", "end": "\x1b[F",
		"insert": "\x1b[2~", "delete": "\x1b[3~", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"pa1": "\x1b1", "pa2": "\x1b2", "pa3": "\x1b3", "clear": "\x1bc", "attn": "\x1ba", "sysreq": "\x1bs", "reset": "\x12"}[name]; sent != "" { // Ctrl-R
		return sent
	}
	if ctrl, ok := strings.CutPrefix(name, "ctrl-"); ok && len(ctrl) == 1 && ctrl[0] >= 'a' && ctrl[0] <= 'z' {
		return string(ctrl[0] & 0x1f)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(name, "p"), "f"))
	if err != nil || n < 1 || n > 24 || !strings.Contains(name, "f") {
		return ""
	}
	return functionKey(n)
}

// functionKey returns what xterm sends for a function key. Those after F12 are the shifted ones.
func functionKey(n int) string {
	shift := ""
	if n > 12 {
		n, shift = n-12, ";2"
	}
	if n <= 4 {
		if shift != "" {
			return "\x1b[1;2" + string(rune('P'+n-1))
		}
		return "\x1bO" + string(rune('P'+n-1))
	}
	return "\x1b[" + [...]string{5: "15", 6: "17", 7: "18", 8: "19", 9: "20", 10: "21", 11: "23", 12: "24"}[n] + shift + "~"
}
