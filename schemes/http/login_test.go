package http_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hint"
	"example.org/deref/uri"
)

const unauthorized = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\nWWW-Authenticate: "

func TestPasswordWaitsForTheChallenge(t *testing.T) {
	for _, c := range []struct {
		name, challenge, way string
		requests             int
		basic                bool
	}{
		{"basic", `Basic realm="x"`, "", 2, true},
		{"digest wins", `Basic realm="x", Digest realm="x", nonce="n", qop="auth"`, "", 2, false},
		{"digest only", `Basic realm="x"`, "digest", 1, false},
		{"basic at once", `Basic realm="x"`, "basic", 1, true},
		{"unknown", `Negotiate`, "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, unauthorized+c.challenge+"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
			o := &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}, Set: map[string][]string{}}
			if c.way != "" {
				o.Set["http.auth"] = []string{c.way}
			}
			get(t, client(t), "http://"+s.Addr()+"/", o)
			last := s.request(t, c.requests-1)
			if got := len(s.requests); got != c.requests || s.Peers() != 1 {
				t.Errorf("%d requests over %d connections, want %d", got, s.Peers(), c.requests)
			}
			sent := strings.Contains(last, base64.StdEncoding.EncodeToString([]byte("u:pw")))
			if sent != c.basic || strings.Contains(s.request(t, 0), "Authorization") != (c.way == "basic") {
				t.Errorf("got the requests %q, want Basic: %v, at once: %v", s.requests, c.basic, c.way == "basic")
			}
		})
	}
}

// If a server repeats the answer to its challenge, neither error nor trace contain it, because the hash allows guessing the password.
func TestDigestIsASecret(t *testing.T) {
	sum := func(text string) string { h := md5.Sum([]byte(text)); return hex.EncodeToString(h[:]) }
	response := sum(sum("u:x:pw") + ":n:" + sum("GET:/"))
	s := script(t, unauthorized+`Digest realm="x", nonce="n"`+"\r\n\r\nwhat"+keepOpen, "HTTP/1.1 403 not "+response+"\r\nContent-Length: 0\r\n\r\n"+keepOpen)
	var told bytes.Buffer
	o := &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}, Trace: func(e fetch.Event) { told.Write(e.Data) }}
	_, err := client(t).Get(t.Context(), uri.MustParse("http://"+s.Addr()+"/"), o)
	if !strings.Contains(s.request(t, 1), response) || !errors.Is(err, fetch.ErrRefused) {
		t.Fatalf("got %v, requests %q, want %s after a request with the response %q", err, s.requests, fetch.ErrRefused, response)
	}
	if text := fmt.Sprint(err) + told.String(); strings.Contains(text, response) {
		t.Errorf("got %q, want it without %s", text, response)
	}
}

// A Digest of an unknown quality of protection cannot be answered: a login that follows uses Basic at once.
func TestUnsupportedDigestIsNotRemembered(t *testing.T) {
	s := script(t, unauthorized+`Digest realm="x", nonce="n", qop="other", Basic realm="x"`+"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
	c := client(t)
	for _, login := range []fetch.Login{{}, {User: "u", Password: "pw", Set: true}} {
		get(t, c, "http://"+s.Addr()+"/", &fetch.Options{Login: login})
	}
	if got := s.request(t, 1); !strings.Contains(got, "Authorization: Basic ") {
		t.Errorf("got the request %q, want Basic credentials", got)
	}
}

func TestHintsOfRefusedLogins(t *testing.T) {
	for challenge, want := range map[string]string{
		unauthorized + `Basic realm="x"`:         hint.Login,
		unauthorized + `Negotiate, Bearer a="b"`: "Authorization: negotiate|bearer ...",
		"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 4\r\nProxy-Authenticate: Basic realm=x": hint.ProxyLogin,
	} {
		s := script(t, challenge+"\r\n\r\nwhat")
		_, _, err := get(t, client(t), "http://"+s.Addr()+"/", nil)
		if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.ErrAuth || !strings.Contains(e.Hint, want) {
			t.Errorf("%q: %+v, want a hint with %s", challenge, err, want)
		}
	}
}

func TestDigestAgainstServer(t *testing.T) {
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		a := r.Header.Get("Authorization")
		h := func(s string) string { x := md5.Sum([]byte(s)); return hex.EncodeToString(x[:]) }
		param := func(k string) string {
			_, v, _ := strings.Cut(a, k+"=")
			return strings.Trim(strings.SplitN(v, ",", 2)[0], `" `)
		}
		want := h(h(`a:"r" é:pw`) + ":N:" + param("nc") + ":" + param("cnonce") + ":auth:" + h("GET:"+r.RequestURI))
		if param("response") != want || param("uri") != r.RequestURI {
			w.Header().Set("WWW-Authenticate", `Digest realm="\"r\" é", nonce="N", qop="auth"`)
			w.WriteHeader(401)
			return
		}
		io.WriteString(w, "secret document")
	}))
	defer s.Close()
	c := client(t)
	u := strings.Replace(s.URL, "http://", "http://a:pw@", 1) + "/x//y?z"
	var trace bytes.Buffer
	_, body, err := get(t, c, u, &fetch.Options{Trace: func(e fetch.Event) { trace.Write(e.Data) }})
	if err != nil || body != "secret document" {
		t.Errorf("got %q, %v, want %q", body, err, "secret document")
	}
	if strings.Contains(trace.String(), "response=") {
		t.Errorf("got the trace %q, want it without the answer to the challenge", trace.String())
	}
	_, _, err = get(t, c, strings.Replace(u, "pw", "wrong", 1), nil)
	if !errors.Is(err, fetch.ErrAuth) {
		t.Errorf("wrong password: got %v, want %s", err, fetch.ErrAuth)
	}
}

