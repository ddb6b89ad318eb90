package uri

// A class is a set of properties of a byte.
type class uint32

const (
	clAlpha     class = 1 << iota // ALPHA
	clDigit                       // DIGIT
	clMark                        // - . _ : with "~" the other unreserved characters, RFC 3986 §2.3
	clTilde                       // ~
	clCommon                      // ! $ ' ( ) * : sub-delims, RFC 3986 §2.2, and so are the next four
	clPair                        // & =
	clPlus                        // +
	clComma                       // ,
	clSemicolon                   // ;
	clColon                       // :
	clAt                          // @
	clSlash                       // /
	clQuestion                    // ?
	clControl                     // C0 and DEL
	clHigh                        // 0x80 and up
	clBad                         // space " < > \ ^ ` { | } : not in the grammar of RFC 3986
	clUpper                       // A-Z
	clScheme                      // ALPHA DIGIT + - . , §3.1
	clPlain                       // all except controls, % ? and #, which Parse must check in a path

	clUnreserved = clAlpha | clDigit | clMark | clTilde
	clSub        = clCommon | clPair | clPlus | clComma | clSemicolon
	clNotURI     = clHigh | clBad                // in no component, §2
	clRegName    = clUnreserved | clSub | clHigh // §3.2.2, and raw IDN
)

// The bytes that may be unescaped in a place.
const (
	lgName     = clUnreserved | clSub                          // user or password: no ":"
	lgUserinfo = lgName | clColon                              // RFC 3986 §3.2.1
	lgSegment  = lgUserinfo | clAt                             // pchar, RFC 3986 §3.3; also message-id or content-id, RFC 2392 §2: no "/"
	lgPath     = lgSegment | clSlash                           // RFC 3986 §3.3; also a gopher selector: "?" could begin the search words
	lgQuery    = lgPath | clQuestion                           // RFC 3986 §3.4; the same for a fragment, §3.5
	lgFTP      = lgSegment &^ clSemicolon                      // fsegment without the ";" of ";type=", RFC 1738 §3.2.2
	lgMailto   = lgSegment &^ (clPair | clComma | clSemicolon) // addr-spec, RFC 6068 §2: one address, so no ","
	lgWords    = lgSegment &^ (clPair | clPlus | clSemicolon)  // a search word: none of + & = ; / ?, which servers may use as delimiters
	lgProspero = clAlpha | clDigit | clMark | clSlash          // the name of an object, RFC 4157
)

// classes is the class of each byte. The table is literal, so no code runs to initialize it.
// TestOctets computes it from the grammar.
var classes = [256]class{
	0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000,
	0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000, 0x02000,
	0x48000, 0x40010, 0x48000, 0x00000, 0x40010, 0x00000, 0x40020, 0x40010, 0x40010, 0x40010, 0x40010, 0x60040, 0x40080, 0x60004, 0x60004, 0x40800,
	0x60002, 0x60002, 0x60002, 0x60002, 0x60002, 0x60002, 0x60002, 0x60002, 0x60002, 0x60002, 0x40200, 0x40100, 0x48000, 0x40020, 0x48000, 0x01000,
	0x40400, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001,
	0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x70001, 0x40000, 0x48000, 0x40000, 0x48000, 0x40004,
	0x48000, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001,
	0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x60001, 0x48000, 0x48000, 0x48000, 0x40008, 0x02000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
	0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000, 0x44000,
}

func (c class) has(o byte) bool { return classes[o]&c != 0 }

// index returns the position of the first byte of s in c, or -1.
func (c class) index(s string) int {
	for i := range len(s) {
		if classes[s[i]]&c != 0 {
			return i
		}
	}
	return -1
}

func isHex(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 6
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

const upperHex = "0123456789ABCDEF"

func appendEscape(dst []byte, c byte) []byte {
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// escapeAt reports whether s[i:] starts with a complete escape. s[i] must be "%".
func escapeAt(s string, i int) bool {
	return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

// octetAt decodes the escape at s[i:].
func octetAt(s string, i int) byte { return unhex(s[i+1])<<4 | unhex(s[i+2]) }
