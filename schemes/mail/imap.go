package mail

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// An imapURI is a parsed imap or imaps URI (RFC 5092 section 2).
type imapURI struct {
	Scheme      string        `json:"scheme"`
	Host        string        `json:"host"`
	Port        int           `json:"port"`
	User        *fetch.Octets `json:"user"`
	Auth        *fetch.Octets `json:"auth"`    // the SASL mechanism, "*" for any
	Mailbox     *fetch.Octets `json:"mailbox"` // decoded UTF-8; null names the server
	UIDValidity *uint32       `json:"uidvalidity"`
	UID         *uint32       `json:"uid"`
	Section     *fetch.Octets `json:"section"`
	Partial     *partialRange `json:"partial"`
	Search      *fetch.Octets `json:"search"`
}

// A partialRange is Length bytes from From on. Length 0 means the rest.
type partialRange struct {
	From   uint32 `json:"from"`
	Length uint32 `json:"length"`
}

func readIMAP(u uri.URI, m uri.Mode) (any, error) {
	r, err := parseIMAP(u)
	if err != nil {
		return nil, err
	}
	urifield.MapOpt(m.Text, &r.User, &r.Auth, &r.Mailbox, &r.Section, &r.Search)
	return r, nil
}

// parseIMAP splits a URI before it decodes the parts.
func parseIMAP(u uri.URI) (r imapURI, err error) {
	r = imapURI{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(portOf(u.Scheme()))}
	if r.Host == "" {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "the host of the %s URI is missing", r.Scheme)
	}
	if info, ok := u.Userinfo(); ok {
		r.parseUser(string(info))
	}
	mailbox, params, isMessage := cutFold(string(u.Path()), "/;UID=")
	mailbox = strings.TrimPrefix(mailbox, "/")
	if mailbox != "" || isMessage {
		if err := r.parseMailbox(mailbox); err != nil {
			return r, err
		}
	}
	if isMessage {
		if err := r.parseMessage(params); err != nil {
			return r, err
		}
	}
	return r, r.parseSearch(u)
}

// parseUser parses [user] [";AUTH=" type] [":" password].
func (r *imapURI) parseUser(info string) {
	info, _, _ = strings.Cut(info, ":")
	user, auth, has := cutFold(info, ";AUTH=")
	r.User = urifield.Opt(fetch.Octets(uri.Escaped(user).Decode()), user != "" || !has)
	r.Auth = urifield.Opt(fetch.Octets(uri.Escaped(auth).Decode()), has)
}

// cutFold is strings.Cut, but ignores the case of sep, which must be ASCII.
func cutFold(s, sep string) (before, after string, ok bool) {
	for i := 0; i+len(sep) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sep)], sep) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// withoutAuth returns the user of user [";AUTH=" type].
func withoutAuth(user string) string {
	user, _, _ = cutFold(user, ";AUTH=")
	return user
}

// parseMailbox parses enc-mailbox [";UIDVALIDITY=" nz-number].
func (r *imapURI) parseMailbox(raw string) error {
	name, validity, has := cutFold(raw, ";UIDVALIDITY=")
	if has {
		n, ok := nonZero(validity)
		if !ok {
			return fetch.Errorf(fetch.ErrRefusedURL, "UIDVALIDITY is not a 32-bit number (RFC 5092 section 3)")
		}
		r.UIDValidity = &n
	}
	name = uri.Escaped(name).Decode()
	if name == "" || !utf8.ValidString(name) {
		return fetch.Errorf(fetch.ErrRefusedURL, "the mailbox name is not UTF-8 (RFC 5092 section 3)")
	}
	r.Mailbox = urifield.Opt(fetch.Octets(name), true)
	return nil
}

// parseMessage parses nz-number ["/;SECTION=" section] ["/;PARTIAL=" range], which follow "/;UID=".
func (r *imapURI) parseMessage(raw string) error {
	rest, partial, hasPartial := cutFold(raw, "/;PARTIAL=")
	uid, section, hasSection := cutFold(rest, "/;SECTION=")
	n, ok := nonZero(uid)
	if !ok {
		return fetch.Errorf(fetch.ErrRefusedURL, "UID is not a 32-bit number (RFC 5092 section 4)")
	}
	r.UID = &n
	if hasSection {
		s := uri.Escaped(section).Decode()
		if s == "" || hasControls(s) || strings.ContainsAny(s, "]{}<>") {
			return fetch.Errorf(fetch.ErrRefusedURL, "SECTION is not a section-spec (RFC 9051 section 9)")
		}
		r.Section = urifield.Opt(fetch.Octets(s), true)
	}
	if hasPartial {
		return r.parsePartial(partial)
	}
	return nil
}

// parsePartial parses number ["." nz-number].
func (r *imapURI) parsePartial(raw string) error {
	from, length, has := strings.Cut(raw, ".")
	f, err := strconv.ParseUint(from, 10, 32)
	n, ok := nonZero(length)
	if err != nil || strings.HasPrefix(from, "+") || has && !ok {
		return fetch.Errorf(fetch.ErrRefusedURL, "PARTIAL is not number.number (RFC 5092 section 4)")
	}
	r.Partial = &partialRange{uint32(f), n}
	return nil
}

// parseSearch parses "?" enc-search, a search program of RFC 9051. It is sent in one line, so it cannot contain a literal.
func (r *imapURI) parseSearch(u uri.URI) error {
	q, ok := u.Query()
	if !ok {
		return nil
	}
	s := q.Decode()
	if s == "" || r.Mailbox == nil || r.UID != nil || hasControls(s) || strings.HasSuffix(s, "}") {
		return fetch.Errorf(fetch.ErrRefusedURL, "a search program is one line and applies to a mailbox (RFC 5092 section 5)")
	}
	r.Search = urifield.Opt(fetch.Octets(s), true)
	return nil
}

func nonZero(s string) (uint32, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n > 0
}

// base returns "imap://user@host:port/", what the URIs of entries begin with.
func (r *imapURI) base() string {
	b := r.Scheme + "://"
	if r.User != nil || r.Auth != nil {
		if r.User != nil {
			b += escapeIn(string(*r.User), "&=~")
		}
		if r.Auth != nil {
			b += ";AUTH=" + escapeIn(string(*r.Auth), "*")
		}
		b += "@"
	}
	return b + urifield.Authority(r.Host, r.Port, portOf(r.Scheme)) + "/"
}

// escapeIn escapes all but unreserved characters and those of extra (RFC 5092 section 11, achar and bchar).
func escapeIn(s, extra string) string { return uri.EscapeBut(s, "-._~"+extra) }

// withUser returns r with the user of l, so that URIs made from it are dereferenced as the same user.
func (r imapURI) withUser(l fetch.Login) imapURI {
	if user := withoutAuth(l.User); r.User == nil && l.Set && user != "" {
		r.User = urifield.Opt(fetch.Octets(user), true)
	}
	return r
}

// mailboxSafe lists the characters that are not escaped in the name of a mailbox: RFC 5092 section 11, bchar.
const mailboxSafe = "/:@&=!$'()+,*"
