package uri

import "strconv"

// An Error says why a string is no URI: the position of the offending octet and
// the rule that it breaks. The string itself is left out, for it may hold a password.
type Error struct {
	Pos  int    // octets before the offence
	Rule string // the rule broken, with its section
}

func (e *Error) Error() string {
	return "bad URI: " + e.Rule + " at octet " + strconv.Itoa(e.Pos)
}

// The rules that Parse enforces.
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
	rulePort     = "port (RFC 3986 §3.2.3)"
	ruleNational = "national character (RFC 1630, BNF)"
	rulePunct    = "punctuation character (RFC 1630, BNF)"
	ruleXalpha   = "character outside the grammar (RFC 1630, BNF)"
	ruleSearch   = "search words (RFC 1630, BNF)"
	ruleAddress  = "address without a host (RFC 1630, BNF)"
)
