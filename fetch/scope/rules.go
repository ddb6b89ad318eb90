package scope

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/deref/uri"
)

// rules are those of a robots.txt for one robot, or for all if it names none (RFC 9309 section 2.2).
type rules struct {
	list []rule
	wait time.Duration // Crawl-delay, at most mostDelay
}

// A rule allows or disallows the paths that begin like its pattern, in which "*" stands for any characters, and a "$" at the end for that of the path.
type rule struct {
	pattern string
	allow   bool
}

// parseRules parses the valid lines of a robots.txt. It returns the rules for the robot called agent, and the values of Sitemap.
func parseRules(text []byte, agent string) (r *rules, maps []string) {
	var all rules
	var own, group *rules // group is that of the present lines, nil for another robot
	begun := false        // the group has a rule
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.FieldsFuncSeq(text, func(c rune) bool { return c == '\r' || c == '\n' }) { // either ends a line
		words, _, _ := strings.Cut(string(line), "#")
		field, value, _ := strings.Cut(words, ":")
		switch value = strings.TrimSpace(value); strings.ToLower(strings.TrimSpace(field)) {
		case "user-agent":
			if begun {
				group, begun = nil, false
			}
			name, _, _ := strings.Cut(value, "/") // a version may follow
			switch {
			case strings.EqualFold(name, agent):
				if own == nil {
					own = &rules{}
				}
				group = own
			case name == "*" && group == nil:
				group = &all
			}
		case "allow":
			group.add(value, true)
			begun = true
		case "disallow":
			group.add(value, false)
			begun = true
		case "crawl-delay":
			if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 && group != nil {
				group.wait = time.Duration(min(seconds, mostDelay.Seconds()) * float64(time.Second))
			}
			begun = true
		case "sitemap":
			maps = append(maps, value)
		}
	}
	if own != nil {
		return own, maps
	}
	return &all, maps
}

// add adds a rule. One without a path has no effect.
func (r *rules) add(path string, allow bool) {
	if r == nil || path == "" {
		return
	}
	if path[0] != '/' && path[0] != '*' {
		path = "/" + path
	}
	path, whole := strings.CutSuffix(normalized(path), "$")
	if path = strings.ReplaceAll(path, "$", "%24"); whole {
		path += "$"
	}
	r.list = append(r.list, rule{path, allow})
}

// allows reports whether a path may be read: the longest pattern decides, and of equal ones Allow (section 2.2.2).
func (r *rules) allows(path string) bool {
	path = strings.NewReplacer("*", "%2A", "$", "%24").Replace(normalized(path)) // only patterns have special characters (section 2.2.3)
	longest, allow := 0, true
	for _, r := range r.list {
		if n := len(r.pattern); (n > longest || n == longest && r.allow) && r.matches(path) {
			longest, allow = n, r.allow
		}
	}
	return allow || path == "/robots.txt"
}

func (r rule) matches(path string) bool {
	pattern, whole := strings.CutSuffix(r.pattern, "$")
	part, more, wild := strings.Cut(pattern, "*")
	rest, ok := strings.CutPrefix(path, part)
	for ok && wild {
		part, more, wild = strings.Cut(more, "*")
		if whole && !wild {
			return strings.HasSuffix(rest, part)
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && (!whole || rest == "")
}

// normalized returns a path in the form in which those of rules and URIs are compared (section 2.2.2): unreserved characters are not escaped, and bytes
// beyond ASCII are.
func normalized(path string) string {
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		c, isEscaped := path[i], false
		if c == '%' && i+2 < len(path) {
			if b, err := hex.DecodeString(path[i+1 : i+3]); err == nil {
				c, isEscaped, i = b[0], true, i+2
			}
		}
		if isEscaped || c >= utf8.RuneSelf {
			out = uri.AllButUnreserved.AppendEscape(out, uri.RFC3986, string([]byte{c}))
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}
