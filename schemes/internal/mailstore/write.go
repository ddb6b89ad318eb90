package mailstore

import (
	"bytes"
	"io"
	"strings"
	"time"
)

// A Writer writes a mailbox in the form mboxrd: LF ends lines, and lines that begin with any number of ">" and "From " get one more ">".
type Writer struct {
	w    io.Writer
	held []byte // the end of what Write got: a part of "From ", or a CR
	text bool   // the line has more than ">"
	open bool   // the line has begun
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Begin writes the From line of a message. The zero time becomes the Unix epoch.
func (w *Writer) Begin(sender string, t time.Time) error {
	sender = strings.Join(strings.FieldsFunc(sender, func(r rune) bool { return r <= ' ' || r == 0x7f }), "")
	if sender == "" {
		sender = "MAILER-DAEMON"
	}
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	_, err := io.WriteString(w.w, "From "+sender+" "+t.UTC().Format(time.ANSIC)+"\n")
	return err
}

// Write writes bytes of a message, whose lines end with CRLF or LF.
func (w *Writer) Write(p []byte) (int, error) {
	var out []byte
	rest := append(w.held, p...)
	for len(rest) > 0 {
		w.open = true
		if !w.text {
			after := bytes.TrimLeft(rest, ">")
			out = append(out, rest[:len(rest)-len(after)]...)
			if rest = after; len(rest) < len(mark) && strings.HasPrefix(mark, string(rest)) {
				break
			}
			if bytes.HasPrefix(rest, []byte(mark)) {
				out = append(out, '>') // it may as well come last
			}
			w.text = true
		}
		line, after, ends := bytes.Cut(rest, []byte("\n"))
		line, cr := bytes.CutSuffix(line, []byte("\r"))
		if out, rest = append(out, line...), after; ends {
			out = append(out, '\n')
			w.text, w.open = false, false
		} else if cr {
			rest = []byte("\r")
			break
		}
	}
	w.held = append(w.held[:0], rest...)
	_, err := w.w.Write(out)
	return len(p), err
}

// End ends a message.
func (w *Writer) End() error {
	end := "\n"
	if w.open {
		end = "\n\n"
	}
	_, err := w.Write([]byte(end))
	return err
}
