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
	line []byte // the beginning of an incomplete line
	mid  bool   // within a line that was written in part
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

// longest is how much of a line is buffered before it is written: a line may begin with many ">".
const longest = 4 << 10

// Write writes bytes of a message, whose lines end with CRLF or LF.
func (w *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n') + 1
		if i == 0 {
			w.line = append(w.line, rest...)
			if len(w.line) > longest {
				return len(p), w.part()
			}
			break
		}
		w.line = append(w.line, rest[:i]...)
		rest = rest[i:]
		if err := w.whole(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// part writes the beginning of a long line, without a final CR, which may belong to its end.
func (w *Writer) part() error {
	n := len(w.line)
	if w.line[n-1] == '\r' {
		n--
	}
	err := w.put(w.line[:n])
	w.line = append(w.line[:0], w.line[n:]...)
	w.mid = true
	return err
}

func (w *Writer) whole() error {
	line := w.line
	if bytes.HasSuffix(line, []byte("\r\n")) {
		line = append(line[:len(line)-2], '\n')
	}
	err := w.put(line)
	w.line, w.mid = w.line[:0], false
	return err
}

func (w *Writer) put(line []byte) error {
	if !w.mid && bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From ")) {
		if _, err := w.w.Write([]byte(">")); err != nil {
			return err
		}
	}
	_, err := w.w.Write(line)
	return err
}

// End ends a message.
func (w *Writer) End() error {
	if len(w.line) > 0 || w.mid {
		w.line = append(w.line, '\n')
		if err := w.whole(); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w.w, "\n")
	return err
}
