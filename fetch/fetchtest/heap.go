package fetchtest

import (
	"io"
	"runtime"
)

// RepeatLine returns a Reader of n copies of line. It does not hold them in memory.
func RepeatLine(n int, line string) io.Reader { return &repeated{n: n, line: line} }

type repeated struct {
	n    int
	line string
	rest string
}

func (l *repeated) Read(p []byte) (n int, err error) {
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

// HeapGrowth runs f and returns by how many bytes the heap had grown at most at f's calls of sample.
func HeapGrowth(f func(sample func())) (most int64) {
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
