package app

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

const (
	maxPassword = 4 << 10         // bytes
	passTimeout = 2 * time.Minute // the program may have to ask the user for a passphrase
)

// A passCommand is a program that prints a password. It is run without a shell, at most once, when the password is needed. It does not run again
// after a failure: for a list, it would ask the user for a passphrase once for each URI.
type passCommand struct {
	argv   []string
	stderr io.Writer // of the program

	mu    sync.Mutex
	ended bool // with these:
	known string
	err   error
}

// argvOf reads a command: an array of words, or a string of words with blanks between.
func argvOf(at keyPath, v any) (argv []string, err error) {
	if _, ok := v.([]any); ok {
		err = texts(&argv)(at, v)
	} else {
		var s string
		err = text(&s)(at, v)
		argv = strings.Fields(s)
	}
	if err == nil && len(argv) == 0 {
		err = wrong(at, "must be a command")
	}
	return argv, err
}

// password returns the first line that the program prints. Errors do not contain the program's output.
func (c *passCommand) password(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return c.known, c.err
	}
	limited, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	line, err := c.run(limited)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	c.ended = true
	switch {
	case limited.Err() != nil:
		c.err = fetch.Errorf(fetch.ErrTimeout, "pass-command %s took longer than %s", c.argv[0], passTimeout)
	case err != nil:
		c.err = fetch.Errorf(fetch.ErrAuth, "pass-command %s: %w", c.argv[0], err)
	case line == "":
		c.err = fetch.Errorf(fetch.ErrAuth, "pass-command %s printed no password", c.argv[0])
	case len(line) > maxPassword:
		c.err = fetch.Errorf(fetch.ErrAuth, "the first line of pass-command %s is longer than %d bytes", c.argv[0], maxPassword)
	default:
		c.known = line
	}
	return c.known, c.err
}

// run runs the program and returns the first line of its output, without the line end.
func (c *passCommand) run(ctx context.Context) (string, error) {
	var out firstLine
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = os.Environ(), &out, c.stderr, time.Second
	err := cmd.Run()
	return strings.TrimSuffix(string(out.text), "\r"), err
}

// firstLine keeps the first line that is written to it, up to just more than the longest password.
type firstLine struct {
	text []byte
	full bool
}

func (l *firstLine) Write(p []byte) (int, error) {
	line, _, ended := bytes.Cut(p, []byte("\n"))
	if !l.full {
		l.text = append(l.text, line[:min(len(line), maxPassword+2-len(l.text))]...)
	}
	l.full = l.full || ended
	return len(p), nil
}
