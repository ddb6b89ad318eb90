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

// TestLine: lines come without their ends and are noted; one that is too long, or has no end, is none.
func TestLine(t *testing.T) {
	var errs [2]error
	for i, last := range []string{"no end", strings.Repeat("x", 100) + "\n"} {
		var s *Server
		got, started := make(chan []string, 1), make(chan bool)
		s, err := Listen("", func(c net.Conn) {
			<-started
			in := bufio.NewReaderSize(c, 16)
			var list []string
			for {
				line, err := s.Line(c, in, time.Minute)
				if err != nil {
					errs[i] = err
					break
				}
				list = append(list, line)
			}
			got <- list
		})
		if err != nil {
			t.Fatal(err)
		}
		close(started)
		c, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "one\r\ntwo\n\r\n"+last)
		c.(*net.TCPConn).CloseWrite()
		want := []string{"one", "two", ""}
		if list := <-got; !slices.Equal(list, want) || !slices.Equal(s.Transcript(), want) {
			t.Errorf("%q, noted %q", list, s.Transcript())
		}
		c.Close()
		s.Close()
	}
	if errs[0] != io.EOF || errs[1] != bufio.ErrBufferFull {
		t.Errorf("%v", errs)
	}
}

// TestDropInput: what came before is forgotten, and what comes later is heard.
func TestDropInput(t *testing.T) {
	dropped, heard := make(chan bool), make(chan string, 1)
	s, err := Listen("", func(c net.Conn) {
		in := bufio.NewReader(c)
		in.ReadSlice('\n')
		DropInput(c, in)
		close(dropped)
		c.SetReadDeadline(time.Time{})
		line, _ := in.ReadString('\n')
		heard <- line
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "one\ntwo\nthree\n")
	<-dropped
	io.WriteString(c, "four\n")
	if line := <-heard; line != "four\n" {
		t.Errorf("heard %q", line)
	}
}
