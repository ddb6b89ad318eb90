package check

import (
	"regexp"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Pattern selects URIs. See ParsePattern.
type Pattern struct {
	text string
	expr *regexp.Regexp
	host bool // the glob is that of a host
}

// ParsePattern parses "re:" and a regular expression, which is searched for in the URI; or a glob ("*" for any characters, "?" for one), which matches
// the whole URI, or, if it contains no ":", "/" or "#", the host.
func ParsePattern(s string) (Pattern, error) {
	p := Pattern{text: s}
	expr, isExpr := strings.CutPrefix(s, "re:")
	if !isExpr {
		p.host = !strings.ContainsAny(s, ":/#")
		expr = globExpr(s)
		if p.host {
			expr = "(?i)" + expr // hosts
		}
	}
	var err error
	if p.expr, err = regexp.Compile(expr); err != nil || s == "" {
		return Pattern{}, fetch.Errorf(fetch.ErrLocal, "pattern %q: %v", s, err)
	}
	return p, nil
}

// globExpr translates a glob into a regular expression.
func globExpr(glob string) string {
	return "^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(glob)) + "$"
}

// String returns the text that ParsePattern parsed.
func (p Pattern) String() string { return p.text }

// Match reports whether the pattern matches u, without its password.
func (p Pattern) Match(u uri.URI) bool {
	if p.host {
		return u.Host() != "" && p.expr.MatchString(u.Hostname())
	}
	return p.expr.MatchString(u.WithoutPassword().String())
}

// selects reports whether u is not excluded, and included if there is a list of what is.
func (o *Options) selects(u uri.URI) bool {
	return !matchesAny(o.Exclude, u) && (len(o.Include) == 0 || matchesAny(o.Include, u))
}

func matchesAny(list []Pattern, u uri.URI) bool {
	for _, p := range list {
		if p.Match(u) {
			return true
		}
	}
	return false
}
