package fetch

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A server may repeat a credential in a reply or in a header. There it is blanked, but the words that steer a conversation must stay what they
// are where a password is a common word ("html", "text", "close"): what was recorded could not be read otherwise, and a document would have
// another type. So a secret that may be an ordinary word is blanked as a whole word only, and not in the places that say how to go on.

// leastPeculiar and mostCommon bound the lengths of secrets that may be ordinary words.
const (
	leastPeculiar = 6
	mostCommon    = 16
)

// isCommon reports whether a secret may be an ordinary word of a protocol: it is short, or made of words and numbers.
func isCommon(secret string) bool {
	if len(secret) < leastPeculiar {
		return true
	}
	if len(secret) > mostCommon {
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

// maskPeculiar blanks the secrets that are no ordinary words.
func (s *secrets) maskPeculiar(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if !isCommon(x) {
			text = maskCut(strings.ReplaceAll(text, x, blank), x)
		}
	}
	return text
}

// maskWords blanks all secrets, those that may be ordinary words as whole words.
func (s *secrets) maskWords(text string) string {
	text = s.maskPeculiar(text)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if isCommon(x) {
			text = replaceWord(text, x)
		}
	}
	return text
}

// replaceWord blanks x in text where no letter or digit goes on at either of its ends that is one itself.
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

// maskReply blanks what a line of a server repeats: a field of a header, a status line, a reply.
func (s *secrets) maskReply(line []byte) []byte {
	if s.isNone() {
		return line
	}
	if name, value, ok := bytes.Cut(line, []byte(":")); ok && isFieldName(string(name)) {
		n, v := s.maskFieldValue(string(name), string(value))
		if text := n + ":" + v; text != string(line) {
			return []byte(text)
		}
		return line
	}
	text := s.maskPeculiar(string(line))
	if code, rest, goesOn := status(text); !goesOn {
		text = code + s.maskWords(rest)
	}
	if text == string(line) {
		return line
	}
	return []byte(text)
}

// isNone reports whether there is nothing to blank.
func (s *secrets) isNone() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list) == 0 && len(s.fields) == 0
}

// status splits a status line or reply behind its code. goesOn reports whether the conversation goes on after it: 1xx to 3xx (RFC 959 section
// 4.2, RFC 9110 section 15), and the responses of IMAP that are not NO or BAD. Those hold paths, addresses and capabilities; a refusal is where a
// server repeats what it was told.
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

// maskFieldValue blanks the name and value of a field.
func (s *secrets) maskFieldValue(name, value string) (string, string) {
	s.mu.RLock()
	hidden := slices.Contains(s.fields, strings.ToLower(strings.TrimSpace(name)))
	s.mu.RUnlock()
	if hidden {
		value = string(maskField([]byte(value)))
	}
	name, value = s.maskPeculiar(name), s.maskPeculiar(value)
	switch lower := strings.ToLower(strings.TrimSpace(name)); {
	case steers(lower):
	case lower == "www-authenticate", lower == "proxy-authenticate": // SCHEME and parameters (RFC 9110 section 11.6.1)
		blanks := value[:len(value)-len(strings.TrimLeft(value, " \t"))]
		scheme, rest, ok := strings.Cut(value[len(blanks):], " ")
		if value = blanks + scheme; ok {
			value += " " + s.maskWords(rest)
		}
	default:
		value = s.maskWords(value)
	}
	return name, value
}

// isFieldName reports whether a line up to its colon can be the name of a field (RFC 9110 section 5.1).
func isFieldName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) }) < 0
}

// steers tells the fields by which a client finds the end, type, form, name, age or next place of a document.
func steers(field string) bool {
	switch field {
	case "accept-ranges", "age", "allow", "alternates", "cache-control", "connection", "content-disposition", "content-encoding", "content-language", "content-length",
		"content-location", "content-range", "content-type", "date", "expires", "keep-alive", "last-modified", "link", "location", "pragma", "refresh", "retry-after",
		"trailer", "transfer-encoding", "upgrade", "uri", "vary":
		return true
	}
	return false
}

// maskCommunity blanks each secret where it is the community of an SNMP message (RFC 1157 section 4, RFC 1901 section 3). The lengths around it
// stay right: what was recorded can be read again. A message of version 3 has none, and would lose its digest.
func (s *secrets) maskCommunity(p []byte) []byte {
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

// A tail is the end of what has come of a document: a secret may go on in the next piece.
type tail struct{ octets []byte }

// watchBody tells the Client once if a document repeats a secret of the request: it is never changed.
func (e *Env) watchBody(t *tail, p []byte) {
	if e.client.Repeated == nil || e.repeated.Load() {
		return
	}
	s := &e.secrets
	s.mu.RLock()
	text, most := append(t.octets, p...), 0
	found := false
	for _, x := range s.list {
		most = max(most, len(x)-1)
		found = found || bytes.Contains(text, []byte(x))
	}
	s.mu.RUnlock()
	t.octets = append(t.octets[:0], text[max(0, len(text)-most):]...)
	if found && e.repeated.CompareAndSwap(false, true) {
		e.client.Repeated(e.plan.URI)
	}
}

// maskSaid blanks a line of the client. One that the Plan has word for word, and not as a secret, is blanked where a secret is peculiar only: its
// words are the URI's own, even where a password is the same word.
func (e *Env) maskSaid(line []byte) []byte {
	if e.secrets.isNone() {
		return line
	}
	said := strings.TrimRight(string(line), "\r\n")
	if slices.ContainsFunc(e.plan.Steps, func(s Step) bool { return !s.Secret && s.Line() == said }) {
		if text := e.secrets.maskPeculiar(said); text != said {
			return append([]byte(text), line[len(said):]...)
		}
		return line
	}
	return e.secrets.maskLine(line)
}
