package lineproto

import "io"

// LineWriter writes network line ends.
type LineWriter struct {
	w     io.Writer
	texts bool // see NewTextWriter
	cr    bool // the last byte written was a CR
	buf   []byte
}

// NewLineWriter returns a LineWriter that inserts a CR before each LF that has none. It leaves a lone CR unchanged, as vsftpd and proftpd do.
func NewLineWriter(w io.Writer) *LineWriter { return &LineWriter{w: w} }

// NewTextWriter returns a LineWriter that turns each CR LF, CR and LF into CR LF. Servers differ in how they treat a CR or LF alone, which
// allows smuggling lines into texts that end with a line of one dot.
func NewTextWriter(w io.Writer) *LineWriter { return &LineWriter{w: w, texts: true} }

// Write converts p. It returns len(p) if all of it was written.
func (w *LineWriter) Write(p []byte) (int, error) {
	w.buf = w.buf[:0]
	for _, c := range p {
		switch {
		case w.texts && c == '\r', c == '\n' && !w.cr:
			w.buf = append(w.buf, "\r\n"...)
		case !w.texts || c != '\n': // whose CR has become a line end
			w.buf = append(w.buf, c)
		}
		w.cr = c == '\r'
	}
	if _, err := w.w.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}
