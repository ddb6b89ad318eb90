package mail

import (
	"mime"
	netmail "net/mail"
	"strings"

	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

// inASCII encodes a field in US-ASCII: words by RFC 2047, parameters by RFC 2231. It leaves what cannot be encoded, and then ok is false.
func inASCII(f maildoc.Field) (text string, ok bool) {
	if !has8bit(f.Text) {
		return f.Text, true
	}
	_, value, _ := strings.Cut(strings.ReplaceAll(f.Text, "\r\n", ""), ":")
	value = strings.TrimSpace(value)
	switch strings.TrimPrefix(f.Name, "Resent-") {
	case "From", "To", "Cc", "Reply-To", "Sender":
		list, err := netmail.ParseAddressList(value)
		if err != nil {
			return f.Text, false
		}
		words := []string{}
		for _, a := range list {
			if has8bit(a.Address) {
				return f.Text, false
			}
			words = append(words, a.String())
		}
		return f.Name + ": " + strings.Join(words, ",\r\n ") + "\r\n", true
	case "Content-Type", "Content-Disposition":
		kind, params, err := mime.ParseMediaType(value)
		if text := mime.FormatMediaType(kind, params); err == nil && text != "" {
			return f.Name + ": " + text + "\r\n", true
		}
		return f.Text, false
	}
	words := mime.QEncoding.Encode("utf-8", mimemail.Words(value))
	return f.Name + ": " + strings.ReplaceAll(words, "?= =?", "?=\r\n =?") + "\r\n", true
}
