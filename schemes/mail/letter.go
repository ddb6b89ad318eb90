package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// A Letter is a text with attachments for the addresses of a mailto URI.
type Letter struct {
	Text        io.Reader // in UTF-8; nil is the body of the URI
	Attachments []Attachment
}

// An Attachment is a file in a Letter.
type Attachment struct {
	Name string // the name that the recipients see, without directories
	Type string // the media type; "" is that of the name's suffix
	Data io.Reader
}

// Message returns the message for Client.Send with the same URI, whose fields become the header. It reads the beginning of Text now, and all
// else only while the message itself is read, in constant memory.
func (l *Letter) Message(u uri.URI, m uri.Mode) (io.Reader, error) {
	r, err := parseMailto(u, m)
	if err != nil {
		return nil, err
	}
	var head strings.Builder
	text := l.Text
	for _, s := range r.messageSteps() {
		switch {
		case s.Verb != "":
			head.WriteString(s.Line() + "\r\n")
		case text == nil:
			text = strings.NewReader(s.Data)
		}
	}
	head.WriteString("MIME-Version: 1.0\r\n")
	fields, body, err := textPart(text)
	if err != nil {
		return nil, err
	}
	if len(l.Attachments) == 0 {
		return io.MultiReader(strings.NewReader(head.String()+fields), body), nil
	}
	// "=_" occurs neither in base64 nor in quoted-printable (RFC 2045 section 6.7), and nobody can guess the rest
	boundary := "=_" + rand.Text()
	head.WriteString("Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\n")
	parts := []io.Reader{strings.NewReader(head.String() + "--" + boundary + "\r\n" + fields), body}
	for i := range l.Attachments {
		a := &l.Attachments[i]
		parts = append(parts, strings.NewReader("\r\n--"+boundary+"\r\n"+a.fields()), base64Lines(a.Data))
	}
	return io.MultiReader(append(parts, strings.NewReader("\r\n--"+boundary+"--\r\n"))...), nil
}

// textPart returns the header fields and the body of the part with the text. It is encoded unless it is known to need no encoding.
func textPart(text io.Reader) (fields string, body io.Reader, err error) {
	in := bufio.NewReaderSize(text, 64<<10)
	start, err := in.Peek(in.Size())
	if err != nil && err != io.EOF {
		return "", nil, maildoc.Unreadable(err)
	}
	fields = "Content-Type: text/plain; charset=" + charsetOf(start, err == io.EOF) + "\r\n"
	if err == io.EOF && !needsEncoding(start) {
		return fields + "\r\n", in, nil
	}
	return fields + "Content-Transfer-Encoding: quoted-printable\r\n\r\n", quoted(in), nil
}

// base64Lines returns in as lines of base64 (RFC 2045 section 6.8), without the end of the last one.
func base64Lines(in io.Reader) io.Reader {
	in = bufio.NewReaderSize(in, 16<<10)
	block, line, end := make([]byte, 57), []byte{}, ""
	return pieces.NewReader(func() ([]byte, error) {
		n, err := io.ReadFull(in, block)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if n == 0 {
			return nil, err
		}
		line = base64.StdEncoding.AppendEncode(append(line[:0], end...), block[:n])
		end = "\r\n"
		return line, err
	})
}

// quoted returns in as quoted-printable, one block after the other.
func quoted(in io.Reader) io.Reader {
	var out bytes.Buffer
	w, block := quotedprintable.NewWriter(&out), make([]byte, 16<<10)
	return pieces.NewReader(func() ([]byte, error) {
		out.Reset()
		n, err := in.Read(block)
		_, bad := w.Write(block[:n])
		if err == io.EOF && bad == nil {
			bad = w.Close()
		}
		if bad != nil {
			err = bad
		}
		return out.Bytes(), err
	})
}

// fields returns the header of the part. The name of the file is there twice: as RFC 2231 (in RFC 2183) demands, and as an encoded word, which
// older programs read.
func (a *Attachment) fields() string {
	name := a.Name[strings.LastIndexByte(a.Name, '/')+1:]
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == utf8.RuneError {
			return '_' // also CR and LF: the recipient decodes the name
		}
		return c
	}, name)
	if name == "" {
		name = "attachment"
	}
	words := map[string]string{"name": mime.QEncoding.Encode("utf-8", name)}
	t := mime.FormatMediaType(a.mediaType(), words)
	d := mime.FormatMediaType("attachment", map[string]string{"filename": name})
	return fmt.Sprintf("Content-Type: %s\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: %s\r\n\r\n",
		strings.ReplaceAll(t, "?= =?", "?=\r\n =?"), d)
}

// mediaType returns the type of the part. Messages and parts within parts must not be in base64 (RFC 2045 section 6.4).
func (a *Attachment) mediaType() string {
	t := a.Type
	if t == "" {
		t, _ = mediatype.OfName(a.Name)
	}
	t, _, err := mime.ParseMediaType(t)
	if err != nil || !strings.Contains(t, "/") || strings.HasPrefix(t, "message/") || strings.HasPrefix(t, "multipart/") {
		return "application/octet-stream"
	}
	return t
}
