package save

import (
	"bytes"
	"io"
	"os"
)

// equal reports whether two files in the directory have the same contents.
func (j *job) equal(a, b string) bool {
	f, err := j.openRegular(a, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := j.openRegular(b, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer g.Close()
	x, y := j.target.dir.buffer(), j.target.dir.buffer()
	defer j.target.dir.buffers.Put(x)
	defer j.target.dir.buffers.Put(y)
	for {
		n, err := readSome(f, x[:])
		m, gerr := readSome(g, y[:])
		if err != gerr || !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err != nil {
			return err == io.EOF
		}
	}
}
