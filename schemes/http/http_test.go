package http_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// script is a server that sends the next of its raw responses to each request on a connection.
func script(t *testing.T, answers ...string) *scripted {
	t.Helper()
	s := &scripted{answers: answers}
	var err error
	s.Listener, err = loopback.Listen("", s.serve)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type scripted struct {
	*loopback.Listener
	mu       sync.Mutex
	answers  []string
	requests []string
}

func (s *scripted) serve(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		var request strings.Builder
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			request.WriteString(line)
			if line == "\r\n" || request.Len() == len(line) && !strings.Contains(line, " HTTP/") {
				break
			}
		}
		s.mu.Lock()
		s.requests = append(s.requests, request.String())
		answer := ""
		if len(s.answers) > 0 {
			answer, s.answers = s.answers[0], s.answers[1:]
		}
		s.mu.Unlock()
		answer, keep := strings.CutSuffix(answer, keepOpen)
		io.WriteString(c, answer)
		if !keep {
			return
		}
	}
}

// keepOpen at the end of a response keeps the connection open.
const keepOpen = "<keep>"

func (s *scripted) request(t *testing.T, i int) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.requests) {
		t.Fatalf("got %d requests, want more than %d", len(s.requests), i)
	}
	return s.requests[i]
}

func client(t *testing.T) *fetch.Client {
	t.Helper()
	c := fetch.New(http.Schemes(nil)...)
	t.Cleanup(func() { c.Close() })
	return c
}

// get dereferences s and reads the whole document.
func get(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	d, err := c.Get(context.Background(), uri.MustParse(u), o)
	if d == nil {
		return nil, "", err
	}
	defer d.Body.Close()
	b, rerr := io.ReadAll(d.Body)
	return d, string(b), errors.Join(err, rerr)
}

func TestDocumentOverOneConnection(t *testing.T) {
	s := script(t,
		"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\nETag: \"x\"\r\nLast-Modified: Tue, 20 Dec 1994 12:00:00 GMT\r\nContent-Length: 5\r\n\r\nhello"+keepOpen,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"+keepOpen,
		"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"+keepOpen,
		"HTTP/1.1 200 OK\r\n\r\nto the end")
	c := client(t)
	d, body, err := get(t, c, "http://"+s.Addr()+"/a%2fb//../c;x?q#f", nil)
	if err != nil || body != "hello" {
		t.Fatalf("got %q, %v, want %q", body, err, "hello")
	}
	if d.Type != "text/html" || d.Size != 5 || d.Validator.Tag != `"x"` || d.Modified.Year() != 1994 || d.End != fetch.EndDeclared || d.Fragment != "f" {
		t.Errorf("got %+v, want text/html, 5 bytes, tag, date, declared length and fragment", d)
	}
	want := "GET /a%2fb//../c;x?q HTTP/1.1\r\nHost: " + s.Addr() + "\r\nUser-Agent: deref\r\nAccept: */*\r\n\r\n"
	if got := s.request(t, 0); got != want {
		t.Errorf("sent %q\nwant %q", got, want)
	}
	if d, body, err = get(t, c, "http://"+s.Addr()+"/", nil); err != nil || body != "abc" || d.End != fetch.EndTerminated || d.Size != -1 {
		t.Errorf("got %q, %v, %+v, want %q, terminated, size -1", body, err, d, "abc")
	}
	if _, _, err = get(t, c, "http://"+s.Addr()+"/", nil); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("404: got %v, want %s", err, fetch.ErrNotFound)
	}
	if d, body, err = get(t, c, "http://"+s.Addr()+"/", nil); err != nil || body != "to the end" || d.End != fetch.EndClosed {
		t.Errorf("got %q, %v, %+v, want %q, ended by the close", body, err, d, "to the end")
	}
	if n := s.Peers(); n != 1 {
		t.Errorf("got %d connections for four requests, want 1", n)
	}
}

func TestKeptConnectionClosedByServer(t *testing.T) {
	s := script(t, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"+keepOpen, "", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")
	c := client(t)
	for _, want := range []string{"1", "2"} {
		if _, body, err := get(t, c, "http://"+s.Addr()+"/", nil); err != nil || body != want {
			t.Errorf("got %q, %v, want %q", body, err, want)
		}
	}
}

func TestReferralsFollowed(t *testing.T) {
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/302":
			w.Header().Set("Location", "../there?x#part")
			w.WriteHeader(302)
			io.WriteString(w, "moved")
		default:
			fmt.Fprint(w, r.RequestURI)
		}
	}))
	defer s.Close()
	c := client(t)
	d, body, err := get(t, c, s.URL+"/302#mine", nil)
	if err != nil || body != "/there?x" || d.Fragment != "part" || len(d.Via) != 1 || d.Via[0].Reason != "302 Found" {
		t.Errorf("got %q, %v, %+v, want /there?x after one redirect", body, err, d)
	}
	c = client(t)
	c.Policy.NoFollow = true
	d, body, err = get(t, c, s.URL+"/302", nil)
	if err != nil || body != "moved" || len(d.Referrals) != 1 || d.Referrals[0].URI.String() != s.URL+"/there?x#part" {
		t.Errorf("got %q, %v, %+v, want %q and a referral to %s/there?x#part", body, err, d, "moved", s.URL)
	}
}

func TestConversationShown(t *testing.T) {
	s := script(t, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\none\ntwo\nfour")
	var b strings.Builder
	o := &fetch.Options{Login: fetch.Login{User: "alice", Password: "s3cr3t", Set: true}, Set: map[string][]string{"http.auth": {"basic"}}, Trace: func(e fetch.Event) {
		switch {
		case e.Text:
			fmt.Fprintf(&b, "%c: %q\n", e.Dir, e.Data)
		case e.Step != nil:
			fmt.Fprintf(&b, "*: %s\n", e.Step.Line())
		case e.Data != nil:
			fmt.Fprintf(&b, "%c octets: %q\n", e.Dir, e.Data)
		}
	}}
	if _, _, err := get(t, client(t), "http://"+s.Addr()+"/x", o); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`*: GET /x HTTP/1.1
*: Host: ADDR
*: User-Agent: deref
*: Accept: */*
*: Authorization:
C: "GET /x HTTP/1.1\r\n"
C: "Host: ADDR\r\n"
C: "User-Agent: deref\r\n"
C: "Accept: */*\r\n"
C: "Authorization: ***\r\n"
C: "\r\n"
S: "HTTP/1.1 200 OK\r\n"
S: "Content-Length: 12\r\n"
S: "\r\n"
S octets: "one\ntwo\nfour"
`, "ADDR", s.Addr())
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}
