package gateway_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
)

// The first screen of a session is all that can be retrieved of it, so a response with it is complete.
func TestFirstScreensAreComplete(t *testing.T) {
	host := telnettest.NewServer(testdata.Site(), nil)
	t.Cleanup(host.Close)
	l := newLab(t, &gateway.Config{Allow: []string{"telnet"}})
	for _, request := range []string{host.URL + "/", strings.Replace(host.URL, "telnet://", "/-/raw/telnet/", 1) + "/"} {
		if resp, body := l.say(t, "GET "+request+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); resp.StatusCode != 200 || !strings.HasSuffix(body, "lab> ") {
			t.Errorf("%s: got %s, %q; want 200 and the screen up to its prompt", request, resp.Status, body)
		}
	}
}

// A document that fails before its first byte has the status of the failure in every form, and is not a 200 that breaks off.
func TestFailuresBeforeTheFirstByte(t *testing.T) {
	for _, c := range [][2]string{
		{"nex", ""}, {"gopher", ""}, {"spartan", "2 text/plain\r\n"},
		{"http", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n"},
		{"spartan", "2 text/gemini\r\n"}, {"http", "HTTP/1.1 200 OK\r\nContent-Type: text/gemini\r\nContent-Length: 10\r\n\r\n"},
	} {
		scheme, reply := c[0], c[1]
		addr := loopback.ForTest(t, func(c net.Conn) {
			bufio.NewReader(c).ReadString('\n')
			io.WriteString(c, reply)
			c.(*net.TCPConn).SetLinger(0) // the connection is reset
		})
		l := newLab(t, nil)
		requests := []string{"/" + scheme + "/" + addr + "/", "/-/raw/" + scheme + "/" + addr + "/", scheme + "://" + addr + "/"}
		if strings.Contains(reply, "gemini") { // a listing for a client of the proxy breaks off
			requests = requests[:2]
		}
		for _, request := range requests {
			t.Run(request, func(t *testing.T) {
				if resp, body := l.say(t, "GET "+request+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); resp.StatusCode < 500 || !strings.Contains(body, "<h1>The ") {
					t.Errorf("got %s, want a page with the status of the failure\n%s", resp.Status, body)
				}
			})
		}
	}
}
