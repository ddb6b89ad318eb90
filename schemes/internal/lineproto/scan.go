package lineproto

import (
	"bufio"
	"io"
	"math"
)

// NewScanner returns a Scanner for lines of at most most bytes, or of any length if most is not positive.
func NewScanner(r io.Reader, most int) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	if lines.Buffer(nil, math.MaxInt32); most > 0 {
		lines.Buffer(nil, most+2)
	}
	return lines
}
