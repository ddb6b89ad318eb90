package terminal

import (
	"bytes"
	"io"
)

// escapeKey is Ctrl-], as in telnet(1).
const escapeKey = 0x1d

const escapeMenu = "\r\nderef: c closes the session, z suspends deref, Ctrl-] types Ctrl-], any other key returns\r\n"

// Escape passes on what is typed, except the escape character and the key after it.
type Escape struct {
	To      *io.PipeWriter
	Menu    io.Writer
	Suspend func()
	pending bool // the escape character was typed
}

func (e *Escape) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if e.pending {
			if err := e.key(p[0]); err != nil {
				return 0, err
			}
			p = p[1:]
			continue
		}
		plain, rest, found := bytes.Cut(p, []byte{escapeKey})
		if len(plain) > 0 {
			if _, err := e.To.Write(plain); err != nil {
				return 0, err
			}
		}
		if p = rest; found {
			e.pending = true
			io.WriteString(e.Menu, escapeMenu)
		}
	}
	return n, nil
}

// key handles the key after the escape character.
func (e *Escape) key(c byte) error {
	e.pending = false
	switch c {
	case 'c', 'q', '.':
		e.To.Close()
		return io.ErrClosedPipe
	case 'z':
		e.Suspend()
	case escapeKey:
		_, err := e.To.Write([]byte{c})
		return err
	}
	return nil
}
