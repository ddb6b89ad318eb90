package gateway_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The original of a page makes a browser connect to no other host, although a Content-Security-Policy does not prevent preconnect. The same
// page on a server of its own does, so that the test can fail.
func TestPromise7BrowserConnectsNowhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a browser some seconds")
	}
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	connected := make(chan struct{}, 100)
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			c.Close()
			connected <- struct{}{}
		}
	}()
	at := "http://" + other.Addr().String() + "/"
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
		io.WriteString(w, "<!DOCTYPE html><title>Original</title><link rel='preconnect' href='"+at+"'><link rel=preload as=image href='"+at+"x'><svg><style><p><link rel=preconnect href='"+
			at+"'></p></style></svg>words")
	}))
	t.Cleanup(web.Close)
	l := newLab(t, nil)
	b := newBrowser(t)
	b.run(chromedp.Navigate(l.URL + "/-/raw/http/" + strings.TrimPrefix(web.URL, "http://") + "/"))
	time.Sleep(time.Second) // a connection that must not be made cannot be waited for
	if n := len(connected); n > 0 {
		t.Errorf("got %d connections to another host, want none", n)
	}
	b.run(chromedp.Navigate(web.URL + "/"))
	select {
	case <-connected:
	case <-b.Done():
		t.Error("got no connection from the page itself: this browser does not preconnect, and the test proves nothing")
	}
	b.mu.Lock()
	b.trouble = nil // the page itself violates its policy
	b.mu.Unlock()
}
