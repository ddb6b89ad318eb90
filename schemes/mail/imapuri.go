package mail

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// base is "imap://user@host:port/", what the URIs of entries begin with.
func (r *box) base() string {
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
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	b += host
	if r.Port != portOf(r.Scheme) {
		b += ":" + strconv.Itoa(r.Port)
	}
	return b + "/"
}

// escapeIn escapes all but unreserved characters and those of extra: RFC 5092 section 11, achar and bchar.
func escapeIn(s, extra string) string { return uri.EscapeBut(s, "-._~"+extra) }

// as is r with the user that was found, so that URIs made from it lead back as the same one.
func (r box) as(l fetch.Login) box {
	if user, _, _ := cutFold(l.User, ";AUTH="); r.User == nil && l.Set && user != "" {
		r.User = reading.Opt(fetch.Octets(user), true)
	}
	return r
}

// messageURI names a message of a folder.
func messageURI(base, mailbox string, validity, uid uint32) string {
	s := base + escapeIn(mailbox, mailboxSafe)
	if validity != 0 {
		s += ";UIDVALIDITY=" + strconv.FormatUint(uint64(validity), 10)
	}
	return s + "/;UID=" + strconv.FormatUint(uint64(uid), 10)
}

// mailboxSafe is what stands in the name of a mailbox as it is: RFC 5092 section 11, bchar.
const mailboxSafe = "/:@&=!$'()+,*"
