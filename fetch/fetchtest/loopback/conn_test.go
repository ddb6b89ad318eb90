package loopback

import (
	"bufio"
	"io"
	"net"
	"slices"
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
