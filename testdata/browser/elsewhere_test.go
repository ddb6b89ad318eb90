package browser_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
)

// away returns an address of this machine that is not loopback. Browsers treat loopback as they treat https.
func away(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	if os.Getenv("DEREF_REAL") == "all" {
		t.Fatal("this machine has only loopback addresses")
	}
	t.Skip("this machine has only loopback addresses")
	return ""
}

// serveAt serves h on an address, and returns the port.
func serveAt(t *testing.T, addr string, tls bool, h http.Handler) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	if s.Listener = l; tls {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// A witness is a server that records which of its paths were requested.
type witness struct {
	*httptest.Server
	mu    sync.Mutex
	paths []string
}

func newWitness(t *testing.T) *witness {
	w := &witness{}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (s *witness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.paths = append(s.paths, r.URL.Path)
	s.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, ".png"):
		http.ServeFileFS(w, r, testdata.Site(), "images/stripes.png")
	case strings.HasSuffix(r.URL.Path, ".html"):
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<a href="/in-frame"><img src="/in-frame.png" width="320" height="80"></a>`)
	default:
		io.WriteString(w, "a text\n")
	}
}

// seen returns the requested paths, and forgets them.
func (s *witness) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.paths
	s.paths = nil
	return list
}

// evil is a page that has everything fetched through a gateway that it can without a click. Its title becomes "done", with the field of our own
// pages. AT is the gateway's page of the witness.
const evil = `<!DOCTYPE html><title>evil</title><input id="uri"><a href="AT/link">link</a>
<img src="AT/img"><iframe src="AT/iframe"></iframe><script src="AT/script"></script><link rel="stylesheet" href="AT/style"><video src="AT/video"></video>
<object data="AT/object"></object><embed src="AT/embed"><iframe sandbox srcdoc="<img src='AT/srcdoc'>"></iframe><link rel="prefetch" href="AT/prefetch">
<iframe name="one"></iframe><form action="AT/form" target="one"></form><iframe name="two"></iframe><form method="post" action="AT/post" target="two"></form>
<script>for (const f of document.forms) f.submit()
Promise.allSettled(["cors", "no-cors"].flatMap(mode => ["omit", "include"].map(credentials =>
  fetch("AT/" + mode + "-" + credentials, {mode, credentials, referrerPolicy: "no-referrer"})))).then(() => document.title = "done")</script>`

// clickInFrame clicks at a place within the frame of the page. The link there refers to u.
func (b *browser) clickInFrame(x, y float64, u string) {
	b.t.Helper()
	box := ask(b, chromedp.Dimensions(chromedp.CSS("iframe"))).Content
	for b.Err() == nil && !b.isAt(u) { // the frame accepts clicks once it is drawn
		b.run(chromedp.MouseClickXY(box[0]+x, box[1]+y), chromedp.Sleep(500*time.Millisecond))
	}
	b.heads(u)
}

// A page of another site, or of another port of the gateway's host, makes the gateway fetch nothing without a click, whatever the name by which
// the browser reaches the gateway. Links to the gateway and all its own pages work.
func TestBrowserOfOtherSites(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a browser some seconds")
	}
	addr := away(t)
	c := fetch.New(schemes.All(nil)...)
	t.Cleanup(func() { c.Close() })
	all := newBrowser(t, chromedp.Flag("host-resolver-rules", "MAP *.example "+addr), chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("disable-features", "HttpsUpgrades"))
	for _, tt := range []struct {
		name, host string
		tls        bool
	}{{"a name", "gw.example", false}, {"an address", addr, false}, {"a name over https", "gw.example", true}} {
		t.Run(tt.name, func(t *testing.T) {
			target := newWitness(t)
			g := http.Handler(gateway.New(c, &gateway.Config{Hosts: []string{"gw.example"}}))
			scheme := "http"
			if tt.tls { // behind a server that does not pass the Host field on
				inner := httptest.NewServer(g)
				t.Cleanup(inner.Close)
				to, _ := url.Parse(inner.URL)
				g, scheme = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}, "https"
			}
			own := scheme + "://" + tt.host + ":" + serveAt(t, addr, tt.tls, g)
			at := own + "/http/" + strings.TrimPrefix(target.URL, "http://")
			port := serveAt(t, addr, tt.tls, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Referrer-Policy", r.URL.RawQuery)
				switch r.URL.Path {
				case "/goes-on":
					fmt.Fprintf(w, `<script>location = "%s/goes-on"</script>`, at)
				case "/":
					io.WriteString(w, strings.ReplaceAll(evil, "AT", at))
				}
			}))
			b := all.profile(t)
			t.Cleanup(func() { b.mu.Lock(); b.trouble = nil; b.mu.Unlock() }) // the browser reports every refusal
			attack := func(site, policy string) {
				t.Helper()
				b.run(chromedp.Navigate(scheme + "://" + site + ":" + port + "/?" + policy))
				b.heads("done")
				if list := target.seen(); len(list) > 0 {
					t.Errorf("a page of %s (%s) made the gateway fetch %q", site, policy, list)
				}
			}
			fetched := func(want ...string) {
				t.Helper()
				if got := target.seen(); !slices.Equal(got, want) {
					t.Errorf("the gateway fetched %q, want %q", got, want)
				}
			}
			b.run(chromedp.Navigate(scheme + "://evil.example:" + port + "/goes-on?no-referrer"))
			b.heads("Open this address?")
			fetched()
			attack("evil.example", "unsafe-url")
			attack("evil.example", "no-referrer")
			b.run(chromedp.Click(chromedp.CSS("a")))
			if !tt.tls {
				b.heads("Open this address?")
				fetched()
				b.run(chromedp.Click(chromedp.CSS("main a")))
			}
			b.heads(target.URL + "/link")
			fetched("/link")
			b.run(chromedp.Navigate(at + "/typed")) // nothing is asked again
			b.heads(target.URL + "/typed")
			fetched("/typed")
			attack("evil.example", "no-referrer") // the browser has a cookie now, which counts without a Referer
			attack(tt.host, "unsafe-url")
			attack(tt.host, "no-referrer")

			b.run(chromedp.Navigate(own + "/"))
			b.open(target.URL + "/a.png")
			fetched("/a.png", "/a.png") // for the page, and within it
			b.open(target.URL + "/a.html")
			b.clickInFrame(60, 60, target.URL+"/in-frame")
			fetched("/a.html", "/in-frame.png", "/in-frame")
		})
	}
}
