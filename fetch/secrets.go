package fetch

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

// secrets is what may not be seen in any trace, error or field of one request.
type secrets struct {
	mu     sync.RWMutex
	list   []string // longest first, so that a secret within another leaves nothing of it
	fields []string // of a header, in lower case: what stands behind "=" in them
}

const blank = "***"

// add takes in a secret, and what becomes of it where a text is quoted or escaped.
func (s *secrets) add(secret string) {
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

// addLogin takes in a password, and the forms in which protocols say it: AUTH LOGIN (draft-murchison-sasl-login), Basic (RFC 7617
// section 2), SASL PLAIN (RFC 4616 section 2).
func (s *secrets) addLogin(l Login) {
	if l.Password == "" {
		return
	}
	s.add(l.Password)
	for _, said := range [...]string{l.Password, l.User + ":" + l.Password, "\x00" + l.name() + "\x00" + l.Password} {
		s.add(base64.StdEncoding.EncodeToString([]byte(said)))
	}
}

// isWord tells what looks the same however it is written.
func isWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; c|0x20 < 'a' && (c < '0' || c > '9') || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// escaped are the ways to write s within quotes and in URIs.
func escaped(s string) (list []string) {
	inJSON, _ := json.Marshal(s)
	forms := [...]string{strings.Trim(string(inJSON), `"`), url.PathEscape(s), url.QueryEscape(s)}
	for _, quoted := range [...]string{strconv.Quote(s), strconv.QuoteToASCII(s), `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`} {
		list = append(list, quoted[1:len(quoted)-1])
	}
	list = append(list, forms[:]...)
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(form string) bool { return form == s || form == "" })
}

// hideField blanks the values of a field of headers, from the first line of the next one on.
func (s *secrets) hideField(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name = strings.ToLower(name); !slices.Contains(s.fields, name) {
		s.fields = append(s.fields, name)
	}
}

// maskString blanks the secrets of a text that people read.
func (s *secrets) maskString(text string) string {
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

// maskAll is maskString of each; the list itself stays as it is.
func (s *secrets) maskAll(list []string) []string {
	for i, text := range list {
		if masked := s.maskString(text); masked != text {
			list = slices.Clone(list)
			list[i] = masked
		}
	}
	return list
}

// maskCut blanks what an excerpt shows of the secret x, at the end of a text or of what is quoted in it.
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

// leastCut is how many octets of the beginning of x tell too much: half of it, and so many that they are hardly another word.
func leastCut(x string) int { return max(4, (len(x)+1)/2) }

// mask blanks the secrets of octets.
func (s *secrets) mask(p []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if bytes.Contains(p, []byte(x)) {
			p = bytes.ReplaceAll(p, []byte(x), []byte(blank))
		}
	}
	return p
}

// maskFrames is mask with as many asterisks as a secret has octets, and no fewer than others have: see RecordFrames.
func (s *secrets) maskFrames(p []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if bytes.Contains(p, []byte(x)) {
			p = bytes.ReplaceAll(p, []byte(x), bytes.Repeat([]byte("*"), max(len(x), len(blank))))
		}
	}
	return p
}

// maskLine blanks those of a line, which may be a field of a header: NAME: KEY=***; more.
func (s *secrets) maskLine(p []byte) []byte {
	s.mu.RLock()
	fields := s.fields
	s.mu.RUnlock()
	if len(fields) > 0 {
		if name, value, ok := bytes.Cut(p, []byte(":")); ok && slices.Contains(fields, strings.ToLower(string(bytes.TrimSpace(name)))) {
			p = slices.Concat(name, []byte(":"), maskField(value))
		}
	}
	return s.mask(p)
}

// maskField blanks what stands between "=" and ";" in a field like Set-Cookie (RFC 6265 section 4.1.1). One without "=" is all value.
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

// unfinished returns how many octets at the end of p could be the beginning of a secret, and so must wait for what follows.
func (s *secrets) unfinished(p []byte) int {
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

// shown is how many octets of p may be shown now: what follows can be in no secret that has begun there. A whole one that the beginning of
// another would cut in two waits with it.
func (s *secrets) shown(p []byte) int {
	n := len(p) - s.unfinished(p)
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

// line is the length of the first line of p, with those that a secret goes on in; 0 if it is not whole.
func (s *secrets) line(p []byte) int {
	for n := 0; ; {
		next := bytes.IndexByte(p[n:], '\n') + 1
		if n += next; next == 0 {
			return 0
		}
		if s.unfinished(p[:n]) == 0 {
			return n
		}
	}
}

// maskEnd is mask of the last octets that there will be: most of a secret is as much as a secret.
func (s *secrets) maskEnd(p []byte) []byte {
	return s.maskTail(s.mask(p), func(string) bool { return true })
}

// maskTail blanks the beginning of a secret at the end of p, if there is more of it than may be shown.
func (s *secrets) maskTail(p []byte, counts func(secret string) bool) []byte {
	n := s.unfinished(p)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, x := range s.list {
		if n >= leastCut(x) && n < len(x) && counts(x) && bytes.HasSuffix(p, []byte(x[:n])) {
			return slices.Concat(p[:len(p)-n], []byte(blank))
		}
	}
	return p
}
