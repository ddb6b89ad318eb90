package app

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
)

// A keyPath is the path from the top of the file to a key. The elements of an array count from 0.
type keyPath []string

func (k keyPath) with(name string) keyPath { return append(slices.Clip(k), name) }

func (k keyPath) String() string {
	words := make([]string, len(k))
	for i, w := range k {
		if words[i] = w; strings.ContainsAny(w, ".:/ ") {
			words[i] = strconv.Quote(w)
		}
	}
	return strings.Join(words, ".")
}

// A keyError is the error of one key.
type keyError struct {
	at         keyPath
	text, hint string
}

func (e *keyError) Error() string { return e.at.String() + ": " + e.text }

func wrong(at keyPath, format string, args ...any) error {
	return &keyError{at: at, text: fmt.Sprintf(format, args...)}
}

// A configKey is a known key with the function that reads its value.
type configKey struct {
	key  string
	take taker
}

// fields reads a table whose keys must be among the known ones.
func fields(known ...configKey) taker {
	names := []string{}
	for _, f := range known {
		names = append(names, f.key)
	}
	return each(func(at keyPath, v any) error {
		i := slices.Index(names, at[len(at)-1])
		if i < 0 {
			return unknown(at, at[len(at)-1], "unknown key", names)
		}
		return known[i].take(at, v)
	})
}

// A taker reads the value of a key.
type taker = func(at keyPath, v any) error

// each reads a table: it calls take for each key, in alphabetical order.
func each(take taker) taker {
	return func(at keyPath, v any) error {
		table, ok := v.(map[string]any)
		if !ok {
			return wrong(at, "must be a table")
		}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := take(at.with(key), table[key]); err != nil {
				return err
			}
		}
		return nil
	}
}

// tables reads an array of tables: it calls take for each.
func tables(take taker) taker {
	return func(at keyPath, v any) error {
		list, ok := v.([]any)
		if !ok {
			return wrong(at, "must be one or more [[%s]]", at)
		}
		for i, v := range list {
			if err := take(at.with(strconv.Itoa(i)), v); err != nil {
				return err
			}
		}
		return nil
	}
}

// text reads a string that is not empty.
func text(to *string) taker {
	return func(at keyPath, v any) error {
		s, ok := v.(string)
		if !ok || s == "" {
			return wrong(at, "must be a string in quotes, not empty")
		}
		*to = s
		return nil
	}
}

// texts reads a string or an array of them.
func texts(to *[]string) taker {
	return func(at keyPath, v any) error {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, v := range list {
			var s string
			if err := text(&s)(at, v); err != nil {
				return err
			}
			*to = append(*to, s)
		}
		return nil
	}
}

// words reads one or more flag values: a string, a number, true or false, or an array of these.
func words(at keyPath, v any) (list []string, err error) {
	all, ok := v.([]any)
	if !ok {
		all = []any{v}
	}
	for _, v := range all {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case int64:
			list = append(list, strconv.FormatInt(v, 10))
		case float64:
			list = append(list, strconv.FormatFloat(v, 'g', -1, 64))
		case bool:
			list = append(list, strconv.FormatBool(v))
		default:
			return nil, wrong(at, "must be a string, a number, true, false, or an array of these")
		}
	}
	return list, nil
}

// path reads an absolute path. "~/" is the user's home directory.
func (r *configReader) path(to *string) taker {
	return func(at keyPath, v any) error {
		if err := text(to)(at, v); err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(*to, "~/"); ok && r.home != "" {
			*to = filepath.Join(r.home, rest)
		}
		if !filepath.IsAbs(*to) {
			return wrong(at, "must be an absolute path, or begin with ~/")
		}
		return nil
	}
}

// unknown returns the error for a word that is not among the known ones. Its hint is the most similar one.
func unknown(at keyPath, word, text string, known []string) error {
	return &keyError{at: at, text: text, hint: flags.Suggestion(word, known)}
}

// noSetting returns err with the key added, if it is the error of a setting's value.
func noSetting(at keyPath, err error) error {
	if _, ok := errors.AsType[*fetch.SettingError](err); !ok {
		return err
	}
	return &keyError{at: at, text: err.Error(), hint: flags.HintOf(err)}
}

// line returns the line of a key, or of the closest key above it in the path, and 0 if there is neither. It parses the file again, because only
// errors need the line.
func (f configFile) line(want keyPath) (line int) {
	var p unstable.Parser
	p.Reset(f.text)
	table, counts, best := keyPath{}, map[string]int{}, 0
	for p.NextExpression() {
		e := p.Expression()
		key := keyPath{}
		at := 0
		for it := e.Key(); it.Next(); {
			if at == 0 {
				at = p.Shape(it.Node().Raw).Start.Line
			}
			key = append(key, string(it.Node().Data))
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			name := key.String()
			if e.Kind == unstable.ArrayTable {
				counts[name]++
			}
			if n := counts[name]; n > 0 {
				key = key.with(strconv.Itoa(n - 1))
			}
			table = key
		default:
			key = append(slices.Clip(table), key...)
		}
		if strings.Join(key, ".") == strings.Join(want, ".") { // whichever way the dots are quoted
			return at
		}
		if n := common(key, want); n > best || n == best && n == len(key) && line == 0 {
			best, line = n, at
		}
	}
	return line
}

// common returns the length of the common beginning of two paths.
func common(a, b keyPath) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