func TestHTTP2(t *testing.T) {
	var mu sync.Mutex // the trace and the server run concurrently
	var peers []string
	s := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		mu.Lock()
		peers = append(peers, r.RemoteAddr)
		mu.Unlock()
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(404)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "short")
			w.(nethttp.Flusher).Flush()
			panic(nethttp.ErrAbortHandler)
		default:
			w.Header().Set("ETag", `"x"`)
			fmt.Fprintf(w, "%s %s %s %s %v", r.Proto, r.RequestURI, r.Host, r.Header.Get("Authorization"), r.Header["User-Agent"])
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c := client(t)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c.TLS = &tls.Config{RootCAs: roots}
	var trace bytes.Buffer
	credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte("alice:s3cr3t"))
	o := &fetch.Options{Set: map[string][]string{"http.version": {"2"}}, Login: fetch.Login{User: "alice", Password: "s3cr3t", Set: true},
		Trace: func(e fetch.Event) {
			mu.Lock()
			defer mu.Unlock()
			if !e.Body { // the server repeats the credentials in its document
				trace.Write(e.Data)
			}
		}}
	host := strings.TrimPrefix(s.URL, "https://")
	for _, target := range []string{"/a%2fb?", "//x/../y;z?a=b", "/"} {
		d, body, err := get(t, c, s.URL+target, o)
		want := "HTTP/2.0 " + target + " " + host + " " + credentials + " [deref]"
		if err != nil || body != want || d.Validator.Tag != `"x"` || d.Size != int64(len(want)) {
			t.Errorf("%s: got %q, %v, want %q", target, body, err, want)
		}
	}
	if _, _, err := get(t, c, s.URL+"/missing", o); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("missing: got %v, want %s", err, fetch.ErrNotFound)
	}
	_, body, err := get(t, c, s.URL+"/cut", o)
	if fetch.KindOf(err) != fetch.ErrProtocol && fetch.KindOf(err) != fetch.ErrTruncated || body != "short" {
		t.Errorf("cut: got %q, %v, want %q and an error", body, err, "short")
	}
	o = &fetch.Options{}
	if _, body, err := get(t, c, s.URL+"/", o); err != nil || !strings.HasPrefix(body, "HTTP/1.1 ") {
		t.Errorf("default: got %q, %v, want HTTP/1.1", body, err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, p := range peers[:4] {
		if p != peers[0] {
			t.Errorf("got the connections %v, want one for the first four requests", peers)
		}
	}
	if bytes.Contains(trace.Bytes(), hpack.AppendHuffmanString(nil, credentials)) || bytes.Contains(trace.Bytes(), []byte(credentials)) {
		t.Error("got credentials in the trace, want none")
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	s := script(t, keepOpen)
	for _, version := range []string{"1.1", "2"} {
		ctx, cancel := context.WithCancel(context.Background())
		o := &fetch.Options{Set: map[string][]string{"http.version": {version}}, Trace: func(e fetch.Event) {
			if e.Dir == fetch.FromClient {
				cancel()
			}
		}}
		_, err := client(t).Get(ctx, uri.MustParse("http://"+s.Addr()+"/"), o)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("HTTP/%s: got %v, want %v", version, err, context.Canceled)
		}
	}
}

func TestServerOfAnotherProtocol(t *testing.T) {
	lender := httptest.NewTLSServer(nil) // provides the certificate
	defer lender.Close()
	addr := loopback.ForTest(t, func(c net.Conn) {
		// With "h2" Go falls back silently.
		tls.Server(c, &tls.Config{Certificates: lender.TLS.Certificates, NextProtos: []string{"spdy/9"}}).Handshake()
	})
	c := client(t)
	c.TLS = &tls.Config{InsecureSkipVerify: true}
	_, _, err := get(t, c, "https://"+addr+"/", nil)
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.ErrTLS || e.Hint != hint.Set+" http.version=2" {
		t.Errorf("got %v, %+v, want %s with a hint", err, e, fetch.ErrTLS)
	}
}
