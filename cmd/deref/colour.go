package main

import (
	"bytes"
	"io"
)

// talk is where -v goes: in colour by direction, where a person looks who has not asked for none (no-color.org).
func dialogueWriter(a *app) io.Writer {
	if !isTerminal(a.stderr) || a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb" {
		return a.stderr
	}
	return &colours{w: a.stderr, fresh: true}
}

// colours gives each line of a dialogue the colour of its speaker, which its first octet tells.
type colours struct {
	w     io.Writer
	fresh bool // a line begins
}

func (c *colours) Write(p []byte) (int, error) {
	var b bytes.Buffer
	for line := range bytes.Lines(p) {
		if c.fresh {
			b.WriteString(colourOf(line[0]))
		}
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		b.Write(text)
		if c.fresh = ended; ended {
			b.WriteString("\x1b[m\n")
		}
	}
	if _, err := c.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// colourOf is the terminal's sequence (ECMA-48 SGR).
func colourOf(speaker byte) string {
	switch speaker {
	case 'C':
		return "\x1b[36m"
	case 'S':
		return "\x1b[32m"
	}
	return "\x1b[2m"
}
