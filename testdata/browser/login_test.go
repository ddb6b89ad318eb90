package browser_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/testdata"
)

// A guarded is an http server that requires a login. It records the logins it receives, with the requested host.
type guarded struct {
	*httptest.Server
	host string // 127.0.0.1 and port
	next string // where /away redirects to

	mu     sync.Mutex
	logins []string
}

func newGuarded(t *testing.T, password string) *guarded {
	t.Helper()
	g := &guarded{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, pass, ok := r.BasicAuth()
		if ok {
			g.mu.Lock()
			g.logins = append(g.logins, r.Host+" "+user+":"+pass)
			g.mu.Unlock()
		}
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, g.next, http.StatusFound)
		case !ok || pass != password:
			w.Header().Set("WWW-Authenticate", `Basic realm="the same everywhere"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "let in by "+user+"\n")
		}
	}))
	t.Cleanup(g.Close)
	g.host = strings.TrimPrefix(g.URL, "http://")
	return g
}

// seen returns the received logins, and resets them.
func (g *guarded) seen() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.logins
	g.logins = nil
	return list
}

// A keeper is a user who enters a password into the first dialog and cancels all others.
type keeper struct {
	password string

	mu     sync.Mutex
	realms []string // of the dialogs
}

func (k *keeper) watch(b *browser) {
	b.t.Helper()
	handle := true
	if err := chromedp.Listen(b, func(ev any) {
		switch e := ev.(type) {
		case *cdpfetch.EventRequestPaused:
			go chromedp.Call(b.Context, cdpfetch.ContinueRequest, cdpfetch.ContinueRequestParams{RequestID: e.RequestID})
		case *cdpfetch.EventAuthRequired:
			go chromedp.Call(b.Context, cdpfetch.ContinueWithAuth, cdpfetch.ContinueWithAuthParams{RequestID: e.RequestID,
				AuthChallengeResponse: k.answer(e.AuthChallenge.Realm)})
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.Context, cdpfetch.Enable, cdpfetch.EnableParams{HandleAuthRequests: &handle}); err != nil {
		b.t.Fatal(err)
	}
}

func (k *keeper) answer(realm string) *cdpfetch.AuthChallengeResponse {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.realms = append(k.realms, realm)
	if len(k.realms) > 1 {
		return &cdpfetch.AuthChallengeResponse{Response: "CancelAuth"}
	}
	return &cdpfetch.AuthChallengeResponse{Response: "ProvideCredentials", Username: "ann", Password: k.password}
}

// text opens a page and returns its text.
func (b *browser) text(u string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, 20e9)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(u)); err != nil && !strings.Contains(err.Error(), "net::ERR_INVALID_AUTH_CREDENTIALS") &&
		!strings.Contains(err.Error(), "ERR_HTTP_RESPONSE_CODE_FAILURE") {
		b.t.Fatalf("%s: %v", u, err)
	}
	return ask(b, chromedp.Evaluate[string]("document.documentElement.textContent"))
}

// In a real browser, for which all pages have the gateway's origin, every upstream origin is a protection space of its own: a password for
// one scheme, host and port reaches no other, whatever form of path the challenge came from (promise 7).
func TestPromise7BrowserKeepsLoginsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a browser some seconds")
	}
	const password = "OfServerA"
	a, other := newGuarded(t, password), newGuarded(t, "OfServerB")
	files := ftptest.NewServer(testdata.Site(), &ftptest.Options{NoAnonymous: true,
		Users: map[string]ftptest.User{"ann": {Password: "OfTheFiles"}}})
	t.Cleanup(files.Close)
	a.next = other.URL + "/came-from-a"
	ftp, named := strings.TrimPrefix(files.URL, "ftp://"), strings.Replace(a.host, "127.0.0.1", "localhost", 1)
	c := fetch.New(schemes.All(nil)...)
	t.Cleanup(func() { c.Close() })
	inner := gateway.New(c, nil)
	var mu sync.Mutex
	var told []string // the requests that had a login
	g := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			mu.Lock()
			told = append(told, r.RequestURI)
			mu.Unlock()
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)

	all := newBrowser(t)
	// A browser sends a login before it is challenged by the path of the challenge, and otherwise by its realm. So each form is combined with
	// each path and each origin, and each path with each origin, but not all three.
	for i, form := range []string{"/http/%s/", "/http/%s", "/http://%s", "/-/raw/http/%s/x"} {
		t.Run(strings.ReplaceAll(strings.ReplaceAll(form, "%s", "A"), "/", ","), func(t *testing.T) {
			mu.Lock()
			told = nil
			mu.Unlock()
			a.seen()
			b := all.profile(t)
			t.Cleanup(func() { b.mu.Lock(); b.trouble = nil; b.mu.Unlock() }) // the browser reports every 401
			k := &keeper{password: password}
			k.watch(b)
			b.text(g.URL + fmt.Sprintf(form, a.host))
			if got := b.text(g.URL + "/http/" + a.host + "/again"); len(k.realms) > 0 && strings.HasPrefix(form, "/http/%s") &&
				!strings.Contains(got, "let in by ann") {
				t.Errorf("after the login the next page of the same server is %q (dialogs: %q)", got, k.realms)
			}
			if got := a.seen(); strings.HasPrefix(form, "/http/%s") && len(got) == 0 {
				t.Error("the server itself did not receive its login, so the test proves nothing")
			} else {
				for _, login := range got {
					if !strings.HasPrefix(login, a.host+" ") {
						t.Errorf("the login went to %s", login)
					}
				}
			}
			for j, at := range []string{"http/" + other.host, "http/" + named, "ftp/" + ftp, "https/" + a.host, "gopher/" + a.host} {
				scheme, host, _ := strings.Cut(at, "/")
				for k, path := range []string{"/" + at + "/", "/" + at, "/" + scheme + "://" + host + "/x", "/-/raw/" + at + "/x",
					"/-/uri?" + url.QueryEscape(scheme+"://"+host+"/")} {
					if n := (j + k) % 5; n == i || n == 4 && i == 3 {
						b.text(g.URL + path)
					}
				}
			}
			b.text(g.URL + "/http/" + a.host + "/away") // the gateway follows the redirect to the other server
			for _, login := range other.seen() {
				t.Errorf("the other server received %q", login)
			}
			for _, login := range a.seen() {
				if strings.HasPrefix(login, "localhost") {
					t.Errorf("the other host received %q", login)
				}
			}
			if text := fmt.Sprint(files.Transcript()); strings.Contains(text, password) {
				t.Errorf("the FTP server received the password: %s", text)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, request := range told {
				if !strings.Contains(request, "/"+a.host+"/") || strings.Contains(request, "https") || strings.Contains(request, "gopher") {
					t.Errorf("the browser sent the login with %s", request)
				}
			}
		})
	}
}
