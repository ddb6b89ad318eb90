package mail_test

import (
	"io"
	"net/netip"
	"net/textproto"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/mail/mailtest"
)

// A client that is silent, or sends a byte now and then, is disconnected in the end.
func TestSMTPPatience(t *testing.T) {
	const idle = time.Minute
	for _, drips := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var memory fetchtest.Network
			b := loopback.Must(mailtest.ListenSMTP(&mailtest.Options{Network: &memory, Idle: idle}))
			defer b.Close()
			c, err := memory.Dial(t.Context(), "tcp", netip.Addr{}, b.Addr)
			if err != nil {
				t.Fatal(err)
			}
			var dripping sync.WaitGroup
			defer dripping.Wait()
			defer c.Close()
			if drips {
				dripping.Go(func() {
					for {
						if _, err := c.Write([]byte("N")); err != nil {
							return
						}
						time.Sleep(idle / 5)
					}
				})
			}
			began := time.Now()
			io.ReadAll(c) // until the server ends the session
			if took := time.Since(began); took != idle {
				t.Errorf("drips %v: got an end after %s, want %s", drips, took, idle)
			}
		})
	}
}

// TestSMTPCommands sends every command that a server must know (RFC 5321 section 4.5.1).
func TestSMTPCommands(t *testing.T) {
	b, err := mailtest.ListenSMTP(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, err := textproto.Dial("tcp", b.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, x := range []struct {
		line string
		code int
	}{
		{"", 220}, {"HELO me.example", 250}, {"EHLO me.example", 250}, {"VRFY tim", 252}, {"NOOP",
			250}, {"MAIL FROM:<a@site.example> SIZE=10 BODY=8BITMIME", 250},
		{"RCPT TO:<tim@site.example> NOTIFY=NEVER", 250}, {"RSET", 250}, {"DATA", 503}, {"XYZZY", 500}, {"QUIT", 221},
	} {
		if x.line != "" {
			if err := c.PrintfLine("%s", x.line); err != nil {
				t.Fatal(err)
			}
		}
		if code, text, err := c.ReadResponse(x.code); err != nil {
			t.Errorf("%q: %d %s, want %d", x.line, code, text, x.code)
		}
	}
}
