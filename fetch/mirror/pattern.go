package mirror

import (
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"example.org/deref/fetch"
)

// A Pattern chooses documents. See ParsePattern.
type Pattern struct {
	glob string
	expr *regexp.Regexp
}

// String returns what ParsePattern has read.
func (p Pattern) String() string {
	if p.expr != nil {
		return exprPrefix + p.expr.String()
	}
	return p.glob
}

// MarshalText returns what String returns.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

const exprPrefix = "re:"

// ParsePattern reads "re:" and a regular expression, which is sought in the URI as it is written; or else a glob ("*", "**", "?",
// "[a-z]", "{gif,png}"), which stands for a name, or, where it has a slash, for a path from the mirror's top.
func ParsePattern(s string) (Pattern, error) {
	if expr, ok := strings.CutPrefix(s, exprPrefix); ok {
		e, err := regexp.Compile(expr)
		if err != nil {
			return Pattern{}, fetch.Errorf(fetch.ErrLocal, "the pattern %q: %v", s, err)
		}
		return Pattern{expr: e}, nil
	}
	s = strings.Trim(s, "/")
	if s == "" || !doublestar.ValidatePattern(s) {
		return Pattern{}, fetch.Errorf(fetch.ErrLocal, "%q is no pattern", s)
	}
	return Pattern{glob: s}, nil
}

// matches is asked about a URI and the path of names where it belongs.
func (p Pattern) matches(uri, path string) bool {
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
		if p.matches(uri, path) {
			return true
		}
	}
	return false
}
