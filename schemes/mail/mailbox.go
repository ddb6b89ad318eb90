package mail

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
)

// smtpGrammar is what MAIL and RCPT hold: a path in angle brackets, which is one mailbox, and parameters that are words (RFC 5321 sections
// 4.1.1.2 and 4.1.1.3).
func smtpGrammar(s *fetch.Step) error {
	prefix := map[string]string{"MAIL": "FROM:<", "RCPT": "TO:<"}[s.Verb]
	if prefix == "" {
		return nil
	}
	path, ok := "", len(s.Args) > 0
	if ok {
		path, ok = strings.CutPrefix(s.Args[0], prefix)
	}
	if path, closed := strings.CutSuffix(path, ">"); !ok || !closed || !isMailbox(path) && path != "sender" { // the Plan's, of a message that is not there yet
		return errors.New("the path of " + s.Verb + " is not one mailbox")
	}
	for _, word := range s.Args[1:] {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
			return errors.New("a parameter of " + s.Verb + " is not a word")
		}
	}
	return nil
}

// isMailbox judges RFC 5321 section 4.1.2, Mailbox, with the octets beyond US-ASCII of RFC 6531 section 3.3. A source route, a group, a
// list and a quoted string that is not closed are none: each would be another recipient, or several.
func isMailbox(a string) bool {
	local, domain, ok := cutLast(a, "@")
	return ok && len(a) <= maxMailbox && isLocal(local) && isDomain(domain)
}

// maxMailbox is the longest path: RFC 5321 section 4.5.3.1.3, without its angle brackets.
const maxMailbox = 254

// isDotString reports whether s is words of some characters with single dots between.
func isDotString(s string, is func(c byte) bool) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" {
			return false
		}
		for i := range len(word) {
			if !is(word[i]) {
				return false
			}
		}
	}
	return true
}

// isAtext is RFC 5322 section 3.2.3.
func isAtext(c byte) bool {
	return c >= 0x80 || isLetDig(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func isLetDig(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isQuoted is RFC 5321's Quoted-string: what stands between the quotes is printable, and each quote and backslash has a backslash.
func isQuoted(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for s = s[1 : len(s)-1]; s != ""; s = s[1:] {
		if s[0] == '\\' {
			if s = s[1:]; s == "" || s[0] >= 0x80 {
				return false
			}
		} else if s[0] == '"' {
			return false
		}
		if s[0] < ' ' || s[0] == 0x7f {
			return false
		}
	}
	return true
}

// isDomain is a name or an address literal. QUIRK: names with "_" are taken, as postfix 3.7 does.
func isDomain(s string) bool {
	if literal, ok := strings.CutPrefix(s, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		return ok && literal != "" && !strings.ContainsFunc(literal, func(c rune) bool { return !(c < 0x80 && (isLetDig(byte(c)) || strings.ContainsRune(".:-", c))) })
	}
	return isDotString(s, func(c byte) bool { return c >= 0x80 || isLetDig(c) || c == '-' || c == '_' })
}
