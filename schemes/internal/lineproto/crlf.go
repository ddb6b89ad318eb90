package lineproto

import "io"

// LineWriter writes network line ends. The zero value is not usable; see NewLineWriter.
type LineWriter struct {
	w   io.Writer
	cr  bool // the last byte written was a CR
	buf []byte
}

// NewLineWriter returns a LineWriter that inserts a CR before each LF that has none. It leaves a lone CR unchanged, as vsftpd and proftpd do.
func NewLineWriter(w io.Writer) *LineWriter { return &LineWriter{w: w} }

// Write converts p. It returns len(p) if all of it was written.
func (w *LineWriter) Write(p []byte) (int, error) {
	w.buf = w.buf[:0]
	for _, c := range p {
		if c == '\n' && !w.cr {
			w.buf = append(w.buf, '\r')
		}
		w.buf = append(w.buf, c)
		w.cr = c == '\r'
	}
	if _, err := w.w.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A TextWriter writes texts without a CR or LF alone.
type TextWriter struct {
	w   io.Writer
	cr  bool // the last byte was a CR, for which CR LF was written
	buf []byte
}

// NewTextWriter returns a LineWriter that turns each CR LF, CR and LF into CR LF. Servers differ in how they treat a CR or LF alone, which
// allows smuggling lines into texts that end with a line of one dot.
func NewTextWriter(w io.Writer) *TextWriter { return &TextWriter{w: w} }

// Write converts p. It returns len(p) if all of it was written.
func (w *TextWriter) Write(p []byte) (int, error) {
	w.buf = w.buf[:0]
	for _, c := range p {
		switch {
		case c == '\n' && w.cr:
		case c == '\n' || c == '\r':
			w.buf = append(w.buf, "\r\n"...)
		default:
			w.buf = append(w.buf, c)
		}
		w.cr = c == '\r'
	}
	if _, err := w.w.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}
