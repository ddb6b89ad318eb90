package uri

import "strings"

// strict checks u by the exact grammar of the URI draft of March 1994, §6 and §6.1. A raw space is in it (D16), and "=", "~" and bytes above 0x7F
// are not. Where it contradicts itself, "+" is only between search words and in paths.
func (u URI) strict() (pos int, rule string) {
	if pos, rule = u.strictOctets(); rule == "" {
		pos, rule = u.strictSearch()
	}
	if rule == "" {
		pos, rule = int(u.start()), u.strictScheme()
	}
	return pos, rule
}

// xalpha reports whether c is alpha, digit, safe or extra, or the percent sign of an escape, which Parse has checked.
func xalpha(c byte) bool {
	return (clAlpha | clDigit).has(c) || strings.IndexByte("$-_@.&!*\"'():;, %", c) >= 0
}

func (u URI) strictOctets() (int, string) {
	for i := int(u.start()); i < len(u.s); i++ {
		c := u.s[i]
		switch {
		case xalpha(c), i == int(u.query), i == int(u.frag):
		case c == '/' && i < int(u.query), c == '+' && i < int(u.frag):
		case strings.IndexByte(`{}|[]\^~`, c) >= 0:
			return i, ruleNational
		case c == '<' || c == '>':
			return i, rulePunct
		default:
			return i, ruleXalpha
		}
	}
	return 0, ""
}

// strictSearch checks search = xalphas *( "+" xalphas ): no word is empty.
func (u URI) strictSearch() (int, string) {
	q, ok := u.Query()
	if !ok {
		return 0, ""
	}
	at := int(u.query) + 1
	for w := range strings.SplitSeq(string(q), "+") {
		if w == "" {
			return at, ruleSearch
		}
		at += len(w) + 1
	}
	return 0, ""
}

// strictScheme checks the drafts' grammar of single schemes. This list of schemes is part of that grammar and will not grow.
func (u URI) strictScheme() string {
	p := string(u.Path())
	switch u.Scheme() {
	case "mailto", "mid": // xalphas "@" hostname
		if i := strings.LastIndexByte(p, '@'); i < 1 || i == len(p)-1 {
			return ruleAddress
		}
	case "http", "gopher", "wais", "telnet", "ftp": // "//" hostport or login
		if u.Host() == "" {
			return ruleHost
		}
	case "news", "nntp":
		if p == "" {
			return ruleXalpha
		}
	}
	return ""
}
