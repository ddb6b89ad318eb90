// Package terminal holds what the interactive schemes (telnet, rlogin, tn3270) share: the form of their URIs, the first screen as a document,
// a terminal that is connected to a host, its flow control, and a line editor for hosts that do not echo.
package terminal

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"sync"

	"example.org/deref/fetch"
)

// A Host is the far end of a session. Couple calls Listen once, on its own goroutine. It calls the other methods on other goroutines,
// perhaps at the same time.
type Host interface {
	Listen() error       // shows the host's output until the session ends; nil means an ordinary end
	Type(p []byte) error // sends the user's input
	Resize() error       // sends the terminal's new size
	Hangup()             // makes Listen return soon
}

// Couple passes input to h until the session or the input ends. It closes in, and leaves no goroutine running.
func Couple(in io.ReadCloser, resized <-chan struct{}, h Host) error {
	var group sync.WaitGroup
	over := make(chan struct{})
	var typed, sized error
	group.Go(func() {
		typed = keys(in, h)
		h.Hangup()
	})
	group.Go(func() {
		if sized = sizes(resized, over, h); sized != nil {
			h.Hangup()
		}
	})
	err := h.Listen()
	close(over)
	in.Close()
	group.Wait()
	return cmp.Or(err, typed, sized)
}

// keys passes input to h. The end of the input is not an error.
func keys(in io.Reader, h Host) error {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			switch err := h.Type(buf[:n]); {
			case fetch.KindOf(err) == fetch.ErrTimeout: // the host does not read, but may still be there
				return err
			case err != nil:
				return nil // Listen returns the cause
			}
		}
		switch {
		case err == nil:
		case err == io.EOF, errors.Is(err, io.ErrClosedPipe), errors.Is(err, fs.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

func sizes(resized <-chan struct{}, over <-chan struct{}, h Host) error {
	for {
		select {
		case _, ok := <-resized:
			if !ok {
				return nil
			}
			if h.Resize() != nil {
				return nil
			}
		case <-over:
			return nil
		}
	}
}
