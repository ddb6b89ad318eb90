package news

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// The kinds of objects that a URI names.
const (
	whatAll     = "all"     // *
	whatWildmat = "wildmat" // groups that match a pattern (RFC 3977 section 4)
	whatGroup   = "group"
	whatArticle = "article"
	whatNumber  = "number"
	whatRange   = "range" // an extension: a range of numbers; Last is nil for an open one
)

// A newsURI is a parsed news, snews or nntp URI.
type newsURI struct {
	Scheme    string         `json:"scheme"`
	What      string         `json:"what"`
	Host      *string        `json:"host"`
	Port      *int           `json:"port"`
	Group     *fetch.Octets  `json:"group"` // or the pattern of whatWildmat
	MessageID *fetch.Octets  `json:"message_id"`
	First     *int64         `json:"first"`
	Last      *int64         `json:"last"`
	Sequence  []fetch.Octets `json:"sequence"`
}

// isOne reports whether the object is one article.
func (r *newsURI) isOne() bool { return r.What == whatArticle || r.What == whatNumber }

// isGroups reports whether the object is all groups, or those that match a pattern.
func (r *newsURI) isGroups() bool { return r.What == whatAll || r.What == whatWildmat }

// byNumber reports whether URIs name articles by their numbers.
func (r *newsURI) byNumber() bool { return r.Scheme == "nntp" || r.Scheme == "nntps" }

func (v variant) read(u uri.URI, m uri.Mode) (any, error) {
	r, err := v.parse(u)
	if err != nil {
		return nil, err
	}
	for _, s := range r.sequence() {
		r.Sequence = append(r.Sequence, fetch.Octets(m.Text(s.Line())))
	}
	urifield.MapOpt(m.Text, &r.Group, &r.MessageID)
	return r, nil
}

// parse parses a URI. All modes give the same result: RFC 5538, RFC 1738 and the drafts agree on what they have in common.
func (v variant) parse(u uri.URI) (r newsURI, err error) {
	r.Scheme = u.Scheme()
	name := string(u.Opaque()) // a message-id may contain "?" (RFC 1738 section 3.6)
	if a, ok := u.Authority(); ok {
		name = strings.TrimPrefix(name[len("//")+len(a):], "/")
		host, port := u.Hostname(), u.PortNumber(v.port)
		if host == "" {
			return r, fetch.Errorf(fetch.ErrRefusedURL, "the news host is empty")
		}
		r.Host, r.Port = &host, &port
	}
	if err := r.parseName(name); err != nil {
		return r, err
	}
	return r, r.checkNames()
}

// parseName distinguishes an article from a group by its "@" (the drafts; RFC 5538 section 2.2). An escaped slash belongs to the name. A
// raw one begins a number.
func (r *newsURI) parseName(raw string) error {
	s := uri.Escaped(raw).Decode()
	if strings.Contains(s, "@") {
		r.What, r.MessageID = whatArticle, urifield.Opt(fetch.Octets(mimemail.TrimBrackets(s)), true)
		return nil
	}
	if s == "" && r.Host == nil {
		return fetch.Errorf(fetch.ErrRefusedURL, "the %s URI names neither a group nor an article", r.Scheme)
	}
	if s == "" || s == "*" {
		r.What = whatAll
		return nil
	}
	group, number, ok := strings.Cut(raw, "/")
	group, number = uri.Escaped(group).Decode(), uri.Escaped(number).Decode()
	r.What, r.Group = whatGroup, urifield.Opt(fetch.Octets(group), true)
	switch {
	case ok:
		return r.parseNumbers(number)
	case strings.ContainsAny(group, "*?[!,"):
		r.What = whatWildmat
	}
	return nil
}

// parseNumbers parses the number of an article, or a range (RFC 3977 section 8.3.1).
func (r *newsURI) parseNumbers(s string) error {
	first, last, ok := strings.Cut(s, "-")
	lo, good := number(first)
	if !good {
		return fetch.Errorf(fetch.ErrRefusedURL, "not an article number: %q", s)
	}
	r.What, r.First, r.Last = whatNumber, &lo, &lo
	if !ok {
		return nil
	}
	r.What, r.Last = whatRange, nil
	if last == "" {
		return nil
	}
	hi, good := number(last)
	if !good || hi < lo {
		return fetch.Errorf(fetch.ErrRefusedURL, "not a range of articles: %q", s)
	}
	r.Last = &hi
	return nil
}

// number parses 1 to 18 digits. Zero is not an article number (RFC 3977 section 6).
func number(s string) (int64, bool) {
	if s == "" || len(s) > 18 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > 0
}

// maxID bounds a message-id without its brackets (RFC 3977 section 3.6).
const maxID = 250 - len("<>")

// checkNames rejects names that cannot be an argument of a command (RFC 3977 section 9.8): a blank would begin the next argument.
func (r *newsURI) checkNames() error {
	switch {
	case r.byNumber() && (r.What == whatArticle || r.What == whatAll):
		return fetch.Errorf(fetch.ErrRefusedURL, "%s URIs name a group, and an article by its number", r.Scheme)
	case r.MessageID != nil && !isID(string(*r.MessageID)):
		return fetch.Errorf(fetch.ErrRefusedURL, "not a message-id (RFC 3977 section 3.6)")
	case r.Group != nil && !isWord(string(*r.Group)):
		return fetch.Errorf(fetch.ErrRefusedURL, "the group name contains a blank or control character")
	case r.What != whatWildmat && r.Group != nil && strings.ContainsAny(string(*r.Group), "*?[!,"):
		return fetch.Errorf(fetch.ErrRefusedURL, "a pattern of groups has no articles")
	}
	return nil
}

func isID(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && at < len(s)-1 && len(s) <= maxID && isWord(s) && !strings.ContainsAny(s, "<>") &&
		strings.IndexFunc(s, func(c rune) bool { return c >= 0x7f }) < 0
}

func isWord(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s != ""
}
