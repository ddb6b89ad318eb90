package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// No control character of a message, a media type or a response is one of the gateway's own header, in any form of a request (promise 3).
func TestPromise3FieldsWithoutControls(t *testing.T) {
	const value = "a\x00b\x1b[31mc\x7fd\te"
	message := "From: " + value + "\nContent-Type: text/plain; name=\"" + value + "\"\n\ntext\n"
	odd := fetch.Scheme{Names: []string{"odd"}, Does: fetch.Does{Retrieves: true}, Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			d := fetch.NewDocument(io.NopCloser(strings.NewReader(message)))
			d.Type, d.Header = "message/rfc822", textproto.MIMEHeader{"From": {value}, "Content-Type": {"message/rfc822; charset=\"" + value + "\""}}
			return d, nil
		}}, nil
	}}
	web := loopback.ForTest(t, func(c net.Conn) {
		bufio.NewReader(c).ReadString('\n')
		io.WriteString(c, "HTTP/1.0 302 Found\r\nLocation: /x\r\nX-A: "+value+"\r\n\r\n")
	})
	l := labOf(t, fetch.New(append(schemes.All(nil), odd)...), nil)
	for _, request := range []string{"odd://h/x", "/-/raw/odd/h/x", "/-/part/1/odd/h/x", "/odd/h/x", "http://" + web + "/"} {
		resp := exchange(t, l.Listener.Addr().String(), "GET "+request+" HTTP/1.0\r\n\r\n")
		head, _, _ := strings.Cut(resp, "\r\n\r\n")
		if !strings.HasPrefix(head, "HTTP/1.0 ") || strings.ContainsAny(head, "\x00\x1b\x7f") {
			t.Errorf("%s: got %q, want no control characters", request, head)
		}
		if strings.HasPrefix(request, "odd:") && !strings.Contains(head, "From: a b [31mc d\te") {
			t.Errorf("%s: got %q, want the field with blanks", request, head)
		}
	}
}

// exchange sends a raw request and returns the bytes of the response.
func exchange(t *testing.T, addr, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, request)
	b, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%q: %v", request, err)
	}
	return string(b)
}

// A login from a client of the proxy may contain line ends; the server is then not even contacted.
func TestPromise3LoginsThroughTheGateway(t *testing.T) {
	var requests atomic.Int32
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="1"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer origin.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	g := gateway.New(c, nil)
	for user, want := range map[string]int32{"a\r\nX: 1": 0, "a\x00": 0, "a": 2} {
		requests.Store(0)
		r := httptest.NewRequest("GET", origin.URL+"/", nil)
		r.SetBasicAuth(user, "pw")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if got := requests.Load(); got != want {
			t.Errorf("%q: got %d requests, want %d; the gateway answers %d %s", user, got, want, w.Code,
				strings.TrimSpace(w.Body.String())[:min(80, w.Body.Len())])
		}
	}
}
