package mail

import (
	netmail "net/mail"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// maxAddresses bounds the addresses of one URI: servers accept 100 recipients (RFC 5321 section 4.5.3.1.8).
const maxAddresses = 100

// A mailtoURI is a parsed mailto URI.
type mailtoURI struct {
	Scheme    string            `json:"scheme"`
	To        fetch.Octets      `json:"to"`      // decoded, but not divided
	Headers   [][2]fetch.Octets `json:"headers"` // decoded, in order, also those that are never sent
	Addresses []fetch.Octets    `json:"addresses"`
}

func readMailto(u uri.URI, m uri.Mode) (any, error) {
	r, err := parseMailto(u, m)
	if err != nil {
		return nil, err
	}
	urifield.Map(m.Text, &r.To)
	r.Addresses = urifield.MapAll(m.Text, r.Addresses)
	for i := range r.Headers {
		urifield.Map(m.Text, &r.Headers[i][0], &r.Headers[i][1])
	}
	return r, nil
}

// parseMailto parses a URI (RFC 6068 section 2). Before RFC 2368 a "?" was part of the one address.
func parseMailto(u uri.URI, m uri.Mode) (r mailtoURI, err error) {
	r = mailtoURI{Scheme: "mailto", Headers: [][2]fetch.Octets{}, Addresses: []fetch.Octets{}}
	if m >= uri.RFC1738 && m <= uri.URL6 {
		r.To = fetch.Octets(u.Opaque().Decode())
		return r, r.add(string(r.To))
	}
	r.To = fetch.Octets(u.Path().Decode())
	if to := string(u.Path()); to != "" {
		if err := r.addList(to, m); err != nil {
			return r, err
		}
	}
	if q, ok := u.Query(); ok {
		if err := r.parseHeaders(string(q), m); err != nil {
			return r, err
		}
	}
	if r.To == "" && len(r.Headers) == 0 {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "the mailto URI has neither an address nor a header")
	}
	return r, nil
}

// addList adds the addresses of a list. Raw commas separate them, and an escaped one is data (RFC 6068 section 2). In RFC 2368 section 2 the whole
// list is escaped, with its commas and blanks.
func (r *mailtoURI) addList(raw string, m uri.Mode) error {
	if m == uri.RFC2368 {
		return r.addText(uri.Escaped(raw).Decode())
	}
	for a := range strings.SplitSeq(raw, ",") {
		if err := r.add(uri.Escaped(a).Decode()); err != nil {
			return err
		}
	}
	return nil
}

// addText adds the addresses of a decoded list. A comma in a quoted string separates nothing.
func (r *mailtoURI) addText(list string) error {
	start, quoted := 0, false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			if err := r.addMailbox(list[start:i]); err != nil {
				return err
			}
			start = i + 1
		}
	}
	return r.addMailbox(list[start:])
}

// addMailbox adds the address of a mailbox, without the name of its owner: RFC 822 section 6.1.
func (r *mailtoURI) addMailbox(s string) error {
	s = strings.TrimSpace(s)
	if m, err := netmail.ParseAddress(s); err == nil && strings.HasSuffix(s, ">") {
		return r.add(m.Address)
	}
	return r.add(s)
}

// add adds an address: local-part "@" domain, or the local-part alone, which is an address on one machine ("postmaster"). A search needs no
// more than that; recipients checks the rest.
func (r *mailtoURI) add(a string) error {
	local, domain, ok := cutLast(a, "@")
	blank := strings.Contains(domain, " ") || strings.Contains(local, " ") &&
		!(strings.HasPrefix(local, `"`) && strings.HasSuffix(local, `"`))
	if ok && domain == "" || !ok && !isLocal(a) || local == "" || hasControls(a) || strings.ContainsAny(a, "<>") || blank {
		return fetch.Errorf(fetch.ErrRefusedURL, "an address is not local@domain (RFC 6068 section 2)")
	}
	if len(r.Addresses) == maxAddresses {
		return fetch.Errorf(fetch.ErrRefusedURL, "more than %d addresses", maxAddresses)
	}
	r.Addresses = append(r.Addresses, fetch.Octets(a))
	return nil
}

// isLocal reports whether s is a Local-part (RFC 5321 section 4.1.2).
func isLocal(s string) bool { return isDotString(s, isAtext) || isQuoted(s) }

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// parseHeaders parses name "=" value *( "&" name "=" value ). Only a body may contain line ends (RFC 6068 section 5).
func (r *mailtoURI) parseHeaders(raw string, m uri.Mode) error {
	if strings.Contains(raw, "?") {
		return fetch.Errorf(fetch.ErrRefusedURL, `a second "?" must be escaped (RFC 6068 section 2)`)
	}
	for field := range strings.SplitSeq(raw, "&") {
		name, value, ok := strings.Cut(field, "=")
		h := [2]fetch.Octets{fetch.Octets(uri.Escaped(name).Decode()), fetch.Octets(uri.Escaped(value).Decode())}
		isBody := strings.EqualFold(string(h[0]), "body")
		switch {
		case !ok || !mimemail.IsFieldName(string(h[0])):
			return fetch.Errorf(fetch.ErrRefusedURL, "a header in the mailto URI is not name=value (RFC 6068 section 2)")
		case !isBody && hasControls(string(h[1])), strings.Contains(string(h[1]), "\x00"):
			return fetch.Errorf(fetch.ErrRefusedURL, "control character in the header %s", h[0])
		}
		r.Headers = append(r.Headers, h)
		if strings.EqualFold(string(h[0]), "to") && h[1] != "" { // RFC 6068 section 2: equivalent to the path
			if err := r.addList(value, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// recipients returns the addresses, those of Cc and Bcc, and the hidden ones. Bcc is only here, never in the header (RFC 5322 section 3.6.3), so
// a program shows these recipients to its user (RFC 6068 section 7). Each recipient is one mailbox, because it stands in a command between
// angle brackets, and in a list between commas.
func (r mailtoURI) recipients(hidden []string) ([]string, error) {
	all := mailtoURI{Addresses: slices.Clone(r.Addresses)}
	lists := []string{}
	for _, h := range r.Headers {
		if strings.EqualFold(string(h[0]), "cc") || strings.EqualFold(string(h[0]), "bcc") {
			lists = append(lists, string(h[1]))
		}
	}
	for _, text := range append(lists, hidden...) {
		if text == "" {
			continue
		}
		if err := all.addText(text); err != nil {
			return nil, err
		}
	}
	list := []string{}
	for _, a := range all.Addresses {
		if !isMailbox(string(a)) {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "a recipient is not local@domain, one mailbox (RFC 5321 section 4.1.2)")
		}
		if !slices.Contains(list, string(a)) { // one copy is enough
			list = append(list, string(a))
		}
	}
	return list, nil
}

// validBcc checks the setting mailto.bcc.
func validBcc(text string) error {
	if _, err := (mailtoURI{}).recipients([]string{text}); err != nil {
		return fetch.BadSetting("mailto.bcc", "mailto.bcc: %w", err)
	}
	return nil
}
