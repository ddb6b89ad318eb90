// Package session is what the interactive schemes (telnet, rlogin, tn3270) share: a terminal and a host coupled until one of them
// ends, how long a host must be silent to be waiting, and the editing of a line where the host does not echo.
package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"sync"
	"time"
)

// A Host is the far end of a session. Listen is called once, by the goroutine that calls Couple; the others may be called at the
// same time from others.
type Host interface {
	Listen() error       // shows what the host says until the session ends: nil is its ordinary end
	Type(p []byte) error // p was typed
	Resize() error       // the terminal has another size
	Hangup()             // makes Listen return soon
}

// Couple hands what is typed to h until the session or the terminal's input ends. It closes in, and leaves no goroutine.
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
	return errors.Join(err, typed, sized)
}

// keys reads the terminal. Its end is the user's wish.
func keys(in io.Reader, h Host) error {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if h.Type(buf[:n]) != nil {
				return nil // Listen meets the same end, and knows better what it is
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

// How long a host must be silent behind its last octet to be taken for waiting: a prompt is not ended, a line behind which more
// comes is. The hosts of the lab pause for less than 100 ms within their greetings.
const (
	behindPrompt = 500 * time.Millisecond
	behindLine   = 2 * time.Second
)

// Patience is how long a host whose last octet was tail may be silent until it is taken for waiting.
func Patience(tail byte) time.Duration {
	if tail == '\n' || tail == '\r' {
		return behindLine
	}
	return behindPrompt
}

// Idle reads a setting that fixes this time: a number of seconds, 0 for "".
func Idle(setting string) (time.Duration, error) {
	if setting == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(setting, 64)
	if err != nil || !(n > 0) || n > maxIdle {
		return 0, fmt.Errorf("%q is no number of seconds up to %d", setting, maxIdle)
	}
	return time.Duration(n * float64(time.Second)), nil
}

const maxIdle = 3600

// Blank reports whether nothing of text would be seen: no first screen consists of it.
func Blank(text []byte) bool {
	for _, c := range text {
		if c > ' ' && c != 0x7f {
			return false
		}
	}
	return true
}
