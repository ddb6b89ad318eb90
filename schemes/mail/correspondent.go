package mail

import (
	"slices"
	"strings"

	"example.org/deref/fetch/mimemail"
)

// wants verifies: a search finds texts within other texts, too.
func (w *wanted) wants(m head) bool {
	e, h := headEntry(m), mimemail.ParseHeader(m.fields)
	if !w.since.IsZero() && e.Modified.Before(w.since) {
		return false
	}
	text := strings.ToLower(e.Title)
	for _, name := range headFields() {
		text += " " + strings.ToLower(h.Get(name))
	}
	for _, word := range w.words {
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return slices.ContainsFunc(w.addresses, func(a string) bool {
		return names(h.Get("From"), a) || names(h.Get("To"), a) || names(h.Get("Cc"), a)
	})
}

// names reports whether a field names an address: as a whole word, in any case, since hardly any local part has one. An address without a
// domain is that of any domain.
func names(field, address string) bool {
	field, address = strings.ToLower(field), strings.ToLower(address)
	anyDomain := !strings.Contains(address, "@")
	for from := 0; ; {
		i := strings.Index(field[from:], address)
		if i < 0 {
			return false
		}
		i += from
		if end := i + len(address); (i == 0 || !inAddress(field[i-1])) && (end == len(field) || !inAddress(field[end]) || anyDomain && field[end] == '@') {
			return true
		}
		from = i + 1
	}
}

func inAddress(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-/=?^_`{|}~.@", c) >= 0 || c >= 0x80
}
