package fetch

import (
	"net/netip"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// Typed returns the URI that a user has typed into an address field: a URI of one of the schemes, also as texts contain it (<URL:...>), or the
// name of a host with or without a path. It returns a refused-url or unsupported error for anything else.
func (r Registry) Typed(text string) (uri.URI, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return uri.URI{}, Errorf(ErrRefusedURL, "the address is empty")
	}
	inner := unwrapped(text)
	u, err := uri.Parse(inner)
	if err == nil && u.IsAbs() {
		if _, known := r.Lookup(u.Scheme()); known {
			return u, nil
		}
	}
	if at, ok := r.ofHost(inner); ok {
		return at, nil
	}
	switch {
	case err != nil:
		err = Errorf(ErrRefusedURL, "%w", err)
	case u.IsAbs():
		err = Errorf(ErrUnsupported, "no handler for the scheme %q", u.Scheme())
	default:
		err = Errorf(ErrRefusedURL, "not a URI, and not the name of a host: %q", text)
	}
	return u, err
}

// unwrapped removes <URL:...>, <...> and URL: from around a URI (RFC 1738 appendix, RFC 3986 appendix C).
func unwrapped(text string) string {
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	if len(text) > 4 && strings.EqualFold(text[:4], "URL:") {
		text = strings.TrimSpace(text[4:])
	}
	return text
}

// ofHost returns the URI of HOST[:PORT][/PATH]. The scheme is the one that the host's name or port suggests, or http.
func (r Registry) ofHost(text string) (uri.URI, bool) {
	text = strings.TrimPrefix(text, "//")
	authority, _, _ := strings.Cut(text, "/")
	host, port, _ := strings.Cut(authority, ":")
	if strings.HasPrefix(authority, "[") {
		host, port = authority, ""
	}
	if !isHostName(host) || strings.Trim(port, "0123456789") != "" {
		return uri.URI{}, false
	}
	scheme := "http"
	first, _, _ := strings.Cut(strings.ToLower(host), ".")
	for _, s := range r {
		if byPort := port != "" && port == strconv.Itoa(s.Rules.DefaultPort); (s.Name() == first || byPort) && !s.Local {
			scheme = s.Name()
			break
		}
	}
	if !strings.Contains(text, "/") {
		text += "/"
	}
	u, err := uri.Parse(scheme + "://" + text)
	return u, err == nil
}

// isHostName reports whether s can only be meant as a host: a name with a dot, localhost, or an address.
func isHostName(s string) bool {
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return true
	}
	bad := strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || strings.ContainsRune(`"<>\^{|}#?@%`+"`", c) })
	return !bad && (strings.EqualFold(s, "localhost") || strings.Contains(strings.Trim(s, "."), "."))
}
