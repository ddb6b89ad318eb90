package promises_test

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/schemes/whois/whoistest"
)

// A server whose documents end with the connection resets it if a client stops reading. After an orderly close, the client would take the
// truncated document for complete.
func TestServersResetTheStalled(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the servers give up")
	}
	t.Parallel()
	const idle = time.Second // long enough for a request on a busy machine
	site := fstest.MapFS{"big": {Data: make([]byte, 32<<20)}}
	type server interface {
		Close()
		Wait(time.Duration) bool
	}
	for name, start := range map[string]func() (s server, addr, request string){
		"finger": func() (server, string, string) {
			s := fingertest.NewServer(site, &fingertest.Options{Idle: idle})
			return s, s.Addr, "big\r\n"
		},
		"gemini": func() (server, string, string) {
			s := geminitest.NewServer(site, &geminitest.Options{Idle: idle})
			return s, s.Addr, "gemini://127.0.0.1/big\r\n"
		},
		"gopher": func() (server, string, string) {
			s := gophertest.NewServer(site, &gophertest.Options{Idle: idle})
			return s, s.Addr, "/big\r\n"
		},
		"nex": func() (server, string, string) {
			s := nextest.NewServer(site, &nextest.Options{Idle: idle})
			return s, s.Addr, "big\r\n"
		},
		"spartan": func() (server, string, string) {
			s := spartantest.NewServer(site, &spartantest.Options{Idle: idle})
			return s, s.Addr, "127.0.0.1 /big 0\r\n"
		},
		"whois": func() (server, string, string) {
			s := whoistest.NewServer(site, &whoistest.Options{Idle: idle})
			return s, s.Addr, "big\r\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, addr, request := start()
			defer s.Close()
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if name == "gemini" {
				c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
			}
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, c, 1000); err != nil {
				t.Fatal(err)
			}
			if !s.Wait(30 * time.Second) {
				t.Fatal("the server still waits")
			}
			if n, err := io.Copy(io.Discard, c); err == nil {
				t.Errorf("got %d bytes and an orderly end, want a reset", n)
			}
		})
	}
}
