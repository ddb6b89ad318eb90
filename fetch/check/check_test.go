package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/retry"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/gopher"
	httpscheme "example.org/deref/schemes/http"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/telnet"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	goleak.VerifyTestMain(m)
}

// web is a server with every kind of response to a link.
func web(t *testing.T) (srv *httptest.Server, asked *[]string) {
	asked = new([]string)
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<h2 id="here">Here</h2>`)
	})
	mux.HandleFunc("/xhtml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xhtml+xml")
		io.WriteString(w, `<html><head><title/></head><body><h2 id="here"/><a href="/none"/></body></html>`)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/page", http.StatusMovedPermanently)
	})
	for from, to := range map[string]string{"/loop": "/round", "/round": "/loop", "/self": "/self", "/then": "/moved"} {
		mux.Handle(from, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("/chain/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "ftp://ftp.example/x", http.StatusFound)
	})
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) })
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
	mux.HandleFunc("/headless", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "HEAD" {
			w.WriteHeader(405)
		}
	})
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.URL.Path)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv, asked
}

// known returns the schemes of the tests, which need not link all.
func known() []fetch.Scheme {
	return slices.Concat(httpscheme.Schemes(nil), ftp.Schemes(nil), gopher.Schemes(), news.Schemes(nil), telnet.Schemes(), []fetch.Scheme{data.Scheme(), file.Scheme()})
}

func client(t *testing.T) *fetch.Client {
	c := fetch.New(known()...)
	t.Cleanup(func() { c.Close() })
	return c
}

// run checks one document, and returns the results by name.
func run(t *testing.T, name, text string, o *check.Options) (map[string]*check.Result, check.Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]*check.Result{}
	o.Done = func(r *check.Result) { all[r.Name()] = r }
	if o.Batch.Parallel == 0 {
		o.Batch.Parallel = 1
	}
	sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse("file://" + path)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return all, sum
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	srv, _ := web(t)
	host := telnettest.NewServer(testdata.Site(), nil)
	defer host.Close()
	rows := []struct {
		link string
		want check.Verdict
		kind fetch.Kind
	}{
		{srv.URL + "/page", check.OK, ""},
		{srv.URL + "/page#here", check.OK, ""},
		{srv.URL + "/page#gone", check.Broken, fetch.ErrNotFound},
		{srv.URL + "/xhtml#here", check.OK, ""},
		{srv.URL + "/moved", check.Redirected, ""},
		{srv.URL + "/away", check.Redirected, fetch.ErrRedirect}, // http may not refer there by default
		{srv.URL + "/loop", check.Broken, fetch.ErrRedirect},
		{srv.URL + "/self", check.Broken, fetch.ErrRedirect},
		{srv.URL + "/chain/", check.Broken, fetch.ErrRedirect},
		{srv.URL + "/then", check.Redirected, ""},
		{srv.URL + "/headless", check.OK, ""},
		{srv.URL + "/none", check.Broken, fetch.ErrNotFound},
		{srv.URL + "/private", check.Denied, fetch.ErrAuth},
		{"http://" + loopback.Reserve(t) + "/", check.Unreachable, fetch.ErrConnect},
		{"gopher://" + loopback.Reserve(t) + "/1", check.Unreachable, fetch.ErrConnect},
		{"http://127.0.0.1:25/", check.Denied, fetch.ErrRefusedPort},
		{"mailto:somebody@site.example", check.NotCheckable, ""},
		{"nosuch://host/x", check.NotCheckable, fetch.ErrUnsupported},
		{"data:,text", check.OK, ""},
		{host.URL + "/", check.OK, ""},                               // a session's first screen is enough
		{srv.URL + "/busy", check.Unreachable, fetch.ErrUnavailable}, // last, since the host would get no request for two seconds
	}
	var text strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&text, "<%s>\n", r.link)
	}
	got, sum := run(t, "list.txt", text.String(), &check.Options{})
	for i, row := range rows {
		r := got[row.link]
		if r == nil {
			t.Fatalf("%s: got no result", row.link)
		}
		if r.Verdict != row.want || row.kind != "" && fetch.KindOf(r.Err) != row.kind {
			t.Errorf("%s is %s, %v, want %s", row.link, r.Verdict, r.Err, row.want)
		}
		if len(r.Places) != 1 || r.Places[0].Line != i+1 || r.Count != 1 {
			t.Errorf("%s: got the places %v, want len(Places) 1, Line %v and Count 1", row.link, r.Places, i+1)
		}
	}
	if sum.Links != int64(len(rows)) || fetch.KindOf(sum.First) == "" {
		t.Errorf("got %+v, want Links %v and non-empty fetch.KindOf(sum.First)", sum, int64(len(rows)))
	}
	for name, permanent := range map[string]bool{"/moved": true, "/then": false} { // one temporary redirect in a chain keeps the link valid
		if r := got[srv.URL+name]; r.Final.String() != srv.URL+"/page" || r.Permanent != permanent {
			t.Errorf("%s: got the final URI %s, permanent %t; want %s, %t", name, r.Final, r.Permanent, srv.URL+"/page", permanent)
		}
	}
}

// Each link is requested once, with HEAD, and with GET only if the failure may be due to HEAD.
func TestCheapestQuestion(t *testing.T) {
	srv, asked := web(t)
	got, _ := run(t, "list.html", fmt.Sprintf(`<a href="%[1]s/page">one</a> <a href="%[1]s/page">two</a> <img src="%[1]s/headless">`,
		srv.URL), &check.Options{})
	if want := []string{"HEAD /page", "HEAD /headless", "GET /headless"}; !slices.Equal(*asked, want) {
		t.Errorf("asked %q, want %q", *asked, want)
	}
	r := got[srv.URL+"/page"]
	if r.Count != 2 || r.Places[0].Text != "one" || r.Places[1].Text != "two" {
		t.Errorf("%d places: got %v, want Count 2, Text \"one\" and Text \"two\"", r.Count, r.Places)
	}
}

// References are resolved against the document's own base. Fragments of the same document are checked without another request.
func TestBaseAndOwnParts(t *testing.T) {
	srv, _ := web(t)
	got, _ := run(t, "a.html", `<base href="`+srv.URL+`/sub/"><a href="../page">x</a> <a href="http://[bad/">y</a>`, &check.Options{})
	if r := got[srv.URL+"/page"]; r == nil || r.Verdict != check.OK {
		t.Errorf("got %v, want non-nil r and Verdict %v", got, check.OK)
	}
	if r := got["http://[bad/"]; r == nil || r.Verdict != check.Broken || fetch.KindOf(r.Err) != fetch.ErrRefusedURL {
		t.Errorf("got %v, want non-nil r, Verdict %v and fetch.KindOf(r.Err) ErrRefusedURL", got, check.Broken)
	}
	got, _ = run(t, "b.html", `<a href="#there">x</a> <a href="#gone">y</a> <a href="">z</a> <h1 id=there>`, &check.Options{})
	verdicts := map[string]check.Verdict{}
	for name, r := range got {
		_, part, _ := strings.Cut(name, "#")
		verdicts[part] = r.Verdict
	}
	if len(verdicts) != 2 || verdicts["there"] != check.OK || verdicts["gone"] != check.Broken {
		t.Errorf("got %v, want len(verdicts) 2, verdicts[\"there\"] %v and verdicts[\"gone\"] %v", verdicts, check.OK, check.Broken)
	}
}

// The pages and texts in a directory and its subdirectories are read; hidden files and images are not.
func TestFolder(t *testing.T) {
	unread := ""
	got, sum := checkTree(t, map[string]string{
		"a.html": `<a href="sub/b.md">b</a>`, "sub/b.md": "[up](../a.html) [gone](gone.html)", ".hidden.txt": "<nosuch:x>", "p.gif": "<nosuch:y>",
	}, func(dir string) *check.Options {
		return &check.Options{Unread: func(u uri.URI, why check.ErrUnread) { unread += strings.TrimPrefix(u.String(), dir) + " " + why.Format }}
	})
	if sum.Unread != 1 || unread != "/p.gif image/gif" {
		t.Errorf("got %d unread files: %q; want p.gif", sum.Unread, unread)
	}
	if want := "/a.html ok; /sub/b.md ok; /sub/gone.html broken"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Fragments of Markdown and AsciiDoc are the names that renderers give headings.
func TestAnchorsOfTexts(t *testing.T) {
	got, _ := checkTree(t, map[string]string{
		"a.md":   "# Some *Title*\n[b](b.adoc#_a_part) [c](b.adoc#none) [d](#some-title) [e](a.md#Some-Title) [f](#none) [g](b.adoc#L10-L20)\n",
		"b.adoc": "== A Part\n",
	}, func(string) *check.Options { return &check.Options{} })
	if want := "/a.md#Some-Title ok; /a.md#none broken; /a.md#some-title ok; /b.adoc#L10-L20 ok; /b.adoc#_a_part ok; /b.adoc#none broken"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCache(t *testing.T) {
	srv, asked := web(t)
	path := filepath.Join(t.TempDir(), "known")
	accept, err := check.ParseStatuses("200,404")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		cached bool
		asked  int
		accept check.Statuses // a link that is good only for one run is not remembered
		none   check.Verdict
	}{{false, 3, accept, check.OK}, {true, 2, nil, check.Broken}} { // bad links are requested again, by HEAD and GET
		cache, err := check.OpenCache(path, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		*asked = nil
		got, _ := run(t, "x.txt", srv.URL+"/page "+srv.URL+"/none", &check.Options{Cache: cache, Accept: want.accept})
		if none := got[srv.URL+"/none"]; none.Verdict != want.none {
			t.Errorf("got %+v, want %s", none, want.none)
		}
		if r := got[srv.URL+"/page"]; r.Verdict != check.OK || r.Cached != want.cached || len(*asked) != want.asked {
			t.Errorf("got %+v with the requests %q, want Verdict %v, Cached %v and len(*asked) %v", r, *asked, check.OK, want.cached, want.asked)
		}
		if err := cache.Save(); err != nil {
			t.Fatal(err)
		}
	}
	if cache, err := check.OpenCache(path, time.Nanosecond); err != nil {
		t.Error(err)
	} else if got, _ := run(t, "x.txt", srv.URL+"/page", &check.Options{Cache: cache}); got[srv.URL+"/page"].Cached {
		t.Error("an old entry is used")
	}
}

func TestReports(t *testing.T) {
	u := uri.MustParse("http://user:secret@h/a?b&c")
	r := &check.Result{URI: u, Verdict: check.Broken, Err: fetch.Errorf(fetch.ErrNotFound, "no <such>"), Count: 3,
		Places: []check.Place{{Source: uri.MustParse("file:///x.html"), Line: 4, Text: "t"}}}
	b, err := json.Marshal(r)
	if err != nil || strings.Contains(string(b), "secret") || !json.Valid(b) {
		t.Errorf("got %s, %v; want JSON without the secret", b, err)
	}
	if want := `"places":[{"source":"file:///x.html","line":4,"text":"t"}]`; !strings.Contains(string(b), want) {
		t.Errorf("got %s, want %s in it", b, want)
	}
	var out strings.Builder
	j := check.NewJUnit(&out, "links")
	j.Add(r)
	j.Add(&check.Result{URI: uri.MustParse("mailto:a@b"), Verdict: check.NotCheckable})
	j.Add(&check.Result{URI: uri.MustParse("http://h/"), Verdict: check.OK})
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
<testsuite name="links">
<testcase classname="http" name="http://user:***@h/a?b&amp;c" time="0.000"><failure message="broken: no &lt;such&gt;">file:///x.html:4&#xA;and 2 more&#xA;</failure></testcase>
<testcase classname="mailto" name="mailto:a@b" time="0.000"><skipped message="not checkable"/></testcase>
<testcase classname="http" name="http://h/" time="0.000"></testcase>
</testsuite>
</testsuites>
`
	if err := j.Close(); err != nil || out.String() != want {
		t.Errorf("got %s, %v, want %s", out.String(), err, want)
	}
}

