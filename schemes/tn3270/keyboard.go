package tn3270

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A keyboard converts the bytes of an xterm to 3270 keys.
type keyboard struct {
	pending []byte
	cr      bool // the last character was a CR
}

// maxPending limits the input that is typed ahead.
const maxPending = 1 << 20

// A key is a character, or a function.
type key struct {
	char rune
	aid  byte
	name string
}

// next removes and returns the next key. It leaves an incomplete sequence.
func (k *keyboard) next() (key, bool) {
	if k.cr && bytes.HasPrefix(k.pending, []byte("\n")) { // CR LF is one key
		k.pending, k.cr = k.pending[1:], false
	}
	p := k.pending
	if len(p) == 0 {
		return key{}, false
	}
	k.cr = false
	if p[0] == 0x1b {
		n, found := escapeSequence(p)
		k.pending = p[n:]
		return found, n > 0
	}
	if !utf8.FullRune(p) {
		return key{}, false
	}
	r, n := utf8.DecodeRune(p)
	k.pending, k.cr = p[n:], r == '\r'
	return control(r), true
}

// urgent removes and returns the next key if it works although the keyboard is locked.
func (k *keyboard) urgent() (key, bool) {
	ahead := *k
	found, ok := ahead.next()
	if !ok || found.name != "attn" && found.name != "sysreq" && found.name != "reset" {
		return key{}, false
	}
	*k = ahead
	return found, true
}

// control returns the key of a character.
func control(r rune) key {
	found, ok := map[rune]key{
		'\r': {aid: aidEnter}, '\n': {name: "newline"}, '\t': {name: "tab"}, 0x7f: {name: "backspace"}, '\b': {name: "backspace"},
		'C' - '@': {aid: aidClear}, 'R' - '@': {name: "reset"}, 'L' - '@': {name: "redraw"}, 'E' - '@': {name: "erase-eof"}, 'U' - '@': {name: "erase-input"},
	}[r]
	switch {
	case ok:
		return found
	case r < ' ' || r == utf8.RuneError:
		return key{name: "none"}
	}
	return key{char: r}
}

// escapeSequence parses ESC and the bytes that belong to it. n is 0 if the sequence is incomplete.
func escapeSequence(p []byte) (n int, k key) {
	if len(p) == 1 {
		return 0, k
	}
	switch p[1] {
	case 'O':
		if len(p) < 3 {
			return 0, k
		}
		if c := p[2]; c >= 'P' && c <= 'S' {
			return 3, key{aid: aidPF(int(c-'P') + 1)}
		}
		return 3, cursorKey(p[2])
	case '[':
		for i := 2; i < len(p); i++ {
			if p[i] >= 0x40 && p[i] <= 0x7e {
				return i + 1, csi(string(p[2:i]), p[i])
			}
			if i > 16 {
				return i, key{name: "none"}
			}
		}
		return 0, k
	}
	found, ok := map[byte]key{
		'1': {aid: aidPA1}, '2': {aid: aidPA2}, '3': {aid: aidPA3}, 'c': {aid: aidClear}, 'a': {name: "attn"}, 's': {name: "sysreq"},
	}[bytes.ToLower(p[1:2])[0]]
	if !ok {
		found.name = "none"
	}
	return 2, found
}

// csi returns the key of ESC [ parameters final.
func csi(parameters string, final byte) key {
	first, second, _ := strings.Cut(parameters, ";")
	shift := 0
	if second == "2" {
		shift = 12
	}
	if final >= 'P' && final <= 'S' {
		return key{aid: aidPF(int(final-'P') + 1 + shift)}
	}
	if final != '~' {
		return cursorKey(final)
	}
	n, _ := strconv.Atoi(first)
	switch n {
	case 1, 7:
		return key{name: "home"}
	case 2:
		return key{name: "insert"}
	case 3:
		return key{name: "delete"}
	case 4, 8:
		return key{name: "end"}
	case 5:
		return key{aid: aidPF(7)} // page up and page down, as in most host programs
	case 6:
		return key{aid: aidPF(8)}
	}
	for i, code := range [...]int{11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34} {
		if code == n {
			return key{aid: aidPF(min(24, i+1+shift))}
		}
	}
	return key{name: "none"}
}

func cursorKey(final byte) key {
	names := map[byte]string{'A': "up", 'B': "down", 'C': "right", 'D': "left", 'F': "end", 'H': "home", 'Z': "backtab"}
	return key{name: cmp.Or(names[final], "none")}
}
