package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
