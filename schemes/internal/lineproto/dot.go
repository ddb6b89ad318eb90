package lineproto

import (
	"bufio"
	"bytes"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// A DotWriter writes the dot-stuffed text of gopher (RFC 1436 section 3.5), NNTP (RFC 3977 section 3.1.1) and SMTP (RFC 5321 section 4.5.2):
// lines end with CR LF, a line that begins with a dot gets a second one, and a line of one dot ends the text. Close writes that line. It does not convert line ends: write a local text through a LineWriter.
type DotWriter struct {
	w     io.Writer
	buf   []byte
	begin bool // at the beginning of a line
	cr    bool // the last byte was a CR
}

// NewDotWriter returns a DotWriter on w.
func NewDotWriter(w io.Writer) *DotWriter { return &DotWriter{w: w, begin: true} }

// Write stuffs p.
func (w *DotWriter) Write(p []byte) (int, error) {
	w.buf = w.buf[:0]
	for _, c := range p {
		if w.begin && c == '.' {
			w.buf = append(w.buf, '.')
		}
		w.buf = append(w.buf, c)
		w.begin, w.cr = c == '\n', c == '\r'
	}
	if _, err := w.w.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close ends an incomplete line and writes the terminating line. It does not close the underlying writer.
func (w *DotWriter) Close() error {
	end := ".\r\n"
	switch {
	case w.begin:
	case w.cr:
		end = "\n.\r\n"
	default:
		end = "\r\n.\r\n"
	}
	_, err := io.WriteString(w.w, end)
	return err
}

// NewDotReader returns a reader of a dot-stuffed text: the lines of in up to a line of one dot, with one dot fewer where a line begins with two.
// It accepts lines of any length, with LF or CR LF.
func NewDotReader(in *bufio.Reader) io.Reader {
	within := false // a line
	return pieces.NewReader(func() ([]byte, error) {
		part, err := in.ReadSlice('\n')
		begins := !within
		switch within = err == bufio.ErrBufferFull; {
		case within:
			err = nil
		case err == io.EOF:
			err = fetch.Errorf(fetch.ErrTruncated, "the line of one dot at the end is missing")
		}
		switch {
		case begins && err == nil && !within && string(bytes.TrimRight(part, "\r\n")) == ".":
			return nil, io.EOF
		case begins && bytes.HasPrefix(part, []byte("..")):
			part = part[1:]
		}
		return part, err
	})
}
