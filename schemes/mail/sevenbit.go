package mail

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// sevenBit encodes the 8bit parts of a message for a server without 8BITMIME (RFC 6152 section 3, RFC 2045 section 6). Lines end with CRLF.
// If a part cannot be encoded, Read returns an error, so that no message is sent in part.
type sevenBit struct {
	in     *bufio.Reader
	out    bytes.Buffer
	bounds []string
	head   []string // lines of the current header
	inHead bool
	text   io.WriteCloser // the encoder of the part, nil if it is not encoded
	ends   []byte         // a line end that may belong to the next delimiter
	whole  bool           // the previous line was complete
	err    error
}

func newSevenBit(r io.Reader) *sevenBit {
	return &sevenBit{in: bufio.NewReaderSize(r, 64<<10), inHead: true, whole: true}
}

func (s *sevenBit) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		if s.err != nil {
			return 0, s.err
		}
		line, err := s.in.ReadSlice('\n')
		if s.err = s.line(line); s.err == nil && err != nil && err != bufio.ErrBufferFull {
			if s.err = err; err == io.EOF {
				s.err = s.finish()
			}
		}
	}
	return s.out.Read(p)
}

// finish writes the end of the message.
func (s *sevenBit) finish() error {
	if s.inHead {
		for _, l := range s.head {
			s.out.WriteString(l)
		}
		s.head = nil
	}
	if err := s.endPart(true); err != nil {
		return err
	}
	return io.EOF
}

// line writes a line, or a piece of a long one.
func (s *sevenBit) line(l []byte) error {
	begins := s.whole
	s.whole = bytes.HasSuffix(l, []byte("\n"))
	switch {
	case len(l) == 0:
		return nil
	case begins && s.delimiter(l):
		return nil
	case s.inHead:
		return s.header(string(l), begins)
	}
	return s.body(l)
}

// delimiter writes a delimiter. It reports whether l is one of an open part.
func (s *sevenBit) delimiter(l []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimRight(l, " \t\r\n"), []byte("--"))
	for i := len(s.bounds) - 1; ok && i >= 0; i-- {
		after, has := bytes.CutPrefix(rest, []byte(s.bounds[i]))
		if !has || len(after) > 0 && string(after) != "--" {
			continue
		}
		s.endPart(false)
		s.out.Write(l)
		s.bounds, s.inHead = s.bounds[:i+1], true
		if len(after) > 0 {
			s.bounds, s.inHead = s.bounds[:i], false
		}
		return true
	}
	return false
}

// endPart writes the end of a part. The line end before a delimiter belongs to the delimiter.
func (s *sevenBit) endPart(last bool) error {
	var err error
	if last && s.text != nil {
		_, err = s.text.Write(s.ends)
		s.ends = nil
	}
	if s.text != nil {
		if bad := s.text.Close(); err == nil {
			err = bad
		}
	}
	s.out.Write(s.ends)
	s.text, s.ends = nil, nil
	return err
}

func (s *sevenBit) header(l string, begins bool) error {
	if strings.TrimRight(l, "\r\n") != "" || !begins {
		switch {
		case len(s.head) > maxHeadLines:
			return fetch.Errorf(fetch.ErrLocal, "the header of a part is too long")
		case has8bit(l):
			return err8bit()
		}
		s.head = append(s.head, l)
		return nil
	}
	s.inHead = false
	h := mimemail.ParseHeader([]byte(strings.Join(s.head, "")))
	encoding, err := s.begin(h)
	for skip, i := false, 0; i < len(s.head); i++ {
		if f := s.head[i]; f[0] != ' ' && f[0] != '\t' {
			name, _, _ := strings.Cut(f, ":")
			skip = encoding != "" && strings.EqualFold(strings.TrimSpace(name), "Content-Transfer-Encoding")
		}
		if !skip {
			s.out.WriteString(s.head[i])
		}
	}
	if encoding != "" {
		s.out.WriteString("Content-Transfer-Encoding: " + encoding + "\r\n")
	}
	s.out.WriteString(l)
	s.head = nil
	return err
}

// begin chooses the encoding of the body of a part. "" leaves it unchanged.
func (s *sevenBit) begin(h mimemail.Header) (encoding string, err error) {
	t, params := h.Type()
	given := strings.ToLower(h.Get("Content-Transfer-Encoding"))
	eight := given == "8bit"
	switch {
	case given == "binary":
		return "", fetch.Errorf(fetch.ErrRefused, "SMTP cannot carry the binary part of the message: encode it in base64")
	case eight && t == "multipart/signed":
		return "", fetch.Errorf(fetch.ErrRefused, "the server does not accept 8bit text (8BITMIME), and encoding breaks the signature")
	case strings.HasPrefix(t, "multipart/") && params["boundary"] != "":
		if len(s.bounds) >= maxNesting {
			return "", fetch.Errorf(fetch.ErrLimit, "parts are nested too deeply")
		}
		s.bounds = append(s.bounds, params["boundary"])
	case eight && strings.HasPrefix(t, "message/"):
		s.inHead = true // the enclosed message is encoded part by part
	case eight && strings.HasPrefix(t, "text/"):
		s.text = quotedprintable.NewWriter(&s.out)
		return "quoted-printable", nil
	case eight:
		s.text = base64.NewEncoder(base64.StdEncoding, &wrapped{w: &s.out})
		return "base64", nil
	}
	if eight {
		return "7bit", nil
	}
	return "", nil
}

func err8bit() error {
	return fetch.Errorf(fetch.ErrRefused, "the server does not accept 8bit text (8BITMIME), and the message has some without declaring it")
}

// maxHeadLines bounds the header of a part.
const maxHeadLines = 10000

// maxNesting bounds the parts within parts of a message that is sent.
const maxNesting = 50

func (s *sevenBit) body(l []byte) error {
	if s.text == nil {
		if bytes.ContainsFunc(l, func(c rune) bool { return c >= 0x80 }) {
			return err8bit()
		}
		s.out.Write(l)
		return nil
	}
	text := bytes.TrimSuffix(l, []byte("\r\n"))
	if _, err := s.text.Write(s.ends); err != nil {
		return err
	}
	s.ends = append(s.ends[:0], l[len(text):]...)
	_, err := s.text.Write(text)
	return err
}

// wrapped breaks base64 into lines (RFC 2045 section 6.8).
type wrapped struct {
	w   io.Writer
	col int
}

func (w *wrapped) Write(p []byte) (n int, err error) {
	const most = 76
	for len(p) > 0 && err == nil {
		if w.col == most {
			_, err = io.WriteString(w.w, "\r\n")
			w.col = 0
		}
		k := min(most-w.col, len(p))
		w.w.Write(p[:k])
		p, n, w.col = p[k:], n+k, w.col+k
	}
	return n, err
}
