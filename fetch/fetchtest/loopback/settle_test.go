package loopback

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTranscriptOfClientsThatLeft sends requests and closes without reading the response. Each must be in the transcript at once, in
// order.
func TestTranscriptOfClientsThatLeft(t *testing.T) {
	t.Parallel()
	s := Must(Serve("x", "", 0, func(c *Conn) {
		if line, err := c.Line(); err == nil {
			fmt.Fprintln(c, line)
		}
	}))
	defer s.Close()
	s.Net.waitLong()
	var want []string
	for i := range 300 {
		c := dial(t, "tcp", s.Addr)
		fmt.Fprintln(c, i)
		if want = append(want, fmt.Sprint(i)); i%3 == 0 {
			bufio.NewReader(c).ReadString('\n')
		}
		c.Close()
		if got := s.Transcript(); i%10 == 0 && !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got[max(0, len(got)-5):], want[max(0, len(want)-5):])
		}
	}
	if got := s.Transcript(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.Sessions(); got != len(want) {
		t.Errorf("got %d sessions, want %d", got, len(want))
	}
}

// TestTranscriptOfDatagrams sends requests without waiting for responses.
func TestTranscriptOfDatagrams(t *testing.T) {
	type agent struct{ Server }
	a := &agent{}
	Must(StartPackets(a, "x", "", func(_ net.Addr, b []byte, _ func([]byte)) { a.Net.Note(string(b)) }))
	defer a.Close()
	c := dial(t, "udp", a.Addr)
	for i := range 50 {
		fmt.Fprint(c, i)
		if got := a.Transcript(); len(got) != i+1 || got[i] != fmt.Sprint(i) {
			t.Fatalf("got %q, want 0 to %d", got, i)
		}
	}
}

// TestSettleDoesNotWait: a server that pauses after its first client has closed still serves the second.
func TestSettleDoesNotWait(t *testing.T) {
	type server struct{ Server }
	s := &server{}
	first := make(chan struct{}, 1)
	first <- struct{}{}
	Must(Start(s, "x", "", func(c net.Conn) {
		select {
		case <-first:
			s.Net.Sleep(time.Hour)
		default:
			fmt.Fprintln(c, "hello")
		}
	}))
	defer s.Close()
	s.Net.waitLong()
	for _, want := range []string{"", "hello\n"} {
		c := dial(t, "tcp", s.Addr)
		if want != "" {
			c.SetReadDeadline(time.Now().Add(time.Minute))
			if got, err := bufio.NewReader(c).ReadString('\n'); got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		c.Close()
	}
}

// waitLong makes the server wait so long for closed connections that no test can pass because of that limit.
func (s *Listener) waitLong() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = time.Hour
}

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
	t.Parallel()
	dialed := make(chan bool)
	s := start(t, func(c net.Conn) {
		<-dialed // else the reset may be the answer to dial
		c = Patient(c, 100*time.Millisecond)
		if _, err := c.Write(make([]byte, 64<<20)); err == nil {
			t.Error("all of it was written to a client that does not read")
		}
		Finish(c)
	})
	c := dial(t, "tcp", s.Addr())
	close(dialed)
	if !s.Wait(30 * time.Second) {
		t.Fatal("the server still waits")
	}
	if n, err := io.Copy(io.Discard, c); err == nil {
		t.Errorf("got %d bytes and an orderly end, want a reset", n)
	}
}
