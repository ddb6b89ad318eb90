package browse

import (
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A target is what a page shows: a URI, what was entered for it, and how it is shown.
type target struct {
	uri     uri.URI
	search  []string
	answers []string // of a Gopher+ form
	secret  string   // sensitive input
	heading int      // at which the page begins on the screen, from 1; 0 for none
	title   string   // in a list of the browser's own
	own     string   // the name of one of the browser's own pages
}

// key identifies a page in the cache. It is the same for all names of a URI (RFC 3986 section 6.2).
func (b *Browser) key(t target) string {
	u := t.uri.WithoutFragment()
	if s, ok := b.schemes.Lookup(u.Scheme()); ok {
		u = uri.RFC3986Scheme.Normalize(u.ASCII(), &s.Rules)
	}
	return fmt.Sprintf("%s %q %q %q %q", u, t.search, t.answers, t.secret, t.own)
}

// options returns the Options of the request. What belongs to the server of the first page is not sent to others.
func (b *Browser) options(t target) *fetch.Options {
	o := b.schemes.ReferralOptions(b.config.Options, b.first, t.uri)
	o.Search = t.search
	if len(t.answers) > 0 {
		o.Put(gopherAnswers, t.answers...)
	}
	if t.secret != "" {
		o.Login = fetch.Login{Password: t.secret, Set: true}
	}
	if file := b.certificates[b.schemes.Origin(t.uri)]; file != "" {
		o.Put(t.uri.Scheme()+".cert", file)
	}
	return o
}

// gopherAnswers is the setting that fills in a form of Gopher+.
const gopherAnswers = "gopher.data"

// name returns the target as the title line shows it.
func (b *Browser) name(t target) string {
	switch {
	case t.own != "":
		return t.own
	case len(t.search) > 0:
		return b.schemes.Redact(t.uri) + ": " + strings.Join(t.search, " ")
	}
	return b.schemes.Redact(t.uri)
}
