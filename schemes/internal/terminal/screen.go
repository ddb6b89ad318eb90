package terminal

import (
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// FirstScreen returns the Document of a session without a terminal: what the host sends until it waits for input. read returns the next
// bytes. It reports silence if the host sent nothing for wait; wait 0 means as long as the Client allows. FirstScreen itself waits until
// there is something to see.
func (r *Request) FirstScreen(p *fetch.Plan, c io.Closer, read func(wait time.Duration) (b []byte, silent bool, err error)) (*fetch.Document, error) {
	s := &screen{read: read, idle: r.Idle, waits: Interactive(p)}
	text := pieces.NewReader(s.next)
	if err := text.Fill(); err != nil {
		return nil, err
	}
	d := fetch.NewDocument(fetch.NewBody(text, c.Close))
	d.Type, d.TypeReason, d.End = "text/plain", "a terminal's first screen", fetch.EndClosed
	return d, nil
}

// A screen is what the Body reads. Its last error is waits, or io.EOF if the host closed the connection.
type screen struct {
	read  func(wait time.Duration) (b []byte, silent bool, err error)
	idle  time.Duration // the silence that ends the screen, 0 by patience
	waits error         // the end of a screen after which the host waits

	tail  byte // the last byte received
	shown bool // something visible was received
}

// next returns what one read has received. The first piece ends with something visible; a silence after that ends the screen.
func (s *screen) next() (text []byte, err error) {
	for err == nil && (len(text) == 0 || !s.shown) {
		var b []byte
		var silent bool
		b, silent, err = s.read(s.wait())
		if n := len(b); n > 0 {
			text, s.tail = append(text, b...), b[n-1]
			s.shown = s.shown || !isBlank(b)
		}
		if silent {
			err = s.waits
		}
	}
	if s.shown {
		return text, err
	}
	if err == io.EOF {
		err = fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it sent anything")
	}
	return nil, err
}

// wait returns how long the host may be silent. Before there is something to see, only the Client limits that.
func (s *screen) wait() time.Duration {
	switch {
	case !s.shown:
		return 0
	case s.idle != 0:
		return s.idle
	case s.tail == '\n' || s.tail == '\r':
		return afterLine
	}
	return afterPrompt
}

// How long a host must be silent before it counts as waiting. A prompt has no line end; after a line end more output is likely. The hosts
// that were measured pause for less than 100 ms within their greetings.
const (
	afterPrompt = 500 * time.Millisecond
	afterLine   = 2 * time.Second
)

// isBlank reports whether nothing of text would be visible.
func isBlank(text []byte) bool {
	for _, c := range text {
		if c > ' ' && c != 0x7f {
			return false
		}
	}
	return true
}
