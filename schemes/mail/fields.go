package mail

import (
	"mime"
	netmail "net/mail"
	"strings"

	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

// inASCII encodes a field in US-ASCII (RFC 2047). It leaves addresses that cannot be encoded, and then ok is false.
func inASCII(f maildoc.Field) (text string, ok bool) {
	if !has8bit(f.Text) {
		return f.Text, true
	}
	_, value, _ := strings.Cut(strings.ReplaceAll(f.Text, "\r\n", ""), ":")
	value = strings.TrimSpace(value)
	switch f.Name {
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
	}
	words := mime.QEncoding.Encode("utf-8", mimemail.Words(value))
	return f.Name + ": " + strings.ReplaceAll(words, "?= =?", "?=\r\n =?") + "\r\n", true
}
