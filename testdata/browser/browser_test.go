package browser_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/testdata"
	"example.org/deref/testdata/pages"
)

// chromium finds the browser. Without it the test is skipped, or fails if DEREF_REAL is "all".
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("DEREF_REAL") == "all" {
		t.Fatal("chromium is not installed")
	}
	t.Skip("chromium is not installed")
	return ""
}

// A browser is one tab with its console messages.
type browser struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	trouble  []string // console messages, exceptions
	requests []string
}

// newBrowser starts a browser with one tab.
func newBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) *browser {
	home := shortTempDir(t) // the browser leaves directories in TMPDIR
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Env("HOME="+home, "TMPDIR="+home),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1100, 850))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(opts, more...)...)
	t.Cleanup(cancel)
	return newTab(t, ctx)
}

// profile returns a tab of the same browser with a profile of its own: no cache, cookie or login of another.
func (b *browser) profile(t *testing.T) *browser {
	return newTab(t, b.Context, chromedp.WithNewBrowserContext())
}

func newTab(t *testing.T, ctx context.Context, opts ...chromedp.ContextOption) *browser {
	ctx, cancel := chromedp.NewContext(ctx, opts...)
	t.Cleanup(cancel)
	b := &browser{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		second(chromedp.Call(ctx, network.Enable, network.EnableParams{})),
		second(chromedp.Call(ctx, log.Enable, cdp.Empty{})),
		second(chromedp.Call(ctx, runtime.Enable, cdp.Empty{})),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if end, ok := t.Deadline(); ok { // a browser that hangs ends shortly before the go command ends the tests
		ctx, cancel = context.WithDeadline(ctx, end.Add(-15*time.Second))
		t.Cleanup(cancel)
	}
	b.Context = ctx
	t.Cleanup(func() {
		for _, text := range b.trouble {
			t.Errorf("the browser reports: %s", text)
		}
	})
	return b
}

// shortTempDir is t.TempDir without the test's name: Chromium makes a socket in it, and the path of a socket has 107 bytes at most.
func shortTempDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "tab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func second[T any](_ T, err error) error { return err }

func (b *browser) notice(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.trouble = append(b.trouble, fmt.Sprint("console.", e.Type))
	case *runtime.EventExceptionThrown:
		b.trouble = append(b.trouble, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.trouble = append(b.trouble, e.Entry.Text+" "+e.Entry.URL)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// ask runs an action that returns a value.
func ask[T any](b *browser, a chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// open enters a URI into the field of the page and submits it.
func (b *browser) open(u string) {
	b.t.Helper()
	b.heads("") // wait for the previous page, which may still be loading
	ask(b, chromedp.Evaluate[string]("document.getElementById('uri').value = ''"))
	b.run(chromedp.SendKeys(chromedp.CSS("#uri"), u+kb.Enter))
	b.heads(u)
}

// heads waits until a page with the text in its title or field is loaded.
func (b *browser) heads(text string) {
	b.t.Helper()
	var last []string
	loopback.Until(b.t, "end of the browser", func() bool {
		at, where := b.at(text)
		if len(where) > 0 {
			last = where
		}
		return at || b.Err() != nil
	})
	if b.Err() != nil {
		b.t.Fatalf("got the page %q, want %q", last, text)
	}
}

// isAt reports whether the page with the text is loaded.
func (b *browser) isAt(text string) bool {
	at, _ := b.at(text)
	return at
}

// at also returns the state, title and address of the page. There are none while a page is being left.
func (b *browser) at(text string) (at bool, where []string) {
	v, err := chromedp.Run(b,
		chromedp.Evaluate[[]string]("[document.readyState, document.title, document.getElementById('uri').defaultValue]"))
	return err == nil && v[0] == "complete" && (strings.Contains(v[1], text) || v[2] == text), v
}

// follow clicks on the link with a text.
func (b *browser) follow(text, heading string) {
	b.t.Helper()
	b.run(chromedp.Click(`//main//a[text()="` + text + `"]`))
	b.heads(heading)
}

// shows checks the text of the main part.
func (b *browser) shows(texts ...string) {
	b.t.Helper()
	main := ask(b, chromedp.Text(chromedp.CSS("main")))
	for _, text := range texts {
		if !strings.Contains(main, text) {
			b.t.Errorf("the page lacks %q:\n%.2000s", text, main)
		}
	}
}

// picture keeps a screenshot, if the test runs with -artifacts.
func (b *browser) picture(name string) {
	b.t.Helper()
	if f := flag.Lookup("test.artifacts"); f.Value.String() != "true" {
		return
	}
	if err := os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), ask(b, chromedp.CaptureScreenshot()), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// printed shows the page as on paper.
func printed(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	return chromedp.Void{}, err
}

// dark requests the dark color scheme.
func dark(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	return chromedp.Void{}, err
}

// hostile is a page that tries to attack.
const hostile = `<!DOCTYPE html><title>Hostile</title><base target="_self">
<meta http-equiv="refresh" content="0; url=/stolen?refresh"><link rel="stylesheet" href="/stolen?css">
<style>body{background:url(/stolen?style)}</style><body onload="document.title='pwned'" background="/stolen?background">
<h1>Harmless</h1><a href="/next.txt">next</a><script>document.title='pwned';top.document.title='pwned';new Image().src='/stolen?script'</script>
<svg><script>top.document.title='pwned'</script></svg><img src="/stripes.png" onerror="top.document.title='pwned'" alt="stripes" width="320" height="80">
<iframe src="/stolen?frame"></iframe><object data="/stolen?object"></object><embed src="/stolen?embed">
<form action="/stolen?form"><input name="x"><button>b</button></form><a href="javascript:top.document.title='pwned'">script</a>
"></iframe><script>top.document.title='pwned'</script>`

// TestBrowser visits pages of several schemes with a real browser. No page may cause an error, a request to another host than the gateway,
// or run a foreign script.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a browser some seconds")
	}
	b := newBrowser(t)
	l := pages.NewLab(t, nil)
	site := testdata.Site()
	news, wais, ldap := newstest.NewServer(site, nil), waistest.NewServer(site, nil), ldaptest.NewServer(site, nil)
	for _, s := range []io.Closer{closer(news.Close), closer(wais.Close), closer(ldap.Close)} {
		t.Cleanup(func() { s.Close() })
	}
	var stolen sync.Map
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, hostile)
		case "/stripes.png":
			http.ServeFileFS(w, r, site, "images/stripes.png")
		case "/next.txt":
			io.WriteString(w, "The next page.\n")
		default:
			stolen.Store(r.URL.String(), true)
		}
	}))
	t.Cleanup(web.Close)

	b.run(chromedp.Navigate(l.URL + "/"))
	b.picture("1-start")
	b.open("ftp://" + l.FTP + "/")
	b.shows("README.txt", "directory", "1994-12-20")
	b.picture("2-ftp")
	b.follow("history", "ftp://"+l.FTP+"/history/")
	b.follow("ftp.txt", "ftp://"+l.FTP+"/history/ftp.txt")
	b.shows("The oldest of the schemes' protocols")
	b.run(chromedp.Click(chromedp.CSS("summary")))
	b.picture("3-text")

	b.open("gopher://" + l.Gopher + "/")
	b.picture("4-gopher")
	b.run(chromedp.SendKeys(chromedp.CSS("main input[name=words]"), "oldest"+kb.Enter))
	b.heads("oldest")
	b.picture("5-search")
	b.follow("history/ftp.txt", "gopher://"+l.Gopher+"/0/history/ftp.txt")
	b.shows("The oldest of the schemes' protocols")

	b.open("news://" + news.Addr + "/comp.infosystems.www")
	b.picture("6-news")
	b.follow("Re: Names for everything", "Re: Names for everything")
	b.picture("7-article")
	b.follow("news:first.1@site.example", "Names for everything")
	b.shows("counts from somewhere else")

	b.open("wais://" + strings.TrimPrefix(wais.URL, "wais://") + "/site")
	b.run(chromedp.SendKeys(chromedp.CSS("#words"), "wide area"+kb.Enter))
	b.heads("wide area")
	b.shows("1000")
	b.picture("8-wais")
	b.follow("wais", "wais.txt")

	b.open("ldap://" + strings.TrimPrefix(ldap.URL, "ldap://") + "/o=site??sub")
	b.shows("objectClass")
	b.picture("9-ldap")

	b.open("ftp://" + l.FTP + "/mail/related.eml")
	b.shows("Tim <tim@site.example>", "A note in Latin-1, sent in quoted-printable: Genève.")
	b.picture("10-message")
	b.run(chromedp.Click(`//main//a[contains(text(),"pixel.gif")]`), chromedp.WaitVisible(chromedp.CSS("img")))
	if kind := ask(b, chromedp.Evaluate[string]("document.contentType")); kind != "image/gif" {
		t.Errorf("got a part of type %s, want kind \"image/gif\"", kind)
	}

	b.run(chromedp.Navigate(l.URL + "/"))
	b.open(web.URL + "/")
	b.heads("Hostile")
	b.picture("11-hostile")
	for b.Err() == nil && !b.isAt(web.URL+"/next.txt") { // the frame accepts keys once it is ready
		chromedp.Do(b, chromedp.Focus(chromedp.CSS("iframe")), chromedp.KeyEvent(kb.Tab), chromedp.Sleep(300*time.Millisecond),
			chromedp.KeyEvent(kb.Enter), chromedp.Sleep(700*time.Millisecond))
	}
	b.heads(web.URL + "/next.txt")
	b.shows("The next page.")

	b.run(chromedp.EmulateViewport(390, 780, chromedp.EmulateMobile), dark)
	b.open("ftp://" + l.FTP + "/")
	b.picture("12-phone-ftp")
	b.open("gopher://" + l.Gopher + "/")
	b.picture("13-phone-gopher")
	if ask(b, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth")) {
		t.Error("a menu is wider than a phone")
	}
	b.open("gopher://" + l.Gopher + "/0/history/gopher.txt")
	const rows = "p => Math.round(p.clientHeight / parseFloat(getComputedStyle(p).lineHeight)) - p.textContent.trimEnd().split('\\n').length"
	if n := ask(b, chromedp.Evaluate[int]("("+rows+")(document.querySelector('main>pre'))")); n != 0 {
		t.Errorf("a text has %d lines more on a phone than in its file, want none", n)
	}
	b.run(printed)
	if shown := ask(b, chromedp.Evaluate[[]string]("[...document.querySelectorAll('header *,nav,main>pre,footer')].filter(e => e.offsetHeight).map(e => e.tagName)")); !slices.Equal(shown, []string{"FORM", "INPUT", "PRE"}) {
		t.Errorf("got %q on paper, want the address and the text", shown)
	}

	stolen.Range(func(what, _ any) bool {
		t.Errorf("the page caused a request for %s", what)
		return true
	})
	for _, u := range b.requests {
		if !strings.HasPrefix(u, l.URL+"/") && !strings.HasPrefix(u, "about:") && !strings.HasPrefix(u, "data:") {
			t.Errorf("the browser requested %s", u)
		}
	}
}

type closer func()

func (c closer) Close() error { c(); return nil }
