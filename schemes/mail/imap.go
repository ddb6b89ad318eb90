package mail

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// box is what an imap URI says. RFC 5092 section 2.
type box struct {
	Scheme      string        `json:"scheme"`
	Host        string        `json:"host"`
	Port        int           `json:"port"`
	User        *fetch.Octets `json:"user"`
	Auth        *fetch.Octets `json:"auth"`    // the SASL mechanism, "*" for any
	Mailbox     *fetch.Octets `json:"mailbox"` // decoded UTF-8; null is the server
	UIDValidity *uint32       `json:"uidvalidity"`
	UID         *uint32       `json:"uid"`
	Section     *fetch.Octets `json:"section"`
	Partial     *span         `json:"partial"`
	Search      *fetch.Octets `json:"search"`
}

// span is a partial-range: From octets on, Length of them, 0 for all.
type span struct {
	From   uint32 `json:"from"`
	Length uint32 `json:"length"`
}

func (h imap) read(u uri.URI, m uri.Mode) (any, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	reading.MapOpt(m.Text, &r.User, &r.Auth, &r.Mailbox, &r.Section, &r.Search)
	return r, nil
}

// reading takes a URI apart before it decodes.
func (h imap) reading(u uri.URI) (r box, err error) {
	r = box{Scheme: h.name, Host: u.Hostname(), Port: u.PortNumber(h.port)}
	if r.Host == "" {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "an %s URI names a host", h.name)
	}
	if info, ok := u.Userinfo(); ok {
		r.identity(string(info))
	}
	mailbox, params, isMessage := cutFold(string(u.Path()), "/;UID=")
	mailbox = strings.TrimPrefix(mailbox, "/")
	if mailbox != "" || isMessage {
		if err := r.mailbox(mailbox); err != nil {
			return r, err
		}
	}
	if isMessage {
		if err := r.params(params); err != nil {
			return r, err
		}
	}
	return r, r.search(u)
}

// identity reads [user] [";AUTH=" type] [":" password].
func (r *box) identity(info string) {
	info, _, _ = strings.Cut(info, ":")
	user, auth, has := cutFold(info, ";AUTH=")
	r.User = reading.Opt(fetch.Octets(uri.Escaped(user).Decode()), user != "" || !has)
	r.Auth = reading.Opt(fetch.Octets(uri.Escaped(auth).Decode()), has)
}

// cutFold is strings.Cut without regard to the case of sep, which is in ASCII.
func cutFold(s, sep string) (before, after string, ok bool) {
	for i := 0; i+len(sep) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sep)], sep) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// mailbox reads enc-mailbox [";UIDVALIDITY=" nz-number].
func (r *box) mailbox(raw string) error {
	name, validity, has := cutFold(raw, ";UIDVALIDITY=")
	if has {
		n, ok := nonZero(validity)
		if !ok {
			return fetch.Errorf(fetch.ErrRefusedURL, "UIDVALIDITY is a number of 32 bits (RFC 5092 section 3)")
		}
		r.UIDValidity = &n
	}
	name = uri.Escaped(name).Decode()
	if name == "" || !utf8.ValidString(name) {
		return fetch.Errorf(fetch.ErrRefusedURL, "the name of a mailbox is UTF-8 (RFC 5092 section 3)")
	}
	r.Mailbox = reading.Opt(fetch.Octets(name), true)
	return nil
}

// params reads nz-number ["/;SECTION=" section] ["/;PARTIAL=" range], what follows "/;UID=".
func (r *box) params(raw string) error {
	rest, partial, hasPartial := cutFold(raw, "/;PARTIAL=")
	uid, section, hasSection := cutFold(rest, "/;SECTION=")
	n, ok := nonZero(uid)
	if !ok {
		return fetch.Errorf(fetch.ErrRefusedURL, "UID is a number of 32 bits (RFC 5092 section 4)")
	}
	r.UID = &n
	if hasSection {
		s := uri.Escaped(section).Decode()
		if s == "" || hasControls(s) || strings.ContainsAny(s, "]{}<>") {
			return fetch.Errorf(fetch.ErrRefusedURL, "SECTION is a section-spec (RFC 9051 section 9)")
		}
		r.Section = reading.Opt(fetch.Octets(s), true)
	}
	if hasPartial {
		return r.partial(partial)
	}
	return nil
}

// partial reads number ["." nz-number].
func (r *box) partial(raw string) error {
	from, length, has := strings.Cut(raw, ".")
	f, err := strconv.ParseUint(from, 10, 32)
	n, ok := nonZero(length)
	if err != nil || strings.HasPrefix(from, "+") || has && !ok {
		return fetch.Errorf(fetch.ErrRefusedURL, "PARTIAL is number.number (RFC 5092 section 4)")
	}
	r.Partial = &span{uint32(f), n}
	return nil
}

// search reads "?" enc-search, a search program of RFC 9051. It stands in one line, so it can have no literal.
func (r *box) search(u uri.URI) error {
	q, ok := u.Query()
	if !ok {
		return nil
	}
	s := q.Decode()
	if s == "" || r.Mailbox == nil || r.UID != nil || hasControls(s) || strings.HasSuffix(s, "}") {
		return fetch.Errorf(fetch.ErrRefusedURL, "a search program is asked of a mailbox, in one line (RFC 5092 section 5)")
	}
	r.Search = reading.Opt(fetch.Octets(s), true)
	return nil
}

func nonZero(s string) (uint32, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err == nil && n > 0
}
