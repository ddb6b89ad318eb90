package mail

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// maxAddresses bounds what one URI can address; RFC 5321 section 4.5.3.1.8 promises 100 recipients.
const maxAddresses = 100

// letter is what a mailto URI says.
type letter struct {
	Scheme    string            `json:"scheme"`
	To        fetch.Octets      `json:"to"`      // decoded whole
	Headers   [][2]fetch.Octets `json:"headers"` // decoded, in order, also those that are never sent
	Addresses []fetch.Octets    `json:"addresses"`
}

func readMailto(u uri.URI, m uri.Mode) (any, error) {
	r, err := letterOf(u, m)
	if err != nil {
		return nil, err
	}
	reading.Map(m.Text, &r.To)
	r.Addresses = reading.MapAll(m.Text, r.Addresses)
	for i := range r.Headers {
		reading.Map(m.Text, &r.Headers[i][0], &r.Headers[i][1])
	}
	return r, nil
}

// letterOf takes a URI apart. RFC 6068 section 2; before RFC 2368 a "?" was part of the one address.
func letterOf(u uri.URI, m uri.Mode) (r letter, err error) {
	r = letter{Scheme: "mailto", Headers: [][2]fetch.Octets{}, Addresses: []fetch.Octets{}}
	if m >= uri.RFC1738 && m <= uri.URL6 {
		r.To = fetch.Octets(u.Opaque().Decode())
		return r, r.add(string(r.To))
	}
	r.To = fetch.Octets(u.Path().Decode())
	if to := string(u.Path()); to != "" {
		if err := r.list(to); err != nil {
			return r, err
		}
	}
	if q, ok := u.Query(); ok {
		if err := r.headers(string(q)); err != nil {
			return r, err
		}
	}
	if r.To == "" && len(r.Headers) == 0 {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "a mailto URI has an address or a header")
	}
	return r, nil
}

// list reads addresses between commas that are not escaped.
func (r *letter) list(raw string) error {
	for a := range strings.SplitSeq(raw, ",") {
		if err := r.add(uri.Escaped(a).Decode()); err != nil {
			return err
		}
	}
	return nil
}

// add checks that a is local-part "@" domain, or the local-part alone, as mail on one machine has it ("postmaster"). That is enough to look
// for a. To be sent to, it must be more: recipients.
func (r *letter) add(a string) error {
	local, domain, ok := cutLast(a, "@")
	if ok && domain == "" || !ok && !isLocal(a) || local == "" || hasControls(a) || strings.ContainsAny(a, "<>") ||
		strings.Contains(domain, " ") || strings.Contains(local, " ") && !(strings.HasPrefix(local, `"`) && strings.HasSuffix(local, `"`)) {
		return fetch.Errorf(fetch.ErrRefusedURL, "an address is local@domain (RFC 6068 section 2)")
	}
	if len(r.Addresses) == maxAddresses {
		return fetch.Errorf(fetch.ErrRefusedURL, "more than %d addresses", maxAddresses)
	}
	r.Addresses = append(r.Addresses, fetch.Octets(a))
	return nil
}

// isLocal judges RFC 5321 section 4.1.2, Local-part.
func isLocal(s string) bool { return isDotString(s, isAtext) || isQuoted(s) }

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// headers reads name "=" value *( "&" name "=" value ). Line ends belong into a body alone (RFC 6068 section 5).
func (r *letter) headers(raw string) error {
	if strings.Contains(raw, "?") {
		return fetch.Errorf(fetch.ErrRefusedURL, `a second "?" must be escaped (RFC 6068 section 2)`)
	}
	for field := range strings.SplitSeq(raw, "&") {
		name, value, ok := strings.Cut(field, "=")
		h := [2]fetch.Octets{fetch.Octets(uri.Escaped(name).Decode()), fetch.Octets(uri.Escaped(value).Decode())}
		switch {
		case !ok || !isFieldName(string(h[0])):
			return fetch.Errorf(fetch.ErrRefusedURL, "a header in a mailto URI is name=value (RFC 6068 section 2)")
		case !isBody(h) && hasControls(string(h[1])), strings.Contains(string(h[1]), "\x00"):
			return fetch.Errorf(fetch.ErrRefusedURL, "controls in the header %s", h[0])
		}
		r.Headers = append(r.Headers, h)
		if strings.EqualFold(string(h[0]), "to") && h[1] != "" { // RFC 6068 section 2: as if in the path
			if err := r.list(value); err != nil {
				return err
			}
		}
	}
	return nil
}

func isBody(h [2]fetch.Octets) bool { return strings.EqualFold(string(h[0]), "body") }

// isFieldName judges RFC 5322 section 3.6.8: printable US-ASCII without a colon.
func isFieldName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == ':' }) < 0
}

// recipients are the addresses and those of Cc; Bcc is none, since it would go unseen (RFC 6068 section 7). Each of them stands in a
// command between angle brackets, and in a list between commas.
func (r letter) recipients() ([]string, error) {
	more := letter{Addresses: slices.Clone(r.Addresses)}
	for _, h := range r.Headers {
		if strings.EqualFold(string(h[0]), "cc") && h[1] != "" {
			for a := range strings.SplitSeq(string(h[1]), ",") {
				if err := more.add(strings.TrimSpace(a)); err != nil {
					return nil, err
				}
			}
		}
	}
	list := []string{}
	for _, a := range more.Addresses {
		if !isMailbox(string(a)) {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "a recipient is local@domain, one mailbox (RFC 5321 section 4.1.2)")
		}
		list = append(list, string(a))
	}
	return list, nil
}
