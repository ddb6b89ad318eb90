package maildoc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/mimemail"
)

// A Field is a header field of a message to send. Its lines are verbatim and end with CRLF.
type Field struct{ Name, Text string }

// ReadFields reads the header of a message to send, of at most most bytes unless that is 0, and the empty line after it. Every line must be a field
// or continue one: otherwise a server would treat the rest of the header as the text.
func ReadFields(in *bufio.Reader, most int) (list []Field, err error) {
	for size := 0; ; {
		line, err := in.ReadSlice('\n')
		switch size += len(line); {
		case err == bufio.ErrBufferFull || most > 0 && size > most:
			return nil, fetch.Errorf(fetch.ErrLimit, "the header of the message is too long")
		case err != nil && err != io.EOF:
			return nil, Unreadable(err)
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		if text == "" {
			return list, nil
		}
		if strings.ContainsAny(text, "\r\x00") { // some servers treat a lone CR as the end of a line, perhaps of a Bcc
			return nil, fetch.Errorf(fetch.ErrLocal, "CR or NUL within a header line of the message")
		}
		if folded := text[0] == ' ' || text[0] == '\t'; !folded || len(list) == 0 {
			name, _, ok := strings.Cut(text, ":")
			if name = strings.TrimRight(name, " \t"); !ok || !mimemail.IsFieldName(name) {
				return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: fmt.Sprintf("not a header field: %.200q", text), Hint: hint.Letter}
			}
			list = append(list, Field{Name: textproto.CanonicalMIMEHeaderKey(name)})
		}
		list[len(list)-1].Text += text + "\r\n"
		if err == io.EOF {
			return list, nil
		}
	}
}

// Unreadable returns an error of the caller's reader of a message to send, or err itself if it has a Kind.
func Unreadable(err error) error {
	if fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrLocal, "cannot read the message: %w", err)
}
