package mail

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	netmail "net/mail"
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// A field of a message that is sent, its lines as they came and ending with CRLF.
type field struct{ name, text string }

// readFields reads a header up to the empty line, which it takes.
func readFields(in *bufio.Reader) (list []field, err error) {
	for size := 0; ; {
		line, err := in.ReadSlice('\n')
		switch size += len(line); {
		case fetch.KindOf(err) != "": // of the reader: the message is empty
			return nil, err
		case err == bufio.ErrBufferFull || size > mimemail.MaxHeader:
			return nil, fetch.Errorf(fetch.ErrLocal, "the header of the message is too long")
		case err != nil && err != io.EOF:
			return nil, fetch.Errorf(fetch.ErrLocal, "the message: %w", err)
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		if text == "" {
			return list, nil
		}
		if strings.ContainsAny(text, "\r\x00") { // servers take a lone CR for the end of a line: of a Bcc, or of the header
			return nil, fetch.Errorf(fetch.ErrLocal, "CR or NUL within a line of the message's header")
		}
		if text[0] != ' ' && text[0] != '\t' {
			name, _, ok := strings.Cut(text, ":")
			if name = strings.TrimRight(name, " \t"); !ok || !isFieldName(name) {
				return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: fmt.Sprintf("%q is no field of a message's header", clip(text)),
					Hint: "a message begins with its header and an empty line; text alone can be the body of a mailto URI"}
			}
			list = append(list, field{name: textproto.CanonicalMIMEHeaderKey(name)})
		}
		if n := len(list); n > 0 {
			list[n-1].text += text + "\r\n"
		}
		if err == io.EOF {
			return list, nil
		}
	}
}

// ascii writes the field in US-ASCII (RFC 2047). Addresses that cannot be are left, and plain is false.
func (f field) ascii() (text string, plain bool) {
	if !hasEight(f.text) {
		return f.text, true
	}
	_, value, _ := strings.Cut(strings.ReplaceAll(f.text, "\r\n", ""), ":")
	value = strings.TrimSpace(value)
	switch f.name {
	case "From", "To", "Cc", "Reply-To", "Sender":
		list, err := netmail.ParseAddressList(value)
		if err != nil {
			return f.text, false
		}
		words := []string{}
		for _, a := range list {
			if hasEight(a.Address) {
				return f.text, false
			}
			words = append(words, a.String())
		}
		return f.name + ": " + strings.Join(words, ",\r\n ") + "\r\n", true
	}
	words := mime.QEncoding.Encode("utf-8", mimemail.Words(value))
	return f.name + ": " + strings.ReplaceAll(words, "?= =?", "?=\r\n =?") + "\r\n", true
}
