package main

import (
	"bytes"
	"io"
)

// escapeKey is Ctrl-], as in telnet(1).
const escapeKey = 0x1d

const escapeMenu = "\r\nderef: c closes the session, z suspends deref, Ctrl-] types Ctrl-], any other key returns\r\n"

// escape passes on what is typed, but for the escape character and the key behind it.
type escape struct {
	to      *io.PipeWriter
	menu    io.Writer
	suspend func()
	pending bool // the escape character was typed
}

func (e *escape) Write(p []byte) (int, error) {
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
			if _, err := e.to.Write(plain); err != nil {
				return 0, err
			}
		}
		if p = rest; found {
			e.pending = true
			io.WriteString(e.menu, escapeMenu)
		}
	}
	return n, nil
}

// key obeys the key behind the escape character.
func (e *escape) key(c byte) error {
	e.pending = false
	switch c {
	case 'c', 'q', '.':
		e.to.Close()
		return io.ErrClosedPipe
	case 'z':
		e.suspend()
	case escapeKey:
		_, err := e.to.Write([]byte{c})
		return err
	}
	return nil
}
