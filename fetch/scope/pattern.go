package scope

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Pattern selects URIs. See ParsePattern.
type Pattern struct {
	text string
	expr *regexp.Regexp // of the URI
	glob string         // of a path, if expr is nil
	name bool           // the glob is only one of its last part
}

// ParsePattern parses "re:" and a regular expression, which is searched for in the URI; or a glob of the whole URI, in which "*" stands for any
// characters and "?" for one; or a glob of a name, or of a path if it has a slash ("*", "**", "?", "[a-z]", "{gif,png}"). A glob is one of the URI if it
// contains "://". If there is no top from which paths could begin, one with ":", "/" or "#" is, too.
func ParsePattern(s string, hasTop bool) (Pattern, error) {
	p := Pattern{text: s, glob: strings.Trim(s, "/"), name: !strings.Contains(strings.TrimSuffix(s, "/"), "/")}
	expr, isExpr := strings.CutPrefix(s, "re:")
	isURI := strings.Contains(s, "://") || !hasTop && strings.ContainsAny(s, ":/#")
	if isURI && !isExpr {
		expr = "^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(s)) + "$"
	}
	var err error
	if isExpr || isURI {
		p.expr, err = regexp.Compile(expr)
	} else if p.glob == "" || !doublestar.ValidatePattern(p.glob) {
		err = doublestar.ErrBadPattern
	}
	if err != nil {
		return Pattern{}, fetch.Errorf(fetch.ErrLocal, "pattern %q: %v", s, err)
	}
	return p, nil
}

// String returns the text that ParsePattern parsed.
func (p Pattern) String() string { return p.text }

// MarshalText returns the result of String.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil }

func (p Pattern) matches(u uri.URI, path string) bool {
	if p.expr != nil {
		return p.expr.MatchString(u.WithoutPassword().String())
	}
	if p.name {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return path != "" && doublestar.MatchUnvalidated(p.glob, path)
}

// Patterns select what any of them does.
type Patterns []Pattern

// ParsePatterns parses a list as ParsePattern does.
func ParsePatterns(list []string, hasTop bool) (all Patterns, err error) {
	for _, s := range list {
		p, err := ParsePattern(s, hasTop)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Match reports whether a pattern matches u, which has a path from the top without a slash at its beginning or end.
func (l Patterns) Match(u uri.URI, path string) bool {
	return slices.ContainsFunc(l, func(p Pattern) bool { return p.matches(u, path) })
}

// MatchWithin is Match for u and each directory in its path.
func (l Patterns) MatchWithin(u uri.URI, path string) bool {
	for i, c := range path {
		if c == '/' && l.Match(u, path[:i]) {
			return true
		}
	}
	return l.Match(u, path)
}

// MatchHost reports whether a pattern matches u, or the name of its host, in which capital letters do not matter.
func (l Patterns) MatchHost(u uri.URI) bool {
	return slices.ContainsFunc(l, func(p Pattern) bool {
		p.glob = strings.ToLower(p.glob)
		return p.matches(u, strings.ToLower(u.Hostname()))
	})
}

// MatchLink reports whether a pattern matches u, the name of its host or document, or that of a directory in its path.
func (l Patterns) MatchLink(u uri.URI) bool {
	path := u.Path().Decode()
	if !strings.HasPrefix(path, "/") { // an address, or data
		path = ""
	}
	return l.MatchHost(u) || l.MatchWithin(u, strings.Trim(path, "/"))
}
