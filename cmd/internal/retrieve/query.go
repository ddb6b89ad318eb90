package retrieve

import (
	"errors"
	"os"
	"slices"
	"strings"

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

// withQuery appends the words of -G, --data-urlencode and --url-query to a URI of http.
func (f *Flags) withQuery(u uri.URI) (uri.URI, error) {
	if len(f.query) == 0 || notHTTP(u.Scheme()) {
		return u, nil
	}
	q, has := u.Query()
	if has {
		q += "&"
	}
	return u.Edit().Query(q + uri.Escaped(strings.Join(f.query, "&"))).URI()
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
