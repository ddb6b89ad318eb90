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

// Which requests the gateway obeys, by their header fields. In a browser that does not send Sec-Fetch-Site, only a Referer of the gateway proves
// that no other site has made the request.
func TestWhoMayRequest(t *testing.T) {
	var requests atomic.Int32
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(target.Close)
	const browser = "Mozilla/5.0 (X11; Linux x86_64)"
	path := "/http/" + strings.TrimPrefix(target.URL, "http://") + "/x"
	for _, tt := range []struct {
		name   string
		fields map[string]string
		status int
		goesOn bool // by itself
	}{
		{"a program on this machine", map[string]string{"Host": "localhost:8070"}, 200, false},
		{"likewise by address", map[string]string{"Host": "[::1]:8070"}, 200, false},
		{"a link in a program on this machine", map[string]string{"Host": "localhost:8070", "Referer": "http://other.example/"}, 403, false},
		{"a browser by way of a server that changes Host", map[string]string{"Host": "127.0.0.1:8070", "User-Agent": browser}, 403, false},
		{"a program elsewhere", map[string]string{"Host": "192.0.2.7:8070"}, 403, false},
		{"a program elsewhere that says so", map[string]string{"Host": "192.0.2.7:8070", "Sec-Fetch-Site": "none"}, 200, false},
		{"an own page", map[string]string{"Host": "gw.example:8070", "Referer": "http://gw.example:8070/-/go?uri=x"}, 200, false},
		{"another port", map[string]string{"Host": "gw.example:8070", "Referer": "http://gw.example/", "Cookie": "deref-goes-on=1"}, 403, false},
		{"another host", map[string]string{"Host": "gw.example", "Referer": "http://gw.example@other.example/", "Cookie": "deref-goes-on=1"}, 403, false},
		{"no Referer", map[string]string{"Host": "gw.example"}, 403, false},
		{"no Referer after the user has gone on once", map[string]string{"Host": "gw.example", "Cookie": "deref-goes-on=1"}, 403, true},
		{"the same site by https", map[string]string{"Host": "gw.example", "Cookie": "deref-goes-on=1", "Sec-Fetch-Site": "same-site"}, 403, false},
		{"an own page by https", map[string]string{"Host": "gw.example", "Sec-Fetch-Site": "same-origin"}, 200, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, &gateway.Config{Hosts: []string{"gw.example"}})
			with := func(r *http.Request) {
				for name, value := range tt.fields {
					r.Header.Set(name, value)
				}
				r.Host = tt.fields["Host"]
			}
			resp, body := l.ask(t, path, with)
			want := map[int]int32{200: 1}[tt.status]
			if got := requests.Swap(0); resp.StatusCode != tt.status || got != want || tt.status == 403 && !strings.Contains(body, `<a href="`+path+`">`) {
				t.Errorf("got %s with %d requests to the server, want %d with %d\n%s", resp.Status, got, tt.status, want, body)
			}
			refresh := map[bool]string{true: "0; url=" + path}[tt.goesOn]
			if got := resp.Header.Get("Refresh"); got != refresh {
				t.Errorf("got Refresh %q, want %q", got, refresh)
			}
			for _, path := range []string{"/", "/healthz"} {
				if resp, _ := l.ask(t, path, with); resp.StatusCode != 200 {
					t.Errorf("%s: got %s, want 200", path, resp.Status)
				}
			}
		})
	}
}

// A user who has gone on once is not asked about typed addresses again. A browser that sends no Referer is not made to go on to the same page forever.
func TestGoingOnOnce(t *testing.T) {
	l := newLab(t, &gateway.Config{Hosts: []string{"gw.example"}})
	path := "/gopher/" + l.gopher + "/0/history/gopher.txt"
	for referer, want := range map[string]string{
		"":                         "",
		"http://gw.example/":       "",
		"http://gw.example" + path: "deref-goes-on=1; Path=/; HttpOnly; SameSite=Strict",
		"http://192.0.2.7" + path:  "",
	} {
		resp, _ := l.ask(t, path, func(r *http.Request) { r.Host = "gw.example"; r.Header.Set("Referer", referer) })
		if got := resp.Header.Get("Set-Cookie"); got != want {
			t.Errorf("Referer %q: got Set-Cookie %q, want %q", referer, got, want)
		}
	}
}

