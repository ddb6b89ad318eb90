package uri

import "strconv"

// An Error reports why a string is not a URI. It does not contain the string, which may have a password.
type Error struct {
	Pos  int    // offset of the first invalid byte; -1 for components of a Builder
	Rule string // the rule that it breaks, with the section of the RFC
}

func (e *Error) Error() string {
	if e.Pos < 0 {
		return "bad URI: " + e.Rule
	}
	return "bad URI: " + e.Rule + " at byte " + strconv.Itoa(e.Pos)
}

// The rules that Parse and Builder check.
const (
	ruleLength   = "longer than 16 MiB"
	ruleOctet    = "character outside the grammar (RFC 3986 Appendix A)"
	ruleColon    = "colon in the first segment (RFC 3986 §4.2)"
	ruleControl  = "control character (RFC 3986 §2)"
	ruleEscape   = "percent sign without two hexadecimal digits (RFC 3986 §2.1)"
	ruleScheme   = "scheme (RFC 3986 §3.1)"
	ruleSlash    = "backslash in the authority (RFC 3986 §3.2)"
	ruleHost     = "host (RFC 3986 §3.2.2)"
	ruleZone     = "zone of an IPv6 address after % instead of %25 (RFC 6874 §2)"
	ruleLiteral  = "IP literal (RFC 3986 §3.2.2)"
	ruleNoHost   = "user or port without a host (RFC 3986 §3.2)"
	ruleRooted   = "path after a host without a slash at its start (RFC 3986 §3.3)"
	ruleSlashes  = "path with two slashes at its start and no host (RFC 3986 §3.3)"
	ruleDots     = "segment \".\" or \"..\" as data (RFC 3986 §6.2.2.3)"
	rulePort     = "port (RFC 3986 §3.2.3)"
	ruleNational = "national character (RFC 1630, BNF)"
	rulePunct    = "punctuation character (RFC 1630, BNF)"
	ruleXalpha   = "character outside the grammar (RFC 1630, BNF)"
	ruleSearch   = "search words (RFC 1630, BNF)"
	ruleAddress  = "address without a host (RFC 1630, BNF)"
)
