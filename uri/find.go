package uri

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Found is a URI in running text.
type Found struct {
	URI        URI
	Start, End int // the octets of the text that hold it, without its wrapper
}

// Find yields the URIs of running text. See [Finder.Find].
func Find(text string) iter.Seq[Found] { return Finder{}.Find(text) }

// A Finder finds URIs in running text.
type Finder struct {
	// Known reports whether a scheme, in lower case, is one. A word and a colon
	// in text are a URI only where it says so, or "//" follows, or "URL:"
	// precedes. nil: the schemes without "//" that are met in mail and news.
	Known func(scheme string) bool
}

// maxScheme is the longest scheme that is sought in text.
const maxScheme = 32

// Find yields in order: what stands in <URL:...>, URL=<...> and <...>, white
// space, line ends and the marks of quoted mail dropped (RFC 1738 appendix,
// RFC 2396 appendix E; a hyphen at a line end stays); what follows "url:"; and
// bare URIs, the punctuation of the sentence left to the sentence. What is not
// a URI of this package is passed over. It takes time linear in the text.
func (f Finder) Find(text string) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		for i := 0; i < len(text); {
			j := strings.IndexAny(text[i:], "<:")
			if j < 0 {
				return
			}
			j += i
			var hit Found
			var ok bool
			end := j + 1
			if text[j] == '<' {
				hit, end, ok = f.bracket(text, j)
			} else {
				hit, end, ok = f.bare(text, i, j)
			}
			if ok && !yield(hit) {
				return
			}
			i = end
		}
	}
}

// opaque reports whether scheme is met in text without "//".
func opaque(scheme string) bool {
	switch scheme {
	case "mailto", "news", "nntp", "mid", "cid", "urn", "tel", "sms", "sip", "sips", "xmpp", "data",
		"magnet", "doi", "geo", "im", "callto", "bitcoin", "acct", "tag", "about", "file", "afs", "fxqn", "fred":
		return true
	}
	return false
}

func (f Finder) known(scheme string) bool {
	if f.Known == nil {
		return opaque(strings.ToLower(scheme))
	}
	return f.Known(strings.ToLower(scheme))
}

// plausible reports whether s, which starts with a scheme of n octets, is meant as a URI.
func (f Finder) plausible(s string, n int) bool {
	rest := s[n+1:]
	if strings.HasPrefix(rest, "//") {
		return len(rest) > 2
	}
	return rest != "" && f.known(s[:n])
}

// bracket reads what stands behind the "<" at i. The second result is where to go on.
func (f Finder) bracket(text string, i int) (Found, int, bool) {
	start := i + 1
	inner, end := unwrap(text, start)
	if end < 0 {
		return Found{}, start, false
	}
	s, prefixed := cutPrefix(inner)
	n, _, _ := scanScheme(s)
	if n == 0 || !prefixed && !f.plausible(s, n) || !whole(text[start:end], n) {
		return Found{}, start, false
	}
	u, err := Parse(s)
	if err != nil || n+1 == len(s) {
		return Found{}, start, false
	}
	return Found{u, start, end}, end + 1, true
}

// whole reports whether the scheme of n octets stands in inner in one piece: in
// "<see http://h/>" it does not, once the space is dropped.
func whole(inner string, n int) bool {
	s, _ := cutPrefix(strings.TrimLeft(inner, " \t\r\n"))
	s = strings.TrimLeft(s, " \t\r\n")
	return len(s) > n && s[n] == ':'
}

// unwrap returns what stands between start and the next ">", without white
// space; -1 where "<", the end of the text, or after a blank another URI comes
// first. In a line that quotes
// mail the quotation marks at the start of the next lines are not its end.
func unwrap(text string, start int) (string, int) {
	var b []byte
	asked, quoted := false, false
	word := 0 // where the last word starts in b
	for i := start; i < len(text) && i-start < MaxLen; i++ {
		switch c := text[i]; {
		case c == '<':
			return "", -1
		case c == '>':
			return string(b), i
		case c == '\n':
			if !asked {
				asked, quoted = true, quotes(text, start)
			}
			if quoted {
				i += quoteMarks(text[i+1:])
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			if !asked {
				word = len(b)
			}
		case c == ':' && word > 0 && !asked && len(b)-word <= maxScheme &&
			strings.HasPrefix(text[i:], "://") && isScheme(string(b[word:])):
			return "", -1
		default:
			b = append(b, c)
		}
	}
	return "", -1
}

func isScheme(s string) bool {
	n, _, _ := scanScheme(s + ":")
	return n > 0 && n == len(s)
}

// quotes reports whether the line that holds i starts with a mark of quotation.
func quotes(text string, i int) bool {
	line := strings.TrimLeft(text[strings.LastIndexByte(text[:i], '\n')+1:i], " \t")
	return strings.HasPrefix(line, ">") || strings.HasPrefix(line, "|")
}

// quoteMarks is the length of the marks of quotation that s starts with: ">", "> > ", "|".
func quoteMarks(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '>', '|':
			n = i + 1
		case ' ', '\t':
		default:
			return n
		}
	}
	return n
}

