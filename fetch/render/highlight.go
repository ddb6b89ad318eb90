package render

import (
	"bufio"
	"io"
)

// unmarked removes the highlighting marks of WAIS documents, as libwww and Lynx did: ESC "(" and ESC ")", and any other ESC with the four bytes
// after it.
type unmarked struct{ r *bufio.Reader }

func newUnmarked(r io.Reader) unmarked { return unmarked{bufio.NewReader(r)} }

const esc = 0x1b

// Read waits only if it has nothing to return.
func (u unmarked) Read(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || u.r.Buffered() > 0) {
		c, err := u.r.ReadByte()
		if err != nil {
			return n, err
		}
		if c != esc {
			p[n] = c
			n++
			continue
		}
		rest := 4
		if next, _ := u.r.Peek(1); len(next) == 1 && (next[0] == '(' || next[0] == ')') {
			rest = 1
		}
		u.r.Discard(rest) // the next ReadByte returns the same error
	}
	return n, nil
}
