package uri

import "strings"

// A Mode selects the specification by which URIs are parsed, resolved, normalized, compared and escaped. The zero value is RFC3986, the current
// one.
type Mode uint8

const (
	RFC3986        Mode = iota // the default: RFC 3986, strict resolution
	RFC3986Compat              // §5.2.2, not strict: a reference may repeat the base's scheme
	RFC3986Scheme              // with scheme-based normalization, §6.2.3
	RFC2396                    // August 1998
	RFC2396Compat              // §5.2 step 3: a reference may repeat the base's scheme
	RFC1808                    // relative URLs, with parameters split off the path
	RFC1738                    // URLs
	RFC1630                    // the drafts of 1993 and 1994 and RFC 1630; see DECISIONS.md
	RFC1630Amended             // RFC 1630 as printed: "no longer run to its right"
	RFC1630Strict              // the exact grammar of the drafts
	URL6                       // the URL draft of July 1993
	RFC2141                    // urn
	RFC2255                    // ldap
	RFC2368                    // mailto
	RFC2392                    // mid, cid
	NewsDraft                  // news URIs with a host
	WhoisDraft                 // whois++
	Perl                       // Perl's URI module, where it differs

	modes = int(Perl) + 1
)

// String returns the name used by the command line and the test vectors.
func (m Mode) String() string {
	return nameIn([]string{
		RFC3986: "rfc3986", RFC3986Compat: "rfc3986-compat", RFC3986Scheme: "rfc3986-scheme", RFC2396: "rfc2396",
		RFC2396Compat: "rfc2396-compat", RFC1808: "rfc1808", RFC1738: "rfc1738", RFC1630: "rfc1630", RFC1630Amended: "rfc1630-amended",
		RFC1630Strict: "rfc1630-strict", URL6: "url6", RFC2141: "rfc2141", RFC2255: "rfc2255", RFC2368: "rfc2368", RFC2392: "rfc2392",
		NewsDraft: "news-draft", WhoisDraft: "whois-draft", Perl: "perl",
	}, m)
}

// ParseMode is the inverse of String. Case does not matter.
func ParseMode(name string) (Mode, bool) { return parseName[Mode](strings.ToLower(name), modes) }

// Modes returns all Modes, the latest specification first.
func Modes() []Mode { return allOf[Mode](modes) }

// Unicode reports whether URIs in this mode are UTF-8. In the other modes each byte is one character of ISO Latin 1 (D20).
func (m Mode) Unicode() bool { return m <= RFC3986Scheme }

// Drafts reports whether m follows the drafts of 1993 and 1994 and RFC 1630.
func (m Mode) Drafts() bool { return m >= RFC1630 && m <= URL6 }

// Octets encodes text for a URI of the mode: as ISO Latin 1 in modes that are not Unicode, and unchanged in the others. It returns false if a
// character is not in ISO Latin 1.
func (m Mode) Octets(text string) (string, bool) {
	if m.Unicode() || ascii(text) {
		return text, true
	}
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			return "", false
		}
		b = append(b, byte(r))
	}
	return string(b), true
}

// Text is the inverse of Octets.
func (m Mode) Text(s string) string {
	if m.Unicode() || ascii(s) {
		return s
	}
	b := make([]rune, len(s))
	for i := range len(s) {
		b[i] = rune(s[i])
	}
	return string(b)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