// The page that asks links to this gateway and to no other host, whatever path was requested.
func TestAskingStaysHere(t *testing.T) {
	l := newLab(t, &gateway.Config{Hosts: []string{"gw.example"}})
	resp, body := l.say(t, "GET //other.example/x HTTP/1.1\r\nHost: gw.example\r\nCookie: deref-goes-on=1\r\n\r\n")
	if to := resp.Header.Get("Refresh"); to != "0; url=/.//other.example/x" || !strings.Contains(body, `<a href="/.//other.example/x">`) {
		t.Errorf("got Refresh %q and\n%s\nwant a path", to, body)
	}
}

// The original of a page is shown as its server sent it, except for what would make the browser contact another host (promise 7): links for
// preconnect and the like, refresh, and the corresponding fields.
func TestPromise7OriginalPages(t *testing.T) {
	pages := map[string][2]string{ // type, text
		"/plain":    {"text/html; charset=utf-8", "<title>caf\u00e9</title><p style='color:red'>links & sources <img src=//h/x>"},
		"/connect":  {"text/html; charset=utf-8", "<link rel=preconnect href=//other.example><meta http-equiv=refresh content='0;url=//other.example'>x"},
		"/utf16":    {"text/html", "\xff\xfe<\x00l\x00i\x00n\x00k\x00 \x00r\x00e\x00l\x00=\x00p\x00r\x00e\x00f\x00e\x00t\x00c\x00h\x00>\x00"},
		"/koi8":     {"text/html; charset=koi8-r", "<p>\xf0\xd2\xc9\xd7\xc5\xd4</p>"},
		"/2022":     {"text/html; charset=iso-2022-jp", "<p>\x1b$B$F$9$H\x1b(B</p>"},
		"/unknown":  {"text/html; charset=iso-8859-12", "<meta charset=iso-2022-jp><li\x1b(Bnk rel=preconnect>x"},
		"/meta":     {"text/html", "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2"},
		"/svg":      {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect"/></svg>`},
		"/text":     {"text/plain", "<link rel=preconnect>"},
		"/truncate": {"text/html; charset=utf-8", "<p>x"},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := pages[r.URL.Path]
		w.Header().Set("Content-Type", p[0])
		w.Header().Set("Link", "<http://other.example/>; rel=preconnect")
		io.WriteString(w, p[1])
	}))
	defer srv.Close()
	l := newLab(t, nil)
	for path, want := range map[string][2]string{
		"/plain":    {"text/html; charset=utf-8", pages["/plain"][1]},
		"/connect":  {"text/html; charset=utf-8", "<link data-rel=preconnect href=//other.example><meta data-http-equiv=refresh content='0;url=//other.example'>x"},
		"/utf16":    {"text/html; charset=utf-8", "<link data-rel=prefetch>"},
		"/koi8":     {"text/html; charset=koi8-r", pages["/koi8"][1]},
		"/2022":     {"text/html; charset=utf-8", "<p>てすと</p>"},
		"/unknown":  {"text/html; charset=utf-8", "<meta charset=iso-2022-jp><link data-rel=preconnect>x"},
		"/meta":     {"text/html; charset=utf-8", "<meta charset=windows-1251><p>Привет"},
		"/svg":      {"image/svg+xml; charset=utf-8", strings.Replace(pages["/svg"][1], "rel=", "data-rel=", 1)},
		"/text":     {"text/plain", pages["/text"][1]},
		"/truncate": {"text/html; charset=utf-8", "<p>x"},
	} {
		resp, body := l.ask(t, "/-/raw/http/"+strings.TrimPrefix(srv.URL, "http://")+path, nil)
		if got := resp.Header.Get("Content-Type"); strings.TrimPrefix(body, "\ufeff") != want[1] || got != want[0] {
			t.Errorf("%s: got %s, %q; want %s, %q", path, got, body, want[0], want[1])
		}
		if resp.Header.Get("Link") != "" || resp.Header.Get("Refresh") != "" || resp.Header.Get("X-DNS-Prefetch-Control") != "off" {
			t.Errorf("%s: got %v, want no Link, no Refresh, and X-DNS-Prefetch-Control: off", path, resp.Header)
		}
	}
}

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
