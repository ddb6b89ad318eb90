package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"golang.org/x/term"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// escapeKey is Ctrl-], as in telnet(1).
const escapeKey = 0x1d

const escapeMenu = "\r\nderef: c closes the session, z suspends deref, Ctrl-] types Ctrl-], any other key returns\r\n"

// atTerminal attaches the terminal that deref was started at. It is given back as it was, however the session ends.
func (a *app) atTerminal(ctx context.Context, c *fetch.Client, u uri.URI, o *fetch.Options) error {
	fd := int(a.stdin.Fd())
	fmt.Fprintf(a.stderr, "deref: %s; the escape character is Ctrl-]\n", u.Redacted(nil))
	before, err := term.MakeRaw(fd)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
	}
	defer fmt.Fprintln(a.stderr)
	defer term.Restore(fd, before)
	in, keys := io.Pipe()
	e := &escape{to: keys, menu: a.stderr, suspend: func() {
		term.Restore(fd, before)
		suspend()
		term.MakeRaw(fd)
	}}
	go func() { // it stays in its Read until the process ends: a terminal's cannot be ended otherwise
		_, err := io.Copy(e, a.stdin)
		keys.CloseWithError(err)
	}()
	resized, stop := windowChanges()
	defer stop()
	return c.Attach(ctx, u, &fetch.Terminal{In: in, Out: a.stdout, Type: a.getenv("TERM"), Resized: resized,
		Size: func() (int, int) {
			cols, rows, err := term.GetSize(int(a.stdout.Fd()))
			if err != nil {
				return 80, 24
			}
			return cols, rows
		}}, o)
}

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
