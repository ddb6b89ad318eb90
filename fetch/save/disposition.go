package save

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// ServerName returns the cleaned file name in d's Content-Disposition (RFC 6266). It returns "" if there is none.
func ServerName(d *fetch.Document) string {
	name := dispositionName(d.Header.Get("Content-Disposition"))
	if name == "" {
		return ""
	}
	return Clean(name)
}

// dispositionName parses the file name leniently and skips what it cannot parse. filename* takes precedence over filename (RFC 6266 section
// 4.3); of two equal parameters, the first counts. The disposition type is ignored, even if it is "inline" or missing.
func dispositionName(h string) string {
	plain, extended := "", ""
	_, rest, _ := strings.Cut(h, ";")
	if key, _, ok := strings.Cut(h, "="); ok && !strings.Contains(key, ";") {
		rest = h // QUIRK: servers forget the type: `filename=x` (corpus of greenbytes.de/tech/tc2231, attmissingdisposition)
	}
	for rest != "" {
		var key, value string
		key, value, rest = nextParameter(rest)
		switch {
		case strings.EqualFold(key, "filename") && plain == "":
			plain = value
		case strings.EqualFold(key, "filename*") && extended == "":
			extended, _ = mimemail.ExtendedValue(value)
		}
	}
	if extended != "" {
		return extended
	}
	return asText(plain)
}

// nextParameter splits the first key=value from s.
func nextParameter(s string) (key, value, rest string) {
	i := strings.IndexAny(s, ";=")
	if i < 0 {
		return "", "", ""
	}
	if s[i] == ';' {
		return "", "", s[i+1:]
	}
	key = strings.TrimSpace(s[:i])
	s = strings.TrimLeft(s[i+1:], " \t")
	if strings.HasPrefix(s, `"`) {
		value, s = quoted(s[1:])
		_, rest, _ = strings.Cut(s, ";")
		return key, value, rest
	}
	// QUIRK: servers forget the quotes of names with blanks; no browser stops at the blank.
	value, rest, _ = strings.Cut(s, ";")
	return key, strings.TrimSpace(value), rest
}

// quoted reads a quoted-string after its opening quote.
//
// QUIRK: a backslash escapes only a quote or a backslash. RFC 9110 section 5.6.4 lets it escape anything, but senders that put whole
// Windows paths here (RFC 6266 section 4.3 mentions them) mean the path.
func quoted(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
