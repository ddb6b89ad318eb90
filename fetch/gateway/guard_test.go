package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch/gateway"
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
