package session

import (
	"io"
	"time"
)

// A Screen is the Body of a session that nobody is attached to: what the host says until it waits.
type Screen struct {
	// Hear returns what the host says next; silent means that it said nothing for wait. Wait 0 is as long as anything is waited for.
	Hear  func(wait time.Duration) (said []byte, silent bool, err error)
	Idle  time.Duration // the silence that ends the screen, 0 by Patience
	Waits error         // the end of a screen behind which the host waits
	Void  error         // the end of a connection before anything was to be seen
	Stop  func() error  // closes it

	text  []byte // what Read has not given out
	tail  byte   // the last octet that came
	shown bool   // something to be seen has come
	err   error
}

// Begin waits until there is something to be seen.
func (s *Screen) Begin() error {
	for !s.shown && s.err == nil {
		s.fill()
	}
	if !s.shown {
		return s.err
	}
	return nil
}

// Read gives the screen; its last error is Waits, or io.EOF where the host has closed the connection.
func (s *Screen) Read(p []byte) (int, error) {
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

// fill hears once. A silence ends the screen, as soon as there is one.
func (s *Screen) fill() {
	var wait time.Duration
	if s.shown {
		if wait = s.Idle; wait == 0 {
			wait = Patience(s.tail)
		}
	}
	said, silent, err := s.Hear(wait)
	if n := len(said); n > 0 {
		s.text, s.tail = append(s.text, said...), said[n-1]
		s.shown = s.shown || !Blank(said)
	}
	switch {
	case silent:
		err = s.Waits
	case err == io.EOF && !s.shown:
		err = s.Void
	}
	s.err = err
}

// Close ends the session.
func (s *Screen) Close() error { return s.Stop() }
