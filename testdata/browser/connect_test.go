package browser_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/testdata/pages"
)

// The original of a page makes a browser connect to no other host, although a Content-Security-Policy does not prevent preconnect. The same
// page on a server of its own does, so that the test can fail.
func TestPromise7BrowserConnectsNowhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a browser some seconds")
	}
	connected := make(chan struct{}, 100)
	secret, err := loopback.Listen("", func(net.Conn) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { secret.Close() })
	public := loopback.ForTest(t, func(net.Conn) { connected <- struct{}{} })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := "http://" + public + "/"
		if r.URL.Path == "/secret" {
			at = "http://" + secret.Addr() + "/"
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
		io.WriteString(w, "<!DOCTYPE html><title>Original</title><link rel='preconnect' href='"+at+"'><link rel=preload as=image href='"+at+"x'><svg><style><p><link rel=preconnect href='"+
			at+"'></p></style></svg>words")
	}))
	t.Cleanup(web.Close)
	l := pages.NewLab(t, nil)
	b := newBrowser(t)
	b.run(chromedp.Navigate(l.URL + "/-/raw/http/" + strings.TrimPrefix(web.URL, "http://") + "/secret"))
	b.run(chromedp.Navigate(web.URL + "/"))
	select {
	case <-connected: // a connection of the page before would have been made before this one
	case <-b.Done():
		t.Error("got no connection from the page itself: this browser does not preconnect, and the test proves nothing")
	}
	if n := secret.Peers(); n > 0 {
		t.Errorf("got %d connections to another host, want none", n)
	}
	b.mu.Lock()
	b.trouble = nil // the page itself violates its policy
	b.mu.Unlock()
}
