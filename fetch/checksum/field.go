package checksum

import "strings"

// Field parses the lines of the field name of HTTP: Repr-Digest or Content-Digest (RFC 9530), which are dictionaries of structured fields, or the
// older Digest (RFC 3230). It returns the digests of known algorithms, and skips what it cannot parse.
//
// Repr-Digest and Digest cover the representation with its content coding, and all of it, even in a response that contains only a part.
func Field(name string, lines []string) (list []Digest) {
	structured := !strings.EqualFold(name, "Digest")
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			if d, ok := parseMember(member, structured); ok {
				list = append(list, d)
			}
		}
	}
	return list
}

// parseMember parses one member: sha-256=:BASE64: if structured, with parameters that mean nothing; else SHA-256=BASE64.
func parseMember(s string, structured bool) (Digest, bool) {
	key, value, ok := strings.Cut(strings.TrimSpace(s), "=")
	a := Named(key)
	if !ok || a == "" {
		return Digest{}, false
	}
	if structured {
		value, _, _ = strings.Cut(value, ";")
		value = strings.TrimSpace(value)
		if len(value) < 2 || value[0] != ':' || value[len(value)-1] != ':' {
			return Digest{}, false
		}
		value = value[1 : len(value)-1]
	}
	d, err := parseBase64(a, value)
	return d, err == nil
}
