package loopback

import (
	"bufio"
	"io"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLine: lines are returned without their line ends, and are recorded. A line that is too long, or that has no end, is an error.
func TestLine(t *testing.T) {
	for _, x := range []struct {
		last string
		err  error
	}{{"no end", io.EOF}, {strings.Repeat("x", maxLine) + "\n", bufio.ErrBufferFull}} {
		got, ended := make(chan []string, 1), make(chan error, 1)
		s := Must(Serve("x", "", 0, func(c *Conn) {
			var list []string
			for {
				line, err := c.Line()
				if err != nil {
					got <- list
					ended <- err
					return
				}
				list = append(list, line)
			}
		}))
		c := dial(t, "tcp", s.Addr)
		io.WriteString(c, "one\r\ntwo\n\r\n"+x.last)
		c.(*net.TCPConn).CloseWrite()
		want := []string{"one", "two", ""}
		if list := <-got; !slices.Equal(list, want) || !slices.Equal(s.Transcript(), want) {
			t.Errorf("got lines %q, transcript %q, want %q", list, s.Transcript(), want)
		}
		if err := <-ended; err != x.err {
			t.Errorf("got error %v, want %v", err, x.err)
		}
		c.Close()
		s.Close()
	}
}

// TestServeFlushes: output is sent before a Conn waits for input, in one write for pipelined lines, and at the end.
func TestServeFlushes(t *testing.T) {
	s := Must(Serve("x", "", 0, func(c *Conn) {
		io.WriteString(c, "ready ")
		for range 3 {
			line, _ := c.Line()
			io.WriteString(c, line+" ")
		}
	}))
	defer s.Close()
	c := dial(t, "tcp", s.Addr)
	for _, x := range []struct{ send, want string }{{"", "ready "}, {"a\nb\n", "a b "}, {"c\n", "c "}} {
		io.WriteString(c, x.send)
		b := make([]byte, len(x.want))
		if _, err := io.ReadFull(c, b); string(b) != x.want {
			t.Errorf("after sending %q: got %q, %v, want %q", x.send, b, err, x.want)
		}
	}
	if n, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("at the end: got %d bytes, %v, want EOF", n, err)
	}
}

// TestDropInput: input that has arrived is discarded, and later input is received.
func TestDropInput(t *testing.T) {
	dropped, received := make(chan bool), make(chan string, 1)
	s := start(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		in.ReadSlice('\n')
		DropInput(c, in)
		close(dropped)
		c.SetReadDeadline(time.Time{})
		line, _ := in.ReadString('\n')
		received <- line
	})
	c := dial(t, "tcp", s.Addr())
	io.WriteString(c, "one\ntwo\nthree\n")
	<-dropped
	io.WriteString(c, "four\n")
	if line := <-received; line != "four\n" {
		t.Errorf("got %q, want %q", line, "four\n")
	}
}

func TestPackets(t *testing.T) {
	type agent struct{ Server }
	a := &agent{}
	_, err := StartPackets(a, "x", "", func(_ net.Addr, b []byte, reply func([]byte)) {
		a.Net.Note(string(b))
		for range 2 {
			reply(append([]byte("re: "), b...))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c := dial(t, "udp", a.Addr)
	c.Write([]byte("hello"))
	for range 2 {
		b := make([]byte, 100)
		if n, err := c.Read(b); string(b[:n]) != "re: hello" || err != nil {
			t.Errorf("got %q, %v, want %q", b[:n], err, "re: hello")
		}
	}
	answers := ""
	a.Net.Answer([]byte("you"), func(b []byte) { answers += string(b) + ", " })
	if want := "re: you, re: you, "; answers != want {
		t.Errorf("without the network: got %q, want %q", answers, want)
	}
	a.Close()
	a.Close()
	if got := a.Transcript(); a.URL != "x://"+a.Addr || len(got) != 2 || got[0] != "hello" || got[1] != "you" {
		t.Errorf("%s: got transcript %q, want hello, you", a.URL, got)
	}
	if _, err := StartPackets(&agent{}, "x", "256.0.0.1:1", nil); err == nil {
		t.Error("listens nowhere")
	}
}

func echo(c net.Conn) { io.Copy(c, c) }

// start listens on a free port until the test ends.
func start(t *testing.T, serve func(net.Conn)) *Listener {
	t.Helper()
	s, err := Listen("", serve)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// dial connects to addr until the test ends.
func dial(t *testing.T, network, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start(t, echo)
	for range 5 {
		c := dial(t, "tcp", s.Addr())
		c.Write([]byte("x"))
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Peers() != 5 {
		t.Errorf("got %d peers, want 5", s.Peers())
	}
	s.Close()
	s.Close()
	// a goroutine that has called Done may still be on its last instruction
	Until(t, "end of all goroutines", func() bool { return runtime.NumGoroutine() <= before })
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		c.Close()
		t.Error("a connection can be opened after Close")
	}
}

func TestTrackAfterClose(t *testing.T) {
	s := start(t, echo)
	s.Close()
	r, w := net.Pipe()
	defer r.Close()
	if s.Track(w) == nil {
		t.Error("Track after Close returns nil, want an error")
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("writing works, but Track after Close must close")
	}
	if s.Sleep(time.Hour) || s.Sleep(0) {
		t.Error("Sleep after Close returns true, want false")
	}
}

func TestAddressInUse(t *testing.T) {
	s := start(t, echo)
	if other, err := Listen(s.Addr(), echo); err == nil {
		other.Close()
		t.Error("listening twice on one address works")
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	s := start(t, echo)
	for i := range maxTranscript + 10 {
		s.Note(strconv.Itoa(i))
	}
	if n := len(s.Transcript()); n != maxTranscript {
		t.Errorf("got %d lines, want %d", n, maxTranscript)
	}
}

func TestWait(t *testing.T) {
	s := start(t, echo)
	c := dial(t, "tcp", s.Addr())
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
	if s.Wait(5 * time.Millisecond) {
		t.Error("Wait returns true while a client is connected")
	}
	c.Close()
	if !s.Wait(10 * time.Second) {
		t.Error("Wait returns false after the client has closed")
	}
}
