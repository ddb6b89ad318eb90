package secrets

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A server may repeat a credential in a reply or in a header. It is masked there. But if a password is a common word ("html", "text",
// "close"), the words that control the conversation must not change: a recording could not be replayed, and a document would get another
// type. So a secret that may be an ordinary word is masked as a whole word only, and not in fields that control the conversation.

// A secret shorter than minDistinctive may be an ordinary word, one longer than maxCommon is not.
const (
	minDistinctive = 6
	maxCommon      = 16
)

// isCommon reports whether a secret may be an ordinary word of a protocol: it is short, or made of words and numbers.
func isCommon(secret string) bool {
	if len(secret) < minDistinctive {
		return true
	}
	if len(secret) > maxCommon {
		return false
	}
	for _, word := range strings.FieldsFunc(secret, func(c rune) bool { return strings.ContainsRune("-./_", c) }) {
		digits, letters := strings.Trim(word, "0123456789") == "", isLetters(word)
		if !digits && !(letters && (word[1:] == strings.ToLower(word[1:]) || word == strings.ToUpper(word))) {
			return false
		}
	}
	return true
}

func isLetters(word string) bool {
	return strings.IndexFunc(word, func(c rune) bool { return c|0x20 < 'a' || c|0x20 > 'z' }) < 0
}

// MaskDistinctive masks the secrets that are not ordinary words.
func (s *Set) MaskDistinctive(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if !isCommon(x) {
			text = maskCut(strings.ReplaceAll(text, x, blank), x)
		}
	}
	return text
}

// MaskWords masks all secrets, those that may be ordinary words as whole words only.
func (s *Set) MaskWords(text string) string {
	text = s.MaskDistinctive(text)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if isCommon(x) {
			text = replaceWord(text, x)
		}
	}
	return text
}

// replaceWord masks x in text where it is not part of a longer word.
func replaceWord(text, x string) string {
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], x)
		if i < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		i += from
		end := i + len(x)
		if i > 0 && isWordByte(x[0]) && isWordByte(text[i-1]) || end < len(text) && isWordByte(x[len(x)-1]) && isWordByte(text[end]) {
			b.WriteString(text[from : i+1])
			from = i + 1
			continue
		}
		b.WriteString(text[from:i])
		b.WriteString(blank)
		from = end
	}
}

func isWordByte(c byte) bool {
	return c >= utf8.RuneSelf || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// MaskReply masks the secrets that a line of a server repeats: a header field, a status line, a reply.
func (s *Set) MaskReply(line []byte) []byte {
	if s.IsEmpty() {
		return line
	}
	if name, value, ok := bytes.Cut(line, []byte(":")); ok && isFieldName(string(name)) {
		n, v := s.maskFieldValue(string(name), string(value))
		if text := n + ":" + v; text != string(line) {
			return []byte(text)
		}
		return line
	}
	text := s.MaskDistinctive(string(line))
	if code, rest, goesOn := status(text); !goesOn {
		text = code + s.MaskWords(rest)
	}
	if text == string(line) {
		return line
	}
	return []byte(text)
}

// IsEmpty reports whether there is nothing to mask.
func (s *Set) IsEmpty() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list) == 0 && len(s.fields) == 0
}

// status splits a status line or reply after its code. goesOn reports whether the conversation continues after it: 1xx to 3xx (RFC 959 section
// 4.2, RFC 9110 section 15), and the responses of IMAP other than NO and BAD. Those hold paths, addresses and capabilities, whereas servers
// repeat the client's words in refusals.
func status(line string) (code, rest string, goesOn bool) {
	version, rest := "", line
	if strings.HasPrefix(line, "HTTP/") {
		version, rest, _ = strings.Cut(line, " ")
		version += " "
	}
	if len(rest) >= 3 && strings.Trim(rest[:3], "0123456789") == "" {
		return version + rest[:3], rest[3:], rest[0] <= '3'
	}
	return "", line, strings.HasPrefix(line, "* ") && !strings.HasPrefix(line, "* NO") && !strings.HasPrefix(line, "* BAD") || strings.HasPrefix(line, "+")
}

// maskFieldValue masks the name and value of a header field.
func (s *Set) maskFieldValue(name, value string) (string, string) {
	s.mu.RLock()
	hidden := slices.Contains(s.fields, strings.ToLower(strings.TrimSpace(name)))
	s.mu.RUnlock()
	if hidden {
		value = string(maskField([]byte(value)))
	}
	name, value = s.MaskDistinctive(name), s.MaskDistinctive(value)
	switch lower := strings.ToLower(strings.TrimSpace(name)); {
	case steers(lower):
	case lower == "www-authenticate", lower == "proxy-authenticate": // SCHEME and parameters (RFC 9110 section 11.6.1)
		blanks := value[:len(value)-len(strings.TrimLeft(value, " \t"))]
		scheme, rest, ok := strings.Cut(value[len(blanks):], " ")
		if value = blanks + scheme; ok {
			value += " " + s.MaskWords(rest)
		}
	default:
		value = s.MaskWords(value)
	}
	return name, value
}

// isFieldName reports whether a line up to its colon can be the name of a field (RFC 9110 section 5.1).
func isFieldName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) }) < 0
}

// steers reports whether a client finds the end, type, coding, name, age or next location of a document by this field.
func steers(field string) bool {
	switch field {
	case "accept-ranges", "age", "allow", "alternates", "cache-control", "connection", "content-disposition", "content-encoding", "content-language", "content-length",
		"content-location", "content-range", "content-type", "date", "expires", "keep-alive", "last-modified", "link", "location", "pragma", "refresh", "retry-after",
		"trailer", "transfer-encoding", "upgrade", "uri", "vary":
		return true
	}
	return false
}

// MaskCommunity masks each secret where it is the community of an SNMP message (RFC 1157 section 4, RFC 1901 section 3). The lengths around it
// stay right, so that a recording can be replayed. Messages of version 3 have no community.
func (s *Set) MaskCommunity(p []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if len(x) < 128 { // the short form of a length: X.690 section 8.1.3.4
			for version := range byte(2) {
				head := string([]byte{2, 1, version, 4, byte(len(x))})
				p = bytes.Replace(p, []byte(head+x), []byte(head+strings.Repeat("*", len(x))), 1)
			}
		}
	}
	return p
}

// A Tail is the end of the bytes seen so far of a document, in which a secret may have begun.
type Tail struct{ bytes []byte }

// Contains reports whether a document contains a secret, given its next piece p.
func (s *Set) Contains(t *Tail, p []byte) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text, longest, found := append(t.bytes, p...), 0, false
	for _, x := range s.list {
		longest = max(longest, len(x)-1)
		found = found || bytes.Contains(text, []byte(x))
	}
	t.bytes = append(t.bytes[:0], text[max(0, len(text)-longest):]...)
	return found
}
