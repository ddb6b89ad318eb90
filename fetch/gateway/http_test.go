package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
)

// say sends a raw request and returns the response.
func (l lab) say(t *testing.T, request string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(l.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, request)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return resp, string(b)
}

func TestProxy(t *testing.T) {
	l := newLab(t, nil)
	for _, row := range []struct {
		line   string
		status int
		has    string
	}{
		{"GET ftp://" + l.ftp + "/history/ftp.txt HTTP/1.1\r\nHost: " + l.ftp, 200, "The oldest of the schemes"},
		{"GET ftp://" + l.ftp + "/history/ftp.txt HTTP/1.0", 200, "The oldest of the schemes"}, // clients of CERN httpd send no Host
		{"GET ftp://" + l.ftp + "/ HTTP/1.0", 200, `<a href="ftp://` + l.ftp + `/README.txt">`},
		{"GET gopher://" + l.gopher + "/1/history HTTP/1.0", 200, `<a href="gopher://` + l.gopher + `/0/history/ftp.txt">`},
		{"GET data:,hello HTTP/1.0", 403, "does not serve data"},
		{"GET file:///etc/passwd HTTP/1.0", 403, "does not serve file"},
		{"GET gopher://" + l.gopher + "/0/nonesuch HTTP/1.0", 404, "notfound"},
		{"CONNECT " + l.ftp + " HTTP/1.1\r\nHost: " + l.ftp, 405, "tunnels"},
		{"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400, ""},
		{"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2", 400, ""},
		{"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", 400, ""},
		{"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked", 501, ""},
		{"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 44\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n", 400,
			"must not have a body"},
	} {
		resp, body := l.say(t, row.line+"\r\n\r\n")
		if resp.StatusCode != row.status || !strings.Contains(body, row.has) {
			t.Errorf("%s: %s, want %d with %q\n%s", row.line, resp.Status, row.status, row.has, body)
		}
		if resp.StatusCode == 400 && !resp.Close {
			t.Errorf("%s: the connection stays open", row.line)
		}
	}
}

func TestRangesAndConditions(t *testing.T) {
	l := newLab(t, nil)
	raw := "/-/raw/ftp/" + l.ftp + "/images/bytes.bin"
	resp, whole := l.ask(t, raw, nil)
	tag := resp.Header.Get("Etag")
	if len(whole) != 4096 || tag == "" || resp.Header.Get("Last-Modified") == "" {
		t.Fatalf("got %d bytes, %v; want 4096 and validators", len(whole), resp.Header)
	}
	with := func(fields ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(fields); i += 2 {
				r.Header.Set(fields[i], fields[i+1])
			}
		}
	}
	for _, row := range []struct {
		name   string
		edit   func(*http.Request)
		status int
		length int64
		body   string
	}{
		{"part", with("Range", "bytes=16-31"), 206, 16, whole[16:32]},
		{"end", with("Range", "bytes=-6"), 206, 6, whole[4090:]},
		{"part of the same", with("Range", "bytes=4000-", "If-Range", tag), 206, 96, whole[4000:]},
		{"part of another", with("Range", "bytes=4000-", "If-Range", `W/"deref.e30"`), 200, 4096, whole},
		{"same", with("If-None-Match", tag), 304, 0, ""},
		{"another", with("If-None-Match", `"x"`), 200, 4096, whole},
		{"not since", with("If-Modified-Since", resp.Header.Get("Last-Modified")), 304, 0, ""},
		{"since", with("If-Modified-Since", "Thu, 01 Dec 1994 16:00:00 GMT"), 200, 4096, whole},
		{"head", func(r *http.Request) { r.Method = "HEAD" }, 200, 4096, ""},
	} {
		resp, body := l.ask(t, raw, row.edit)
		if resp.StatusCode != row.status || body != row.body || resp.ContentLength != row.length && row.status != 304 {
			t.Errorf("%s: got %s, %d bytes, Content-Length %d; want %d", row.name, resp.Status, len(body), resp.ContentLength, row.status)
		}
	}
}

