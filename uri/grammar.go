package uri

import "strings"

// Grammar checks s by the exact grammar of RFC 3986, Appendix A. It returns an *Error if s does not match. Parse also accepts these, which are
// common, and Normalize escapes them: spaces, " < > \ ^ ` { | }, bytes from 0x80, "[" and "]" outside an IP literal, "#" in a fragment, "@" in
// userinfo, and a relative path whose first segment has a colon. To the grammar, "url:" is a scheme like others.
func Grammar(s string) error {
	u := URI{s: s}
	if pos, rule := u.parse(); rule != "" {
		return &Error{pos, rule}
	}
	from, to := u.hostSpan()
	for i := int(u.start()); i < len(u.s); i++ {
		c := u.s[i]
		switch {
		case clNotURI.has(c),
			(c == '[' || c == ']') && (i < int(from) || i >= int(to)),
			c == '#' && i != int(u.frag),
			c == '@' && i < int(u.at):
			return &Error{i, ruleOctet}
		}
	}
	if u.scheme == 0 && u.path == 0 {
		first, _, _ := strings.Cut(string(u.Path()), "/")
		if i := strings.IndexByte(first, ':'); i >= 0 {
			return &Error{i, ruleColon}
		}
	}
	return nil
}
