package loopback

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatientWrites: a client that reads slowly gets the whole document. If it stops reading, Write fails.
func TestPatientWrites(t *testing.T) {
	const size = 300 << 10
	for _, tt := range []struct {
		name string
		read int
		want error
	}{{"slow", size, nil}, {"stopped", size / 2, os.ErrDeadlineExceeded}} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			got := make(chan int64)
			go func() {
				var sum int64
				for sum < int64(tt.read) {
					time.Sleep(10 * time.Second)
					n, err := io.CopyN(io.Discard, theirs, 10<<10)
					if sum += n; err != nil {
						break
					}
				}
				got <- sum
			}()
			began := time.Now()
			_, err := Patient(ours, time.Minute).Write(bytes.Repeat([]byte("x"), size))
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: got %v after %s, want %v", tt.name, err, time.Since(began), tt.want)
			}
			if n := <-got; n != int64(tt.read) {
				t.Errorf("%s: the client got %d bytes, want %d", tt.name, n, tt.read)
			}
			ours.Close()
			theirs.Close()
		})
	}
}

// TestPatientReads: a client may send slowly, unless the server has set a deadline.
func TestPatientReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		go func() {
			for range 10 {
				time.Sleep(40 * time.Second)
				theirs.Write([]byte("x"))
			}
			time.Sleep(40 * time.Second)
			theirs.Close()
		}()
		c := Patient(ours, time.Minute)
		c.SetDeadline(time.Now().Add(time.Second))
		if b, err := io.ReadAll(io.LimitReader(c, 9)); len(b) != 9 || err != nil {
			t.Errorf("got %d bytes, %v, want 9", len(b), err)
		}
		c.SetReadDeadline(time.Now().Add(time.Second))
		if n, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after SetReadDeadline: got %d bytes, %v, want the deadline", n, err)
		}
		c.SetDeadline(time.Time{})
		io.Copy(io.Discard, c)
		ours.Close()
	})
}

// TestPatientResets: after a failed Write, Finish resets the connection.
func TestPatientResets(t *testing.T) {
	s := start(t, func(c net.Conn) {
		c = Patient(c, 100*time.Millisecond)
		if _, err := c.Write(make([]byte, 64<<20)); err == nil {
			t.Error("all of it was written to a client that does not read")
		}
		Finish(c)
	})
	c := dial(t, "tcp", s.Addr())
	if !s.Wait(30 * time.Second) {
		t.Fatal("the server still waits")
	}
	if n, err := io.Copy(io.Discard, c); err == nil {
		t.Errorf("got %d bytes and an orderly end, want a reset", n)
	}
}
