package mail

import (
	"bytes"
	"io"

	"example.org/deref/fetch"
)

// sevenBit reads a message for a server without 8BITMIME (RFC 6152 section 3): Read fails before the first byte that is not US-ASCII, so that no
// message is sent in part.
type sevenBit struct{ in io.Reader }

func (s sevenBit) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if i := bytes.IndexFunc(p[:n], func(c rune) bool { return c >= 0x80 }); i >= 0 {
		return i, &fetch.Error{Kind: fetch.ErrRefused, Text: "the server does not accept 8bit text (8BITMIME)", Hint: "encode the text as quoted-printable"}
	}
	return n, err
}
