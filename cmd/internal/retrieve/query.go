package retrieve

import (
	"errors"
	"os"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// addQuery adds the value of a flag that appends to the query: TEXT, =TEXT or NAME=TEXT, of which TEXT is encoded as in forms, or +TEXT, which
// is not changed.
func (f *Flags) addQuery(v string) error {
	if raw, ok := strings.CutPrefix(v, "+"); ok {
		f.query = append(f.query, raw)
		return nil
	}
	name, text, ok := strings.Cut(v, "=")
	switch {
	case !ok && strings.Contains(v, "@"):
		return errors.New("NAME@FILE is not supported; write NAME=TEXT")
	case !ok:
		name, text = "", name
	}
	if name != "" {
		name += "="
	}
	f.query = append(f.query, name+strings.ReplaceAll(uri.EscapeBut(text, ""), "%20", "+"))
	return nil
}

// withQuery appends the words of -G, --data-urlencode and --url-query to the URIs of http. With -G, the words of --data are no longer those for
// gopher.
func (f *Flags) withQuery(o *fetch.Options, args []string) []string {
	parts := f.query
	if f.get {
		parts = slices.Concat(o.Set["gopher.data"], parts)
		delete(o.Set, "gopher.data")
	}
	if len(parts) == 0 {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if scheme, _, _ := strings.Cut(arg, ":"); !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
			continue
		}
		rest, fragment, found := strings.Cut(arg, "#")
		mark := "?"
		if strings.Contains(rest, "?") {
			mark = "&"
		}
		rest += mark + strings.Join(parts, "&")
		if found {
			rest += "#" + fragment
		}
		args[i] = rest
	}
	return args
}

// isFirstRun reports whether -z names the file of -o, which does not exist: the first run of a command that retrieves only what is newer than
// the file.
func (f *Flags) isFirstRun() bool {
	if !slices.Contains(f.out, f.Changed) {
		return false
	}
	_, err := os.Stat(f.Changed)
	return errors.Is(err, os.ErrNotExist)
}

// isData reports whether an argument is the value of curl's --json.
func isData(arg string) bool {
	return strings.HasPrefix(arg, "{") || strings.HasPrefix(arg, "[") || strings.HasPrefix(arg, "@")
}
