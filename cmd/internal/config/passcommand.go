package config

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
	mostPassword = 4 << 10         // octets of a password
	passTimeout  = 2 * time.Minute // a person may have to be asked for a passphrase
)

// A passCommand is a program that prints a password. It is run without a shell, once at most, when the password is needed.
type passCommand struct {
	argv   []string
	stderr io.Writer // for what the program has to tell the user

	mu    sync.Mutex
	known string
}

// argvOf reads a command: an array of its words, or a text that blanks divide.
func argvOf(at keyPath, v any) (argv []string, err error) {
	if _, ok := v.([]any); ok {
		err = texts(&argv)(at, v)
	} else {
		var s string
		err = text(&s)(at, v)
		argv = strings.Fields(s)
	}
	if err == nil && len(argv) == 0 {
		err = wrong(at, "a command is wanted")
	}
	return argv, err
}

// password is the first line that the program prints. What it prints is in no error.
func (c *passCommand) password(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != "" {
		return c.known, nil
	}
	limited, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	line, err := c.run(limited)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case limited.Err() != nil:
		return "", fetch.Errorf(fetch.ErrTimeout, "pass-command %s took longer than %s", c.argv[0], passTimeout)
	case err != nil:
		return "", fetch.Errorf(fetch.ErrAuth, "pass-command %s: %w", c.argv[0], err)
	case line == "":
		return "", fetch.Errorf(fetch.ErrAuth, "pass-command %s prints no password", c.argv[0])
	case len(line) > mostPassword:
		return "", fetch.Errorf(fetch.ErrAuth, "pass-command %s prints more than %d octets in its first line", c.argv[0], mostPassword)
	}
	c.known = line
	return line, nil
}

// run returns the first line, without its end.
func (c *passCommand) run(ctx context.Context) (string, error) {
	var out firstLine
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = os.Environ(), &out, c.stderr, time.Second
	err := cmd.Run()
	return strings.TrimSuffix(string(out.text), "\r"), err
}

// firstLine keeps the first line that is written to it, and of that not much more than a password may have.
type firstLine struct {
	text []byte
	full bool
}

func (l *firstLine) Write(p []byte) (int, error) {
	line, _, ended := bytes.Cut(p, []byte("\n"))
	if !l.full {
		l.text = append(l.text, line[:min(len(line), mostPassword+2-len(l.text))]...)
	}
	l.full = l.full || ended
	return len(p), nil
}
