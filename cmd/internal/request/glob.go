package request

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/uri"
)

// maxExpanded bounds how many URIs one argument stands for.
const maxExpanded = 100_000

// expand returns the texts of the URIs of an argument with curl's {a,b}, [1-10] and [a-z:2]. They are expanded only where a URI cannot have these characters: in
// hierarchical URIs, and not in modes that predate RFC 3986, in which they stand for themselves.
func (f *objectFlags) expand(m uri.Mode, arg string) ([]Target, error) {
	list := []Target{{}}
	_, rest, hierarchical := strings.Cut(arg, "://")
	if f.globOff || !hierarchical || m != uri.RFC3986 || !strings.ContainsAny(rest, "{[") {
		return []Target{{Arg: arg}}, nil
	}
	literal := strings.TrimSuffix(arg, rest)
	for at := len(literal); at < len(arg); {
		words, size := pattern(arg[at:])
		if words == nil {
			literal += arg[at : at+1]
			at++
			continue
		}
		if len(list)*len(words) > maxExpanded {
			return nil, &flags.UsageError{Text: fmt.Sprintf("%s stands for more than %d URIs", flags.MaskLogin(arg), maxExpanded), Hint: "--input FILE reads longer lists, and -g switches patterns off"}
		}
		next := make([]Target, 0, len(list)*len(words))
		for _, e := range list {
			for _, w := range words {
				next = append(next, Target{Arg: e.Arg + literal + w, words: append(slices.Clip(e.words), w)})
			}
		}
		list, literal = next, ""
		at += size
	}
	for i := range list {
		list[i].Arg += literal
	}
	return list, nil
}

// pattern returns the words of the set or range at the beginning of s, and its length. It returns nil if there is none.
func pattern(s string) (words []string, size int) {
	switch s[0] {
	case '{':
		end := strings.IndexByte(s, '}')
		if end < 0 || !strings.Contains(s[:end], ",") {
			return nil, 0
		}
		return strings.Split(s[1:end], ","), end + 1
	case '[':
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return nil, 0
		}
		return ranged(s[1:end]), end + 1
	}
	return nil, 0
}

// ranged expands a range such as 1-10, 001-100:5 or a-z. It returns nil if s is not a range, as an address in brackets is not one.
func ranged(s string) []string {
	bounds, by, hasStep := strings.Cut(s, ":")
	first, last, ok := strings.Cut(bounds, "-")
	step := uint64(1)
	if hasStep {
		n, err := strconv.ParseUint(by, 10, 31)
		if err != nil || n < 1 {
			return nil
		}
		step = n
	}
	form, width := "%0*d", 0
	from, ferr := strconv.ParseUint(first, 10, 31)
	to, terr := strconv.ParseUint(last, 10, 31)
	switch {
	case ok && len(first) == 1 && len(last) == 1 && isLetter(first[0]) && isLetter(last[0]):
		form, from, to = "%*c", uint64(first[0]), uint64(last[0])
	case !ok || ferr != nil || terr != nil || from > to:
		return nil
	case first[0] == '0':
		width = len(first)
	}
	var words []string
	for n := from; n <= to && len(words) <= maxExpanded; n += step {
		words = append(words, fmt.Sprintf(form, width, n))
	}
	return words
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Numbered replaces #1, #2 ... in the name of a file by the words that were chosen in the target's URI.
func (t Target) Numbered(name string) string {
	parts := strings.Split(name, "#")
	for i, part := range parts[1:] {
		text := strings.TrimLeft(part, "0123456789")
		n, err := strconv.Atoi(part[:len(part)-len(text)])
		if err == nil && n > 0 && n <= len(t.words) {
			parts[i+1] = strings.ReplaceAll(t.words[n-1], "/", "_") + text
		} else {
			parts[i+1] = "#" + part
		}
	}
	return strings.Join(parts, "")
}
