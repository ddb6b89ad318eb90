package mirror

import (
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"example.org/deref/fetch"
)

// A Pattern selects documents. See ParsePattern.
type Pattern struct {
	glob string
	expr *regexp.Regexp
}

// String returns the text that ParsePattern parsed.
func (p Pattern) String() string {
	if p.expr != nil {
		return exprPrefix + p.expr.String()
	}
	return p.glob
}

// MarshalText returns the result of String.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

const exprPrefix = "re:"

// ParsePattern parses "re:" followed by a regular expression, which is searched for in the written URI; or else a glob ("*", "**", "?",
// "[a-z]", "{gif,png}"), which matches a name, or, if it contains a slash, a path from the mirror's top.
func ParsePattern(s string) (Pattern, error) {
	if expr, ok := strings.CutPrefix(s, exprPrefix); ok {
		e, err := regexp.Compile(expr)
		if err != nil {
			return Pattern{}, fetch.Errorf(fetch.ErrLocal, "pattern %q: %v", s, err)
		}
		return Pattern{expr: e}, nil
	}
	s = strings.Trim(s, "/")
	if s == "" || !doublestar.ValidatePattern(s) {
		return Pattern{}, fetch.Errorf(fetch.ErrLocal, "%q is not a pattern", s)
	}
	return Pattern{glob: s}, nil
}

// Matches reports whether the pattern matches a URI, or the path of its location. The path does not begin or end with a slash.
func (p Pattern) Matches(uri, path string) bool {
	if p.expr != nil {
		return p.expr.MatchString(uri)
	}
	if !strings.Contains(p.glob, "/") {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return doublestar.MatchUnvalidated(p.glob, path)
}

func anyMatches(list []Pattern, uri, path string) bool {
	for _, p := range list {
		if p.Matches(uri, path) {
			return true
		}
	}
	return false
}