// cutPrefix takes "URL:" off (RFC 1738 appendix; S1 "prefixedurl").
func cutPrefix(s string) (string, bool) {
	if len(s) >= 4 && strings.EqualFold(s[:4], "url:") {
		return strings.TrimLeft(s[4:], " \t"), true
	}
	return s, false
}

// bare reads a URI whose scheme ends with the colon at colon and starts not
// before low.
func (f Finder) bare(text string, low, colon int) (Found, int, bool) {
	i := schemeStart(text, low, colon)
	next := colon + 1
	if i == colon {
		return Found{}, next, false
	}
	if colon-i == 3 && strings.EqualFold(text[i:colon], "url") {
		return f.prefixed(text, next)
	}
	if !f.plausible(text[i:], colon-i) {
		return Found{}, next, false
	}
	return f.take(text, i)
}

// schemeStart is where the scheme that ends at colon starts; colon, if there is none.
func schemeStart(text string, low, colon int) int {
	i := colon
	for i > low && colon-i < maxScheme && schemeOctet(text[i-1]) {
		i--
	}
	for i < colon && !clAlpha.has(text[i]) {
		i++
	}
	return i
}

// prefixed reads what follows "url:", of whatever scheme.
func (f Finder) prefixed(text string, i int) (Found, int, bool) {
	j := i
	for j < len(text) && (text[j] == ' ' || text[j] == '\t') && j-i < maxScheme {
		j++
	}
	n, _, _ := scanScheme(text[j:bareEnd(text, j, min(j+maxScheme, len(text)))])
	if n == 0 || n > maxScheme || !f.plausible(text[j:], n) && j > i {
		return Found{}, i, false
	}
	return f.take(text, j)
}

// take reads the bare URI that starts at i. What is none is passed over whole:
// it is not searched again, or the time would be quadratic.
func (f Finder) take(text string, i int) (Found, int, bool) {
	end := bareEnd(text, i, len(text))
	s := sentence(text[i:end])
	u, err := Parse(s)
	if err != nil || int(u.start()) == len(s) || u.scheme == 0 || s[u.start():] == "//" {
		return Found{}, max(end, i+1), false
	}
	return Found{u, i, i + len(s)}, end, true
}

// bareEnd is where a bare URI that starts at i must end, at limit at the latest:
// white space, a control, one of < > " { } | \ ^ `, the quotation marks and
// full stops of other scripts, a closing bracket that it does not open, or a comma
// or semicolon that another URI follows.
func bareEnd(text string, i, limit int) int {
	low, round, square := i, 0, 0
	for i < limit {
		c := text[i]
		if c < utf8.RuneSelf {
			switch c {
			case '(':
				round++
			case ')':
				round--
			case '[':
				square++
			case ']':
				square--
			}
			if (clControl | clBad).has(c) || round < 0 || square < 0 {
				return i
			}
			if c == ':' && strings.HasPrefix(text[i:], "://") {
				if k := listed(text, low, i); k > 0 {
					return k
				}
				low = i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if ends(r) {
			return i
		}
		i += n
	}
	return limit
}

func ends(r rune) bool {
	if r == utf8.RuneError {
		return false // an octet of another character set: kept
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe, unicode.Cc) ||
		strings.ContainsRune("„、。，；！？", r)
}

// listed is the offset of the comma or semicolon before the scheme that ends at colon, 0 if there is none.
func listed(text string, low, colon int) int {
	k := schemeStart(text, low, colon)
	if k > low && k < colon && (text[k-1] == ',' || text[k-1] == ';') {
		return k - 1
	}
	return 0
}

// sentence takes off s what belongs to the sentence around it: punctuation at
// the end, and brackets that only open.
func sentence(s string) string { return strings.TrimRight(s, ".,;:!?'([") }
