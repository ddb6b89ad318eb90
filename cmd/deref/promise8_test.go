package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// tlsExamples has a URI of each scheme that begins with TLS or requires STARTTLS.
var tlsExamples = [...]string{
	"https://h.example/x", "gophers://h.example/0x", "ftps://ann:sesame@h.example/x", "telnets://h.example/",
	"nntps://ann:sesame@h.example/g/1", "snews://ann:sesame@h.example/a@b",
	"imaps://ann:sesame@h.example/INBOX/;UID=1", "ldaps://h.example/o=x", "gemini://h.example/x",
}

// Every scheme that uses TLS refuses an untrusted certificate with an error of Kind tls and sends nothing to such a server. It does not
// continue in clear text with a server that has no TLS (promise 8).
func TestPromise8EverySchemeVerifies(t *testing.T) {
	c := fetch.New(schemes.All(nil)...)
	for _, s := range c.Schemes { // check that tlsExamples is complete
		for _, name := range s.Names {
			u, err := uri.Parse(name + "://ann@h.example/x")
			if err != nil {
				continue
			}
			if p, err := c.Plan(u, nil); err == nil && p.TLS == fetch.ImplicitTLS && !strings.Contains(strings.Join(tlsExamples[:], " "), name+":") {
				t.Errorf("got no example of %s in tlsExamples, want one", name)
			}
		}
	}
	stranger := httptest.NewUnstartedServer(nil)
	stranger.StartTLS()
	defer stranger.Close()
	for _, example := range tlsExamples {
		for _, clear := range []bool{false, true} {
			var heard heardBy
			c := fetch.New(schemes.All(nil)...)
			c.Timeouts.Total = time.Minute
			// With a nil FirstUse these schemes would trust any certificate.
			if strings.HasPrefix(example, "gemini") || strings.HasPrefix(example, "gophers") {
				c.FirstUse = func(_ string, _ tls.ConnectionState, err error) error { return err }
			}
			c.Dialer = func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() {
					if clear {
						go theirs.Write([]byte("220 * OK 200 welcome, all in clear\r\n"))
					} else {
						s := tls.Server(theirs, stranger.TLS)
						s.Handshake()
						theirs = s
					}
					b := make([]byte, 4096)
					for {
						n, err := theirs.Read(b)
						heard.Write(b[:n])
						if err != nil {
							theirs.Close()
							return
						}
					}
				}()
				return ours, nil
			}
			_, _, err := read(t.Context(), c, uri.MustParse(example), nil)
			c.Close()
			if kind := fetch.KindOf(err); kind != fetch.ErrTLS {
				t.Errorf("%s, clear text %v: got %v, want %s", example, clear, err, fetch.ErrTLS)
			}
			if text := heard.String(); strings.Contains(text, "sesame") || !clear && text != "" {
				t.Errorf("%s, clear text %v: the server received %q, want nothing secret", example, clear, text)
			}
		}
	}
}