// A canceled run ends. A missing source is reported after the others have been checked.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Run(ctx, client(t), []uri.URI{uri.MustParse("data:,http://127.0.0.1:1/")}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	n := 0
	sources := []uri.URI{uri.MustParse("file:///nonesuch/x"), uri.MustParse("data:text/plain,data:,x")}
	_, err := check.Run(t.Context(), client(t), sources, &check.Options{Batch: batch.Options{Parallel: 2}, Done: func(*check.Result) { n++ }})
	if fetch.KindOf(err) != fetch.ErrNotFound || n != 1 {
		t.Errorf("got %d links, %v; want ErrNotFound and n 1", n, err)
	}
}

// TestOrder: the results are those of the sources in order, whichever server is faster, with the references that are not URIs.
func TestOrder(t *testing.T) {
	quick, _ := web(t)
	asked := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-asked
		w.WriteHeader(404)
	}))
	defer slow.Close()
	last := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked) }))
	defer last.Close()
	page := filepath.Join(t.TempDir(), "page.html")
	text := fmt.Sprintf(`<a href="%[1]s/first"> <a href="http://[/1"> <a href="http://[/2"> <a href="%[2]s/private"> <a href="%[1]s/third"> <a href="http://[/3"> `, slow.URL, quick.URL)
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	o := &check.Options{Done: func(r *check.Result) { got = append(got, r.Name()) }, Batch: batch.Options{Parallel: 3}}
	sum, err := check.Run(t.Context(), client(t), []uri.URI{uri.MustParse("file://" + page), uri.MustParse("data:text/plain," + last.URL + "/last")}, o)
	want := []string{slow.URL + "/first", "http://[/1", "http://[/2", quick.URL + "/private", slow.URL + "/third", "http://[/3", last.URL + "/last"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err != nil || fetch.KindOf(sum.First) != fetch.ErrNotFound || sum.Links != int64(len(want)) {
		t.Errorf("got %v, %d links, %v; want the error of the first link, ErrNotFound, and %d", sum.First, sum.Links, err, len(want))
	}
}

