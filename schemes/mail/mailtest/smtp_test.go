package mailtest

import (
	"io"
	"net"
	"testing"
	"time"
)

// A client that says nothing, or an octet now and then, is left in the end.
func TestSMTPPatience(t *testing.T) {
	b, err := ListenSMTP(&Options{Idle: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, drips := range []bool{false, true} {
		c, err := net.Dial("tcp", b.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if drips {
			go func() {
				for {
					if _, err := c.Write([]byte("N")); err != nil {
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
		}
		if _, err := io.ReadAll(c); err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Errorf("drips: %v, it is still served", drips)
			}
		}
	}
}
