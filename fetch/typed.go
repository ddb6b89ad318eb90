package fetch

import (
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
	inner := text
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") { // RFC 3986 appendix C
		inner = strings.TrimSpace(text[1 : len(text)-1])
	}
	u, err := uri.Parse(inner)
	if err == nil && u.IsAbs() {
		if _, known := r.Lookup(u.Scheme()); known {
			return u, nil
		}
	}
	if err == nil {
		inner = u.String() // without "URL:"
	}
	if at, _ := r.fromHost(inner); !at.IsZero() {
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

// fromHost returns the URI that a host without a scheme stands for. The scheme is the one that its name or port suggests, or that of uri.FromHost.
func (r Registry) fromHost(text string) (uri.URI, bool) {
	u, likely := uri.FromHost(text)
	first, _, _ := strings.Cut(strings.ToLower(u.Hostname()), ".")
	for _, s := range r {
		byName := s.Name() == first
		if byPort := u.Port() != "" && u.Port() == strconv.Itoa(s.Rules.DefaultPort); (byName || byPort) && !s.Local && u.Scheme() == "http" {
			if at, err := u.Edit().Scheme(s.Name()).URI(); err == nil {
				return at, likely
			}
		}
	}
	return u, likely
}
