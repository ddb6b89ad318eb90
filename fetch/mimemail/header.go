package mimemail

import (
	"mime"
	"net/textproto"
	"strings"
)

// A Header holds the fields of a message or part in order, unfolded and otherwise verbatim.
type Header []Field

// A Field is one field of a header. Its name is in canonical case.
type Field struct {
	Name, Value string
	folds       int // lines after the first
}

// Bounds of a header that is read as far as they allow.
const (
	MaxHeader = 256 << 10
	maxFields = 2000
	maxFolds  = 2000 // lines of one field
)

// ParseHeader parses fields up to the empty line. It skips lines that are not fields, because other readers show such messages, too.
func ParseHeader(p []byte) (h Header) {
	for line := range strings.SplitSeq(string(p[:min(len(p), MaxHeader)]), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || len(h) >= maxFields {
			break
		}
		h = h.add(line)
	}
	return h
}

// add appends one line to the header.
func (h Header) add(line string) Header {
	if line[0] == ' ' || line[0] == '\t' {
		if n := len(h); n > 0 && len(h[n-1].Value) < 64<<10 && h[n-1].folds < maxFolds {
			h[n-1].folds++
			h[n-1].Value = strings.TrimSpace(h[n-1].Value + " " + strings.Trim(line, " \t"))
		}
		return h
	}
	name, value, ok := strings.Cut(line, ":")
	name = strings.TrimRight(name, " \t")
	if !ok || !IsFieldName(name) {
		return h
	}
	return append(h, Field{Name: textproto.CanonicalMIMEHeaderKey(name), Value: strings.TrimSpace(value)})
}

// IsFieldName reports whether s is printable US-ASCII without a colon (RFC 5322 section 3.6.8).
func IsFieldName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == ':' })
}

// Get returns the first value of a field verbatim, or "" if there is none.
func (h Header) Get(name string) string {
	name = textproto.CanonicalMIMEHeaderKey(name)
	for _, f := range h {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Type returns the media type and its parameters. It returns text/plain if the field is missing or broken (RFC 2045 section 5.2).
func (h Header) Type() (mediaType string, params map[string]string) {
	t, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if t == "" || err != nil && err != mime.ErrInvalidMediaParameter || !strings.Contains(t, "/") {
		return "text/plain", nil
	}
	return t, params
}

// ContentID returns the part's Content-ID without its brackets.
func (h Header) ContentID() string { return TrimID(h.Get("Content-Id")) }

// MessageID returns the Message-ID without its brackets.
func (h Header) MessageID() string { return TrimID(h.Get("Message-Id")) }

// TrimID strips blanks and angle brackets from an id.
func TrimID(id string) string { return strings.TrimSpace(TrimBrackets(strings.TrimSpace(id))) }

// TrimBrackets strips the angle brackets of an id, if both are there.
func TrimBrackets(id string) string {
	if len(id) > 1 && id[0] == '<' && id[len(id)-1] == '>' {
		return id[1 : len(id)-1]
	}
	return id
}
