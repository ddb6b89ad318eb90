package terminal

import (
	"bytes"
	"cmp"
	"io"
	"os"

	"example.org/deref/fetch/render"
)

// Filtered returns a Writer to a file that is safe if the file is a terminal. What is written must end in complete characters.
func Filtered(to *os.File) io.Writer {
	if !IsTerminal(to) {
		return to
	}
	return render.NewTerminal(to)
}

// DialogueWriter returns where -v goes: in color by direction on a terminal, unless the user wants none (no-color.org).
func DialogueWriter(to *os.File, getenv func(string) string) io.Writer {
	if !IsTerminal(to) || !HasColors(getenv) {
		return Filtered(to)
	}
	return &colors{w: to, fresh: true}
}

// HasColors reports whether a terminal gets colors: unless the user wants none (no-color.org), or the terminal has none.
func HasColors(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// colors colors each line of a dialogue by its direction, which is its first byte.
type colors struct {
	w     io.Writer
	fresh bool // at the beginning of a line
}

func (c *colors) Write(p []byte) (int, error) {
	var b bytes.Buffer
	for line := range bytes.Lines(p) {
		if c.fresh {
			b.WriteString(cmp.Or(map[byte]string{'C': "\x1b[36m", 'S': "\x1b[32m"}[line[0]], "\x1b[2m")) // ECMA-48 SGR
		}
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		b.WriteString(render.Escape(string(text)))
		if c.fresh = ended; ended {
			b.WriteString("\x1b[m\n")
		}
	}
	if _, err := c.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
