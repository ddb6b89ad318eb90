package uri

import "strings"

// strict judges u by the grammar of the drafts (S1 §6 and §6.1) to the letter,
// contradictions settled as the design page says: no raw space, no "=", no "~",
// "+" only between search words and in paths. Nothing above 0x7F is in it.
func (u URI) strict() error {
	if pos, rule := u.strictOctets(); rule != "" {
		return &Error{pos, rule}
	}
	if pos, rule := u.strictSearch(); rule != "" {
		return &Error{pos, rule}
	}
	if rule := u.strictScheme(); rule != "" {
		return &Error{int(u.start()), rule}
	}
	return nil
}

// xalpha: alpha, digit, safe or extra; and the percent sign of an escape, which Parse has judged.
func xalpha(c byte) bool {
	return (clAlpha | clDigit).has(c) || strings.IndexByte("$-_@.&!*\"'():;,%", c) >= 0
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

// strictSearch judges search = xalphas *( "+" xalphas ): no word is void.
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

// strictScheme judges what the drafts' productions say of single schemes. It
// is the grammar's list of schemes, closed since 1994, not one of ours.
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
