package mail

import (
	"errors"
	"strings"

	"example.org/deref/fetch"
)

// smtpGrammar checks the arguments of MAIL and RCPT: a path in angle brackets, which is one mailbox, and parameters that are words
// (RFC 5321 sections 4.1.1.2 and 4.1.1.3).
func smtpGrammar(s *fetch.Step) error {
	prefix := map[string]string{"MAIL": "FROM:<", "RCPT": "TO:<"}[s.Verb]
	if prefix == "" {
		return nil
	}
	path, ok := "", len(s.Args) > 0
	if ok {
		path, ok = strings.CutPrefix(s.Args[0], prefix)
	}
	path, closed := strings.CutSuffix(path, ">")
	if !ok || !closed || !isMailbox(path) && path != senderPlaceholder {
		return errors.New("the path of " + s.Verb + " is not one mailbox")
	}
	for _, word := range s.Args[1:] {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
			return errors.New("a parameter of " + s.Verb + " is not a word")
		}
	}
	return nil
}

// senderPlaceholder stands in a Plan for the sender of a message that is not known yet.
const senderPlaceholder = "sender"

// isMailbox reports whether a is a Mailbox (RFC 5321 section 4.1.2), possibly with characters beyond US-ASCII (RFC 6531 section 3.3). It
// rejects source routes, groups, lists and unclosed quoted strings: each would be another recipient, or several.
func isMailbox(a string) bool {
	local, domain, ok := cutLast(a, "@")
	return ok && len(a) <= maxMailbox && isLocal(local) && isDomain(domain)
}

// maxMailbox is the longest path: RFC 5321 section 4.5.3.1.3, without its angle brackets.
const maxMailbox = 254

// isDotString reports whether s consists of words of some characters, separated by single dots.
func isDotString(s string, is func(c rune) bool) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return !is(c) }) {
			return false
		}
	}
	return true
}

// isAtext reports whether c is atext (RFC 5322 section 3.2.3) or not US-ASCII.
func isAtext(c rune) bool {
	return c >= 0x80 || isLetDig(c) || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", c)
}

func isLetDig(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isQuoted reports whether s is a Quoted-string (RFC 5321 section 4.1.2): printable, with a backslash before quotes and backslashes.
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

// isDomain reports whether s is a name or an address literal. QUIRK: it accepts names with "_", as postfix 3.7 does.
func isDomain(s string) bool {
	if literal, ok := strings.CutPrefix(s, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		bad := func(c rune) bool { return !isLetDig(c) && !strings.ContainsRune(".:-", c) }
		return ok && literal != "" && !strings.ContainsFunc(literal, bad)
	}
	return isDotString(s, func(c rune) bool { return c >= 0x80 || isLetDig(c) || c == '-' || c == '_' })
}