// TestNewsWithoutHost: a news URI without a host is not checkable in a network without a host called news, and is not requested twice. Another host
// without an address is unreachable.
func TestNewsWithoutHost(t *testing.T) {
	for _, row := range []struct {
		link, host string
		want       check.Verdict
		dials      int
	}{
		{"news:1@site.example", "", check.NotCheckable, 1},
		{"snews:comp.lang.c", "", check.NotCheckable, 1},
		{"news://news/comp.lang.c", "", check.Unreachable, 2},
		{"news:comp.lang.c", "typo.example", check.Unreachable, 2},
	} {
		c, dials := client(t), 0
		c.Policy.TrustDialer = true
		c.Dialer = func(_ context.Context, network, addr string) (net.Conn, error) {
			dials++
			host, _, _ := net.SplitHostPort(addr)
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		}
		o := &check.Options{Request: &fetch.Options{}, Batch: batch.Options{Retry: retry.Policy{Retries: 1, Delay: time.Nanosecond}}}
		if row.host != "" {
			o.Request.Set = map[string][]string{"news.host": {row.host}}
		}
		var got []check.Verdict
		o.Done = func(r *check.Result) { got = append(got, r.Verdict) }
		if _, err := check.Run(t.Context(), c, []uri.URI{uri.MustParse("data:text/uri-list," + row.link)}, o); err != nil {
			t.Error(err)
		}
		if !slices.Equal(got, []check.Verdict{row.want}) || dials != row.dials {
			t.Errorf("%s with the news host %q: got %q and %d dials, want %s and %d", row.link, row.host, got, dials, row.want, row.dials)
		}
	}
}

