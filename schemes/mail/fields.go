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

// A field is a header field of a message to submit. Its lines are verbatim and end with CRLF.
type field struct{ name, text string }

// readFields reads a header and the empty line after it.
func readFields(in *bufio.Reader) (list []field, err error) {
	for size := 0; ; {
		line, err := in.ReadSlice('\n')
		switch size += len(line); {
		case fetch.KindOf(err) != "": // an error of the caller's reader
			return nil, err
		case err == bufio.ErrBufferFull || size > mimemail.MaxHeader:
			return nil, fetch.Errorf(fetch.ErrLocal, "the header of the message is too long")
		case err != nil && err != io.EOF:
			return nil, fetch.Errorf(fetch.ErrLocal, "cannot read the message: %w", err)
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		if text == "" {
			return list, nil
		}
		if strings.ContainsAny(text, "\r\x00") { // some servers treat a lone CR as the end of a line, perhaps of a Bcc
			return nil, fetch.Errorf(fetch.ErrLocal, "CR or NUL within a header line of the message")
		}
		if text[0] != ' ' && text[0] != '\t' {
			name, _, ok := strings.Cut(text, ":")
			if name = strings.TrimRight(name, " \t"); !ok || !isFieldName(name) {
				return nil, &fetch.Error{
					Kind: fetch.ErrLocal, Text: fmt.Sprintf("not a header field: %q", clip(text)),
					Hint: fetch.HintLetter,
				}
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

// ascii encodes the field in US-ASCII (RFC 2047). It leaves addresses that cannot be encoded, and then ok is false.
func (f field) ascii() (text string, ok bool) {
	if !has8bit(f.text) {
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
			if has8bit(a.Address) {
				return f.text, false
			}
			words = append(words, a.String())
		}
		return f.name + ": " + strings.Join(words, ",\r\n ") + "\r\n", true
	}
	words := mime.QEncoding.Encode("utf-8", mimemail.Words(value))
	return f.name + ": " + strings.ReplaceAll(words, "?= =?", "?=\r\n =?") + "\r\n", true
}
