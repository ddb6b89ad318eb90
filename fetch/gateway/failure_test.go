package gateway_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gateway"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// An error page explains itself to readers, and has what solves the problem: a form for words, a way to log in, the way up.
func TestErrorsAddressReaders(t *testing.T) {
	f := ftptest.NewServer(testdata.Site(), &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"ann": {Password: "sesame"}}})
	t.Cleanup(f.Close)
	l := newLab(t, nil)
	private := strings.TrimPrefix(f.URL, "ftp://")
	for _, tt := range []struct {
		path   string
		status int
		has    []string
	}{
		{"/ftp/" + l.ftp + "/history/nonesuch.txt", 404, []string{"<h1>Not found</h1>", `<a href="/ftp/` + l.ftp + `/history/">Go up to history</a>`, "<strong>notfound</strong>"}},
		{"/-/uri?ftp://" + private + "/", 401, []string{"<h1>Login required</h1>", `<a href="/ftp/` + private + `/">Log in at 127.0.0.1`}},
		{"/gopher/nonesuch.invalid/1/a", 502, []string{"<h1>No such host</h1>", `<a href="/gopher/nonesuch.invalid/1/a">Try again</a>`}},
		{"/telnet/127.0.0.1:2323/", 403, []string{"<h1>Not permitted here</h1>", "It is a session at a terminal", `<a href="telnet://127.0.0.1:2323/">Open telnet://127.0.0.1:2323/ without`}},
		{"/http/127.0.0.1:25/", 403, []string{"<h1>Not permitted here</h1>", "The port belongs to another service"}},
		{"/gopher/" + l.gopher + "/hURL:file:///etc/passwd", 502, []string{"<h1>The server refers to another place</h1>", "without being asked"}},
		{"/ftp/" + l.ftp + "/a%0d%0aDELE%20x", 400, []string{"<h1>That address cannot be opened</h1>"}},
	} {
		if resp, _ := l.shows(t, tt.path, nil, tt.has...); resp.StatusCode != tt.status {
			t.Errorf("%s: got %s, want %d", tt.path, resp.Status, tt.status)
		}
	}
}

// No page names a flag of the command line, whatever the cause of the error. The log does.
func TestPagesNameNoFlags(t *testing.T) {
	const flag = "--flag"
	var log strings.Builder
	failing := fetch.Scheme{Names: []string{"failing"}, Does: fetch.Does{Retrieves: true}, Plan: func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		kind, hint, _ := strings.Cut(u.Path().Decode()[1:], "/")
		return nil, &fetch.Error{Kind: fetch.Kind(kind), Text: "the cause", Hint: hint}
	}}
	c := fetch.New(failing)
	t.Cleanup(func() { c.Close() })
	g := gateway.New(c, &gateway.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Hint: func(h string) string { return flag + " " + h }})
	for hint, kind := range map[string]fetch.Kind{hint.Allow: fetch.ErrDenied, hint.AllowPorts + " 25": fetch.ErrRefusedPort, hint.FollowTo + " file": fetch.ErrRedirect,
		hint.TLS: fetch.ErrTLS, hint.FirstUse: fetch.ErrTLS, hint.Schemes + " x": fetch.ErrUnsupported, hint.Attach + " telnet://h/": fetch.ErrInteractive,
		hint.Password: fetch.ErrAuth, hint.Set + " a.ssl=require": fetch.ErrRefused, hint.Search: fetch.ErrInteractive, "a sentence": fetch.ErrLimit} {
		log.Reset()
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/failing/h/"+string(kind)+"/"+url.PathEscape(hint), nil)
		r.Host = "localhost"
		g.ServeHTTP(w, r)
		if body := w.Body.String(); !strings.Contains(body, "the cause") || strings.Contains(body, flag) {
			t.Errorf("%s: got\n%s\nwant a page with the cause, and without %s", hint, body, flag)
		}
		if !strings.Contains(log.String(), flag+" "+hint) {
			t.Errorf("%s: got the log %s, want %s in it", hint, log.String(), flag)
		}
	}
}

// Images, sound and PDF are shown within a page to browsers. Other programs get the bytes.
func TestEmbeddedDocuments(t *testing.T) {
	types := map[string]string{"/a.png": "image/png", "/a.ogg": "audio/ogg", "/a.mp4": "video/mp4", "/a.pdf": "application/pdf", "/a.zip": "application/zip"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", types[r.URL.Path])
		io.WriteString(w, "bytes")
	}))
	t.Cleanup(srv.Close)
	l := newLab(t, nil)
	at := "/http/" + strings.TrimPrefix(srv.URL, "http://")
	browser := func(r *http.Request) { r.Header.Set("Accept", "text/html,*/*;q=0.8") }
	for path, want := range map[string]string{
		"/a.png": `<img class="o" src="/-/raw` + at + `/a.png" alt="a.png">`, "/a.ogg": `<audio controls preload="metadata" src="/-/raw` + at + `/a.ogg">`,
		"/a.mp4": `<video controls`, "/a.pdf": `<embed type="application/pdf" src="/-/raw` + at + `/a.pdf"`, "/a.zip": "bytes",
	} {
		l.shows(t, at+path, browser, want)
		if _, body := l.ask(t, at+path, nil); body != "bytes" {
			t.Errorf("%s: got %q for a program, want the bytes", path, body)
		}
	}
}

// The first screen of a session is all that can be retrieved of it, so a response with it is complete.
func TestFirstScreensAreComplete(t *testing.T) {
	host := telnettest.NewServer(testdata.Site(), nil)
	t.Cleanup(host.Close)
	brief := &fetch.Options{Set: map[string][]string{"telnet.idle": {"0.1"}}}
	l := newLab(t, &gateway.Config{Allow: []string{"telnet"}, Options: brief})
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

// A slowEnd is a document of which the last reply comes when release is closed.
type slowEnd struct {
	ctx     context.Context
	release <-chan struct{}
	sent    bool
	ended   chan<- error
}

func (s *slowEnd) Read(p []byte) (int, error) {
	if !s.sent {
		s.sent = true
		return copy(p, "hello"), nil
	}
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-s.release:
		s.ended <- nil
		return 0, io.EOF
	}
}

func (s *slowEnd) Close() error {
	select {
	case s.ended <- io.ErrUnexpectedEOF:
	default:
	}
	return nil
}

// Once a reader has the whole document, the origin's last reply is awaited even if the reader has left: an archive would have a truncated
// capture otherwise.
func TestReaderLeavesBeforeTheLastReply(t *testing.T) {
	t.Parallel()
	left, ended := make(chan struct{}), make(chan error, 1)
	run := func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		d := fetch.NewDocument(&slowEnd{ctx: ctx, release: left, ended: ended})
		d.Size, d.Type = 5, "text/plain"
		return d, nil
	}
	c := fetch.New(fetch.Scheme{Names: []string{"slow"}, Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Shape: fetch.ShapeDocument, Run: run}, nil
	}})
	g := gateway.New(c, &gateway.Config{Allow: []string{"slow"}})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { close(left) })
		g.ServeHTTP(w, r)
	}))
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = "slow://h.example/x"
	transport := &http.Transport{DisableKeepAlives: true} // it leaves once it has the document
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "hello" {
		t.Fatalf("got %q, %v, want hello (%s)", b, err, resp.Status)
	}
	resp.Body.Close()
	if err := <-ended; err != nil {
		t.Errorf("got %v at the end, want the last reply", err)
	}
}