// Credentials are sent to the servers of the sources, and not to those to which their documents link. Those for a local source are for its links.
func TestPromise7CredentialsOfASource(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"a://h/page", "h t0ken, h t0ken, other "},
		{"data:text/uri-list,a://h/x%0Aa://other/x", "h t0ken, other t0ken"},
	} {
		var mu sync.Mutex
		var got []string
		web := fetch.Scheme{Names: []string{"a"}, Rules: uri.Rules{Hierarchical: true, DefaultPort: 7000}, Does: fetch.Does{Retrieves: true},
			Settings: []fetch.Setting{{Key: "a.token", Secret: true}}}
		web.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, u.Hostname()+" "+o.Get("a.token"))
				d := fetch.NewDocument(io.NopCloser(strings.NewReader("a://h/x\r\na://other/x\r\n")))
				d.Type = "text/uri-list"
				return d, nil
			}}, nil
		}
		client := fetch.New(web, data.Scheme())
		o := &check.Options{Schemes: client.Schemes, Request: &fetch.Options{Set: map[string][]string{"a.token": {"t0ken"}}}}
		if _, err := check.Run(t.Context(), client, []uri.URI{uri.MustParse(c.source)}, o); err != nil {
			t.Fatal(err)
		}
		client.Close()
		slices.Sort(got)
		if list := strings.Join(got, ", "); list != c.want {
			t.Errorf("%s: got %q, want %q", c.source, list, c.want)
		}
	}
}
