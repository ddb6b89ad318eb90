// Package secrets removes the credentials of one request from traces, errors and the fields of documents.
//
// It does not depend on requests or connections: callers add secrets and pass the text to mask.
package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Set holds the secrets of one request. It is safe for concurrent use; the zero Set is empty.
type Set struct {
	mu     sync.RWMutex
	list   []string // longest first, so that a secret within another leaves nothing of it
	fields []string // of a header, in lower case, whose values are secret
}

// blank replaces a secret.
const blank = "***"

// Add adds a secret, and the forms that it has in quoted and escaped text.
func (s *Set) Add(secret string) {
	if secret == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.list, secret) {
		return
	}
	s.list = append(s.list, secret)
	if !isWord(secret) {
		s.list = append(s.list, escaped(secret)...)
	}
	slices.SortFunc(s.list, func(a, b string) int { return len(b) - len(a) })
}

// AddLogin adds a password, and the forms in which protocols send it: AUTH LOGIN (draft-murchison-sasl-login), Basic (RFC 7617 section 2)
// and SASL PLAIN (RFC 4616 section 2). name is the user without parameters.
func (s *Set) AddLogin(user, name, password string) {
	if password == "" {
		return
	}
	s.Add(password)
	for _, sent := range [...]string{password, user + ":" + password, "\x00" + name + "\x00" + password} {
		s.Add(base64.StdEncoding.EncodeToString([]byte(sent)))
	}
}

// isWord reports whether s consists of letters and digits, which no quoting or escaping changes.
func isWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; c|0x20 < 'a' && (c < '0' || c > '9') || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// escaped returns the ways to write s in quotes and in URIs.
func escaped(s string) (list []string) {
	inJSON, _ := json.Marshal(s)
	for _, quoted := range [...]string{string(inJSON), strconv.Quote(s), strconv.QuoteToASCII(s), `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`} {
		list = append(list, quoted[1:len(quoted)-1])
	}
	list = append(list, url.PathEscape(s), url.QueryEscape(s))
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(form string) bool { return form == s || form == "" })
}

// HideField makes the values of a header field secret, from the next line on.
func (s *Set) HideField(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name = strings.ToLower(name); !slices.Contains(s.fields, name) {
		s.fields = append(s.fields, name)
	}
}

// MaskText masks the secrets in a text that people read, also where an excerpt cuts one short.
func (s *Set) MaskText(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		text = strings.ReplaceAll(text, x, blank)
	}
	for _, x := range s.list {
		text = maskCut(text, x)
	}
	return text
}

// MaskAll applies MaskText to each text. It copies the list if one changes.
func (s *Set) MaskAll(list []string) []string {
	for i, text := range list {
		if masked := s.MaskText(text); masked != text {
			list = slices.Clone(list)
			list[i] = masked
		}
	}
	return list
}

// maskCut masks the beginning of the secret x at the end of a text or of a quotation in it.
func maskCut(text, x string) string {
	least := leastCut(x)
	if least >= len(x) {
		return text
	}
	for at := 0; ; {
		i := strings.Index(text[at:], x[:least])
		if i < 0 {
			return text
		}
		at += i
		n := least
		for n < len(x) && at+n < len(text) && text[at+n] == x[n] {
			n++
		}
		rest := text[at+n:]
		if rest == "" || rest[0] == '"' || strings.HasPrefix(rest, "...") {
			text = text[:at] + blank + rest
			at += len(blank)
			continue
		}
		at++
	}
}

// leastCut returns how many bytes from the beginning of x reveal too much: half of it, but at least as many as are hardly another word.
func leastCut(x string) int { return max(4, (len(x)+1)/2) }

// MaskBytes masks the secrets in p.
func (s *Set) MaskBytes(p []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if bytes.Contains(p, []byte(x)) {
			p = bytes.ReplaceAll(p, []byte(x), []byte(blank))
		}
	}
	return p
}

// MaskFrames is MaskBytes with one asterisk for each byte of the secret, so that the lengths in frames stay right; at least three.
func (s *Set) MaskFrames(p []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if bytes.Contains(p, []byte(x)) {
			p = bytes.ReplaceAll(p, []byte(x), bytes.Repeat([]byte("*"), max(len(x), len(blank))))
		}
	}
	return p
}

// MaskLine masks the secrets in a line, which may be a hidden header field: NAME: KEY=***; more.
func (s *Set) MaskLine(p []byte) []byte {
	s.mu.RLock()
	fields := s.fields
	s.mu.RUnlock()
	if len(fields) > 0 {
		if name, value, ok := bytes.Cut(p, []byte(":")); ok && slices.Contains(fields, strings.ToLower(string(bytes.TrimSpace(name)))) {
			p = slices.Concat(name, []byte(":"), maskField(value))
		}
	}
	return s.MaskBytes(p)
}

// maskField masks the text between "=" and ";" in a field like Set-Cookie (RFC 6265 section 4.1.1). Without "=" it masks all.
func maskField(value []byte) []byte {
	key, rest, ok := bytes.Cut(value, []byte("="))
	if at := bytes.IndexByte(value, ';'); !ok || at >= 0 && at < len(key) {
		key, rest = nil, value
	} else {
		key = append(key[:len(key):len(key)], '=')
	}
	end := bytes.IndexAny(rest, ";\r\n")
	if end < 0 {
		end = len(rest)
	}
	return slices.Concat(key, []byte(blank), rest[end:])
}

// Unfinished returns how many bytes at the end of p could begin a secret, and so must wait for the following bytes.
func (s *Set) Unfinished(p []byte) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	most := 0
	for _, x := range s.list {
		for n := min(len(x)-1, len(p)); n > most; n-- {
			if bytes.HasSuffix(p, []byte(x[:n])) {
				most = n
				break
			}
		}
	}
	return most
}

// Shown returns how many bytes of p may be shown now, because no secret that begins in them can extend beyond p. A complete secret that
// overlaps the beginning of another waits with it.
func (s *Set) Shown(p []byte) int {
	n := len(p) - s.Unfinished(p)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for moved := true; moved; {
		moved = false
		for _, x := range s.list {
			from := max(0, n-len(x)+1)
			if i := bytes.Index(p[from:min(len(p), n+len(x)-1)], []byte(x)); i >= 0 {
				n, moved = from+i, true
			}
		}
	}
	return n
}

// Line returns the length of the first line of p, including the lines into which a secret extends. It returns 0 if the line is incomplete.
func (s *Set) Line(p []byte) int {
	for n := 0; ; {
		next := bytes.IndexByte(p[n:], '\n') + 1
		if n += next; next == 0 {
			return 0
		}
		if s.Unfinished(p[:n]) == 0 {
			return n
		}
	}
}

// MaskEnd is MaskBytes for the last bytes of a stream: it also masks most of a secret that is cut off there.
func (s *Set) MaskEnd(p []byte) []byte {
	return s.maskTail(s.MaskBytes(p), func(string) bool { return true })
}

// MaskReplyEnd masks the beginning of a secret at the end of a server's reply. Secrets that may be ordinary words are left.
func (s *Set) MaskReplyEnd(p []byte) []byte {
	return s.maskTail(p, func(secret string) bool { return !isCommon(secret) })
}

// maskTail masks the beginning of a secret at the end of p, if it is longer than may be shown.
func (s *Set) maskTail(p []byte, counts func(secret string) bool) []byte {
	n := s.Unfinished(p)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if n >= leastCut(x) && n < len(x) && counts(x) && bytes.HasSuffix(p, []byte(x[:n])) {
			return slices.Concat(p[:len(p)-n], []byte(blank))
		}
	}
	return p
}
