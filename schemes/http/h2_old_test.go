package http_test

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

// TestHTTP2OfAServerWithoutIt checks that a server that responds with HTTP/1 to HTTP/2 without TLS is reported as such.
func TestHTTP2OfAServerWithoutIt(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 505 HTTP Version Not Supported\r\n\r\nno"} {
		s := script(t, answer)
		_, _, err := get(t, client(t), "http://"+s.Addr()+"/", &fetch.Options{Set: map[string][]string{"http.version": {"2"}}})
		e, ok := errors.AsType[*fetch.Error](err)
		if !ok || e.Kind != fetch.ErrProtocol || e.Text != "the server responds with HTTP/1, not HTTP/2" || e.Hint == "" {
			t.Errorf("%q: got %v, want a protocol error about HTTP/1 with a hint", answer, err)
		}
	}
}
