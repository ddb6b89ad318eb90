package schemetest

import (
	"io"
	"runtime"
)

// Lines is a text of n times the line, made as it is read.
func Lines(n int, line string) io.Reader { return &lines{n: n, line: line} }

type lines struct {
	n    int
	line string
	rest string
}

func (l *lines) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if l.rest == "" {
			if l.n == 0 {
				return n, io.EOF
			}
			l.n--
			l.rest = l.line
		}
		k := copy(p[n:], l.rest)
		l.rest, n = l.rest[k:], n+k
	}
	return n, nil
}

// Held runs f, which calls sample now and then, and returns how many octets more than before were in use at the most.
func Held(f func(sample func())) (most int64) {
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	f(func() { most = max(most, inUse()-before) })
	return most
}