// slow is a gopher server that sends one line, and the next on request.
func slow(t *testing.T) (addr string, goOn chan bool) {
	t.Helper()
	goOn = make(chan bool)
	return loopback.ForTest(t, func(c net.Conn) {
		bufio.NewReader(c).ReadString('\n')
		io.WriteString(c, "first\r\n")
		if <-goOn {
			io.WriteString(c, "last\r\n.\r\n")
		} else {
			c.(*net.TCPConn).SetLinger(0)
		}
	}), goOn
}

// TestStreams: by every form, sent lines are received before the origin sends more.
func TestStreams(t *testing.T) {
	l := newLab(t, nil)
	addr, goOn := slow(t)
	for _, path := range []string{"/-/raw/gopher/" + addr + "/0/x", "/gopher/" + addr + "/0/x"} {
		resp, err := http.Get(l.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b := bufio.NewReader(resp.Body)
		for {
			line, err := b.ReadString('\n')
			if err != nil {
				t.Fatalf("%s: got %v, want a line", path, err)
			}
			if strings.Contains(line, "first") {
				break
			}
		}
		goOn <- true
		if rest, err := io.ReadAll(b); err != nil || !strings.Contains(string(rest), "last") {
			t.Errorf("%s: got the rest %q, %v; want containing \"last\"", path, rest, err)
		}
		resp.Body.Close()
	}
}

// TestPromise1ShortIsNotWhole: a truncated response of the origin is truncated visibly, even if HTTP has only the end of the connection.
func TestPromise1ShortIsNotWhole(t *testing.T) {
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- gateway.Serve(ctx, ln, gateway.New(c, nil)) }()
	addr, goOn := slow(t)
	for _, version := range []string{"1.0", "1.1"} {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET gopher://"+addr+"/0/x HTTP/"+version+"\r\nHost: h\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		goOn <- false
		if b, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("HTTP/%s: %q looks complete", version, b)
		}
		conn.Close()
	}
	cancel()
	if err := <-served; err != nil {
		t.Errorf("shutdown: got %v, want no error", err)
	}
}

func TestClientsAreLimited(t *testing.T) {
	l := newLab(t, &gateway.Config{PerClient: 1})
	addr, goOn := slow(t)
	resp, err := http.Get(l.URL + "/-/raw/gopher/" + addr + "/0/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if second, _ := l.ask(t, "/healthz", nil); second.StatusCode != 429 || second.Header.Get("Retry-After") == "" {
		t.Errorf("the second request: got %s, want StatusCode 429 and non-empty second.Header.Get(\"Retry-After\")", second.Status)
	}
	goOn <- true
	io.Copy(io.Discard, resp.Body)
	loopback.Until(t, "end of the first request", func() bool { // a little after its last byte
		third, _ := l.ask(t, "/healthz", nil)
		return third.StatusCode == 200
	})
}

// TestLogAndMetrics: every request is logged and counted, and no secret is.
func TestLogAndMetrics(t *testing.T) {
	var log bytes.Buffer
	l := newLab(t, &gateway.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: true})
	l.ask(t, "/ftp/ann:sesame@"+l.ftp+"/", nil)
	l.ask(t, "/ftp/"+l.ftp+"/images/bytes.bin", nil)
	l.ask(t, "/gopher/"+l.gopher+"/0/nonesuch?sesame", nil)
	l.ask(t, "/-/search?uri=gopher://"+l.gopher+"/7/search&words=sesame", nil)
	l.shows(t, "/metrics", nil,
		`deref_gateway_requests_total{form="octets",scheme="ftp",code="200"} 1`,
		`deref_gateway_octets_total{form="octets",scheme="ftp",code="200"} 4096`,
		`deref_gateway_failures_total{kind="notfound"} 1`, "deref_gateway_requests 1\n")
	l.Close() // then every line is written
	if n := strings.Count(log.String(), "msg=request"); n != 5 || strings.Contains(log.String(), "sesame") ||
		!strings.Contains(log.String(), "uri=ftp://") {
		t.Errorf("got %d lines, want 5 without the secret:\n%s", n, log.String())
	}
}

// TestEndsWithItsClient: requests to the origin end when the client closes its connection.
func TestEndsWithItsClient(t *testing.T) {
	l := newLab(t, nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "GET", l.URL+"/gopher/"+ln.Addr().String()+"/0/x", nil)
	go func() {
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cancel()
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the gateway keeps the connection: %v", err)
	}
}
