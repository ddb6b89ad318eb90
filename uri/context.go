package uri

import "strings"

// A Context is a place in a URI. It determines which characters of a text must be escaped there (RFC 3986 §2.2: delimiters of the place are data
// only when escaped).
type Context uint8

const (
	Segment          Context = iota // one segment of a path
	FirstSegment                    // the first segment of a relative reference: a colon would end a scheme
	QueryText                       // a whole query
	SearchWords                     // the words of a search; blanks become "+" (D21)
	FragmentText                    // a fragment
	User                            // a user name, a password
	FTPSegment                      // one argument of CWD or RETR: a ";" could begin ";type="
	GopherSelector                  // type and selector; tabs are escaped, slashes are not
	Mailto                          // one address
	Mid                             // a message-id or a content-id, without its brackets
	Password                        // of a login; same as User
	CID                             // a content-id, without its brackets (RFC 2392 §2)
	GopherPlus                      // a Gopher+ string, a data block included; tabs and line ends are escaped, plus signs are not (RFC 4266 §2.1)
	ProsperoName                    // the name of an object (RFC 4157); a ";" would begin a field
	AllButUnreserved                // any place: only unreserved characters stay (RFC 3986 §2.3)

	contexts = int(AllButUnreserved) + 1
)

// String returns the name used by the command line and the test vectors.
func (c Context) String() string {
	return nameIn([]string{
		Segment: "segment", FirstSegment: "first-segment", QueryText: "query", SearchWords: "search-words", FragmentText: "fragment",
		User: "user", FTPSegment: "ftp-segment", GopherSelector: "gopher-selector", Mailto: "mailto", Mid: "mid", Password: "password",
		CID: "cid", GopherPlus: "gopher-plus", ProsperoName: "prospero", AllButUnreserved: "all-but-unreserved",
	}, c)
}

// Contexts returns all Contexts.
func Contexts() []Context { return allOf[Context](contexts) }

// ParseContext is the inverse of String.
func ParseContext(name string) (Context, bool) { return parseName[Context](name, contexts) }

func (c Context) legal() class {
	switch c {
	case QueryText, FragmentText:
		return lgQuery
	case SearchWords:
		return lgWords
	case User, Password:
		return lgName
	case FTPSegment:
		return lgFTP
	case GopherSelector, GopherPlus:
		return lgPath
	case Mailto:
		return lgMailto
	case ProsperoName:
		return lgProspero
	case AllButUnreserved:
		return clUnreserved
	}
	return lgSegment
}

// Escape escapes s for its place. In modes before RFC3986, s is ISO Latin 1 instead of UTF-8 (see [Mode.Octets]).
func (c Context) Escape(m Mode, s string) Escaped {
	return Escaped(c.AppendEscape(make([]byte, 0, len(s)+2), m, s))
}

// AppendEscape appends the result of Escape to dst.
func (c Context) AppendEscape(dst []byte, m Mode, s string) []byte {
	l := c.legal()
	custom := m.custom()
	if c == FirstSegment && strings.Contains(s, ":") {
		dst = append(dst, '.', '/') // RFC 3986 §4.2
	}
	for i := range len(s) {
		switch o := s[i]; {
		case o == ' ' && c == SearchWords:
			dst = append(dst, '+')
		case !l.has(o), custom.encodes(o), m.Drafts() && c.draftsEscape(o):
			dst = appendEscape(dst, o)
		default:
			dst = append(dst, o)
		}
	}
	return dst
}

// EscapeBut escapes all bytes of s except letters, digits and those in safe. It is for places without a Context.
func EscapeBut(s, safe string) string {
	b := make([]byte, 0, len(s)+16)
	for i := range len(s) {
		if c := s[i]; (clAlpha | clDigit).has(c) || strings.IndexByte(safe, c) >= 0 {
			b = append(b, c)
		} else {
			b = appendEscape(b, c)
		}
	}
	return string(b)
}

// draftsEscape reports whether the drafts' grammar forbids o in the context: "=" anywhere (reserved in RFC 1630), "/", "?" and "+" in a
// fragment, "/" and "?" in a search.
func (c Context) draftsEscape(o byte) bool {
	switch o {
	case '=':
		return true
	case '/', '?':
		return c == FragmentText || c == QueryText
	case '+':
		return c == FragmentText
	}
	return false
}

// Unescape is the inverse of Escape. It returns an *Error if a percent sign does not start an escape (D19).
func (c Context) Unescape(e Escaped) (string, error) {
	s := string(e)
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && !escapeAt(s, i) {
			return "", &Error{i, ruleEscape}
		}
	}
	switch c {
	case SearchWords: // D21: first the plus signs, then the escapes
		s = strings.ReplaceAll(s, "+", " ")
	case FirstSegment:
		s = strings.TrimPrefix(s, "./")
	}
	return Escaped(s).Decode(), nil
}

// Words splits a search at its plus signs and decodes each word (D21). It returns nil if e is empty.
func (e Escaped) Words() []string {
	if e == "" {
		return nil
	}
	words := strings.Split(string(e), "+")
	for i, w := range words {
		words[i] = Escaped(w).Decode()
	}
	return words
}

// JoinWords is the inverse of Words.
func JoinWords(m Mode, words ...string) Escaped {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = strings.ReplaceAll(string(SearchWords.Escape(m, w)), "+", "%20") // a blank inside a word does not end it
	}
	return Escaped(strings.Join(list, "+"))
}
