package telnet

import (
	"io"
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/nvt"
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

// TestLinesAndSignals: with EDIT a line is edited and shown here, with TRAPSIG a key becomes a command (RFC 1184 section 2.2).
func TestLinesAndSignals(t *testing.T) {
	more := make(chan string)
	defer close(more)
	address, came := lined(t, "\xff\xfd\x22\xff\xfa\x22\x01\x03\xff\xf0> ", more)
	s := fetchtest.Attach(t, t.Context(), fetch.New(Schemes()...), address, person())
	s.Wait(t, "> ")
	came.Wait(t, "\xff\xfa\x22\x01\x07\xff\xf0") // the mode is acknowledged
	s.Type("helo\x7flo\r")
	came.Wait(t, "hello\r\n")
	s.Wait(t, "helo\b \blo\r\n")
	s.Type("drop me\x03")
	came.Wait(t, "\xff\xf4") // IP
	s.Type("kept\x04")
	came.Wait(t, "kept\xff\xec") // EOF
	s.Type("\x1a")
	came.Wait(t, "\xff\xed") // SUSP
	s.Type("\x1c")
	came.Wait(t, "\xff\xee") // ABORT
	if got := came.String(); strings.Contains(got, "drop me") || strings.Contains(got, "helo") {
		t.Errorf("got %q, want the edited line without \"drop me\"", got)
	}

	more <- "\xff\xfb\x01secret? "
	s.Wait(t, "secret? ")
	s.Type("sesame\r")
	came.Wait(t, "sesame\r\n")
	if strings.Contains(s.String(), "sesame") {
		t.Errorf("got %q, want no password on the screen", s.String())
	}
	more <- "\xff\xfa\x22\x01\x00\xff\xf0now "
	s.Wait(t, "now ")
	s.Type("\x03x")
	came.Wait(t, "\x03x") // each key as it is
	s.Keys.Close()
	if err := s.End(t); err != nil {
		t.Error(err)
	}
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

// FuzzLinemode checks that answers have a limited length, and that levels are valid.
func FuzzLinemode(f *testing.F) {
	f.Add([]byte{3, 2, 25, 10, 1, 8, 0, 3, 0, 18, 2, 1})
	f.Fuzz(func(t *testing.T, p []byte) {
		l := lineMode{chars: specials()}
		answer := l.set(p)
		if len(answer)%3 != 0 || len(answer) > len(p)+3*len(l.chars) {
			t.Fatalf("%q: got answer %q, want whole triplets, at most one for each", p, answer)
		}
		for _, c := range l.chars {
			if c.level > levelBits {
				t.Fatalf("got %+v, want a level up to %d", c, levelBits)
			}
		}
		l.mask = modeTrap
		for c := range 256 {
			if cmd := l.command(byte(c)); cmd != 0 && (cmd < nvt.EOF || cmd == nvt.IAC) {
				t.Fatalf("command(%d) = %d, want a command of LINEMODE or 0", c, cmd)
			}
		}
	})
}
