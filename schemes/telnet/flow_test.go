package telnet

import (
	"io"
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
)

// lined is a host that sends a greeting and then the bytes from its channel. Its Transcript contains the received bytes.
func lined(t *testing.T, says string, more <-chan string) (address string, came *fetchtest.Display) {
	t.Helper()
	came = &fetchtest.Display{}
	addr := loopback.ForTest(t, func(c net.Conn) {
		io.WriteString(c, says)
		go func() {
			for text := range more {
				io.WriteString(c, text)
			}
		}()
		io.Copy(came, c)
	})
	return "telnet://" + addr, came
}

func person() *fetch.Terminal {
	return &fetch.Terminal{Type: "vt100", Size: func() (int, int) { return 80, 24 }}
}

// TestFlow: the host's word decides whether Ctrl-S stops it here (RFC 1372), and a stopped session can be ended.
func TestFlow(t *testing.T) {
	more := make(chan string)
	defer close(more)
	address, came := lined(t, "\xff\xfb\x01\xff\xfb\x03\xff\xfd\x21> ", more)
	s := fetchtest.Attach(t, t.Context(), fetch.New(Schemes()...), address, person())
	s.Wait(t, "> ")
	s.Type("a\x13b")
	came.Wait(t, "ab") // stopped; typing continues the output
	more <- "hidden"
	s.Type("c")
	came.Wait(t, "abc")
	if strings.Contains(s.String(), "hidden") {
		t.Errorf("got %q, want no output after Ctrl-S", s.String())
	}
	s.Type("\x11")
	s.Wait(t, "hidden")
	more <- "\xff\xfa\x21\x02\xff\xf0any" // any key continues the output
	s.Wait(t, "any")
	s.Type("\x13")
	more <- " key"
	s.Type("k")
	s.Wait(t, " key")
	more <- "\xff\xfa\x21\x00\xff\xf0off" // the two are input
	s.Wait(t, "off")
	s.Type("\x13\x11")
	came.Wait(t, "abck\x13\x11")
	more <- "\xff\xfa\x21\x01\xff\xf0on"
	s.Wait(t, "on")
	s.Type("\x13d")
	came.Wait(t, "\x13\x11d")
	more <- "never shown"
	s.Keys.Close()
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}

// TestEchoBegins: what was typed here when the host begins to echo is sent with the next key.
func TestEchoBegins(t *testing.T) {
	more := make(chan string)
	defer close(more)
	address, came := lined(t, "> ", more)
	s := fetchtest.Attach(t, t.Context(), fetch.New(Schemes()...), address, person())
	s.Wait(t, "> ")
	s.Type("ab")
	s.Wait(t, "ab")
	more <- "\xff\xfb\x01echo"
	s.Wait(t, "echo")
	s.Type("c\r")
	came.Wait(t, "c\r")
	more <- "\xff\xfc\x01none"
	s.Wait(t, "none")
	s.Type("d\r")
	came.Wait(t, "d\r\n")
	if got := came.String(); got != "\xff\xfd\x01abc\r\x00\xff\xfe\x01d\r\n" {
		t.Errorf("the host received %q, want abc and then d", got)
	}
	s.Keys.Close()
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}
