package telnet

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
)

// An attached session outlives the Client's time for silence.
func TestAttachedSilence(t *testing.T) { synctest.Test(t, attachedSilence) }

func attachedSilence(t *testing.T) {
	c := fetch.New(Schemes()...)
	c.Dialer = schemetest.Dialer(func(c net.Conn) {
		io.WriteString(c, "lab> ")
		if line, _ := bufio.NewReader(c).ReadString('\r'); line != "" {
			io.WriteString(c, "Goodbye\r\n")
		}
	})
	s := fetchtest.Attach(t, t.Context(), c, "telnet://h/", &fetch.Terminal{})
	time.Sleep(time.Hour)
	if got := s.String(); got != "lab> " {
		t.Errorf("got %q within the hour, want the prompt", got)
	}
	s.Type("quit\r")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	if got := s.String(); !strings.HasSuffix(got, "Goodbye\r\n") {
		t.Errorf("got %q, want a goodbye", got)
	}
}
