package loopback

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"
)

// TestTranscriptOfClientsThatLeft sends requests and closes without reading the response. Each must be in the transcript at once, in
// order.
func TestTranscriptOfClientsThatLeft(t *testing.T) {
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
