package gateway_test

import (
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
