package terminal

import (
	"io"
	"time"

	"example.org/deref/fetch"
)

// FirstScreen returns the Document of a session without a terminal: what the host sends until it waits for input. read returns the next
// bytes. It reports silence if the host sent nothing for wait; wait 0 means as long as the Client allows. FirstScreen itself waits until
// there is something to see.
func (r *Request) FirstScreen(p *fetch.Plan, c io.Closer, read func(wait time.Duration) (b []byte, silent bool, err error)) (*fetch.Document, error) {
	s := &screen{Closer: c, read: read, idle: r.Idle, waits: Interactive(p)}
	for !s.shown && s.err == nil {
		s.fill()
	}
	if !s.shown {
		return nil, s.err
	}
	d := fetch.NewDocument(s)
	d.Type, d.TypeReason, d.End = "text/plain", "a terminal's first screen", fetch.EndClosed
	return d, nil
}

// A screen is the Body. Its last error is waits, or io.EOF if the host closed the connection.
type screen struct {
	io.Closer
	read  func(wait time.Duration) (b []byte, silent bool, err error)
	idle  time.Duration // the silence that ends the screen, 0 by patience
	waits error         // the end of a screen after which the host waits

	text  []byte // not returned by Read yet
	tail  byte   // the last byte received
	shown bool   // something visible was received
	err   error
}

func (s *screen) Read(p []byte) (int, error) {
	for len(s.text) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.fill()
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// fill reads once. A silence after something visible ends the screen.
func (s *screen) fill() {
	var wait time.Duration
	if s.shown {
		if wait = s.idle; wait == 0 {
			wait = patience(s.tail)
		}
	}
	b, silent, err := s.read(wait)
	if n := len(b); n > 0 {
		s.text, s.tail = append(s.text, b...), b[n-1]
		s.shown = s.shown || !isBlank(b)
	}
	switch {
	case silent:
		err = s.waits
	case err == io.EOF && !s.shown:
		err = fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it sent anything")
	}
	s.err = err
}

// How long a host must be silent before it counts as waiting. A prompt has no line end; after a line end more output is likely. The hosts
// that were measured pause for less than 100 ms within their greetings.
const (
	afterPrompt = 500 * time.Millisecond
	afterLine   = 2 * time.Second
)

// patience returns how long to wait after the byte tail.
func patience(tail byte) time.Duration {
	if tail == '\n' || tail == '\r' {
		return afterLine
	}
	return afterPrompt
}

// isBlank reports whether nothing of text would be visible.
func isBlank(text []byte) bool {
	for _, c := range text {
		if c > ' ' && c != 0x7f {
			return false
		}
	}
	return true
}
