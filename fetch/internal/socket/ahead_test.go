package socket

import (
	"net"
	"testing"
)

// An idle connection holds no buffer.
func TestReadAheadReturnsItsBuffer(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	c := New(a)
	c.ReadAhead(new(Buffers))
	go b.Write([]byte("12"))
	for _, want := range []bool{true, false} {
		n, err := c.Read(make([]byte, 1))
		if n != 1 || err != nil || c.IsAhead() != want || (c.ahead.buf != nil) != want {
			t.Errorf("got %d, %v, ahead %t, buffer %t; want 1, nil, %t, %t", n, err, c.IsAhead(), c.ahead.buf != nil, want, want)
		}
	}
}
