package mail

import (
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// headFields returns the fields that a listing has: those that it shows, and those that make threads.
func headFields() []string { return append(wordFields(), "In-Reply-To", "References") }

// wordFields returns the fields in which words are searched.
func wordFields() []string { return []string{"Date", "From", "To", "Cc", "Subject", "Message-ID"} }

// entry returns the listing entry of a message, without its URI.
func (m head) entry() fetch.Entry {
	h := mimemail.ParseHeader(m.fields)
	e := maildoc.MessageEntry(h, headFields()...)
	if e.Size = m.size; e.Modified.IsZero() && !m.date.IsZero() {
		e.Modified, e.Precision = m.date, time.Second
	}
	if id := h.MessageID(); id != "" {
		if u, err := midURI(id); err == nil {
			e.Attr["mid"] = []string{u.String()}
		}
	}
	return e
}

// midURI returns the mid URI of an id (RFC 2392 section 2), with "/" escaped.
func midURI(id string) (uri.URI, error) {
	return uri.Parse("mid:" + escapeIn(id, idSafe))
}

// idSafe lists the characters that are not escaped in an id: RFC 3986 section 3.3, pchar.
const idSafe = "@!$&'()*+,;=:"

// matches reports whether a message is from or to one of the addresses, and has all the words. Searches also find substrings.
func (r *mailtoListing) matches(m head) bool {
	e, h := m.entry(), mimemail.ParseHeader(m.fields)
	if !e.Modified.IsZero() && e.Modified.Before(r.since) {
		return false
	}
	text := ""
	for _, name := range wordFields() {
		text += " " + strings.ToLower(mimemail.Words(h.Get(name)))
	}
	for _, word := range r.words {
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return slices.ContainsFunc(r.addresses, func(a string) bool {
		return hasAddress(h.Get("From"), a) || hasAddress(h.Get("To"), a) || hasAddress(h.Get("Cc"), a)
	})
}

// hasAddress reports whether a field contains an address as a whole word. It ignores case, as nearly all servers do for local parts. An
// address without a domain matches any domain.
func hasAddress(field, address string) bool {
	field, address = strings.ToLower(field), strings.ToLower(address)
	anyDomain := !strings.Contains(address, "@")
	for from := 0; ; {
		i := strings.Index(field[from:], address)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(address)
		begins := i == 0 || !inAddress(field[i-1])
		ends := end == len(field) || !inAddress(field[end]) || anyDomain && field[end] == '@'
		if begins && ends {
			return true
		}
		from = i + 1
	}
}

func inAddress(c byte) bool { return isAtext(rune(c)) || c == '.' || c == '@' }
