package uri

import (
	"iter"
	"strings"
)

// Found is a URI in running text.
type Found struct {
	URI        URI
	Start, End int // its place in the text, without brackets and prefix
}

// Find yields the URIs of running text. See [Finder.Find].
func Find(text string) iter.Seq[Found] { return Finder{}.Find(text) }

// A Finder finds URIs in running text.
type Finder struct {
	// Known reports whether a scheme, in lower case, is known. A word and a colon in text are a URI only if the scheme is known or one of
	// those common in mail and news, or if "//" follows or "URL:" precedes.
	Known func(scheme string) bool
}

// maxScheme is the longest scheme that is found in text.
const maxScheme = 32

// Find yields URIs in the order of the text: those in <URL:...>, URL=<...> and <...>, those after "url:", and bare URIs. In brackets, white
// space, line ends and the marks of quoted mail are removed (RFC 1738 appendix, RFC 2396 appendix E); a hyphen at the end of a line stays. The
// punctuation after a bare URI is not a part of it. Find takes linear time.
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
			var end int
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

// opaque reports whether URIs of scheme in text usually have no "//".
func opaque(scheme string) bool {
	switch scheme {
	case "mailto", "news", "nntp", "mid", "cid", "urn", "tel", "sms", "sip", "sips", "xmpp", "data",
		"magnet", "doi", "geo", "im", "callto", "bitcoin", "acct", "tag", "about", "file", "afs", "fxqn", "fred":
		return true
	}
	return false
}

func (f Finder) known(scheme string) bool {
	scheme = strings.ToLower(scheme)
	return opaque(scheme) || f.Known != nil && f.Known(scheme)
}

// plausible reports whether s, which starts with a scheme of n bytes, is probably a URI.
func (f Finder) plausible(s string, n int) bool {
	rest := s[n+1:]
	if strings.HasPrefix(rest, "//") {
		return len(rest) > 2
	}
	return rest != "" && f.known(s[:n])
}
