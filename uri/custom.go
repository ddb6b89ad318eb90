package uri

import "strings"

// A custom is what the canonical form of a mode before RFC 3986 decodes and encodes. The zero value is that of RFC 3986, which has no such sets.
type custom struct {
	plain  string // decoded, in addition to letters and digits; "" decodes nothing
	unsafe string // encoded, in addition to control characters and all bytes above 0x7F
}

func (k custom) decodes(c byte) bool {
	return k.plain != "" && ((clAlpha | clDigit).has(c) || strings.IndexByte(k.plain, c) >= 0)
}

func (k custom) encodes(c byte) bool {
	return k.unsafe != "" && ((clControl | clHigh).has(c) || strings.IndexByte(k.unsafe, c) >= 0)
}

func (m Mode) custom() custom {
	const excluded = " {}|[]\\^`<>\"#" // RFC 2396 §2.4.3
	switch m {
	case RFC1630, RFC1630Amended, RFC1630Strict, URL6:
		return custom{"-_.$&'(),", excluded + "~"} // D14
	case RFC1738, RFC1808, NewsDraft, WhoisDraft:
		return custom{"$-_.!*'(),", excluded + "~"} // RFC 1738 §2.2: unreserved except the plus sign (D21), unsafe
	case RFC2396, RFC2396Compat, RFC2255, RFC2368, RFC2392:
		return custom{"-_.!~*'()", excluded} // RFC 2396 §2.3
	case RFC2141: // §5: only the case of escapes changes
		return custom{"", excluded}
	}
	return custom{}
}
