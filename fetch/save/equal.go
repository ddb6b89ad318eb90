package save

import (
	"bytes"
	"cmp"
	"io"
	"os"
)

// compareFiles compares two files in the directory, as compare does.
func (j *job) compareFiles(a, b string) (order int, same bool) {
	f, _ := j.openRegular(a, os.O_RDONLY)
	if f == nil {
		return 0, false
	}
	defer f.Close()
	g, _ := j.openRegular(b, os.O_RDONLY)
	if g == nil {
		return 0, false
	}
	defer g.Close()
	return j.compare(f, g)
}

// compare reports whether a and b are the same as far as both go, and compares their lengths.
func (j *job) compare(a, b io.Reader) (order int, same bool) {
	x, y := j.target.dir.buffer(), j.target.dir.buffer()
	defer j.target.dir.buffers.Put(x)
	defer j.target.dir.buffers.Put(y)
	for {
		n, err := readSome(a, x[:])
		m, berr := readSome(b, y[:])
		both := min(n, m)
		switch {
		case !bytes.Equal(x[:both], y[:both]), err != nil && err != io.EOF, berr != nil && berr != io.EOF:
			return 0, false
		case err != nil || berr != nil:
			return cmp.Compare(n, m), true
		}
	}
}
