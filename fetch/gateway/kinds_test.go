package gateway_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	client "example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

var update = flag.Bool("update", false, "write testdata/pages again")

// A kind is a page of each type.
type kind struct {
	name, path string
	text       string // a line of a text browser
}

// kinds starts a server for each type of page.
func kinds(t *testing.T) (lab, []kind) {
	t.Helper()
	l := newLab(t, &gateway.Config{Samples: []gateway.Sample{{URI: uri.MustParse("gopher://gopher.example/")}, {URI: uri.MustParse("gopher://gopher.example/0/a"), Title: "A text"},
		{URI: uri.MustParse("dict://dict.example/"), Title: "Words"}}})
	site := testdata.Site()
	news, wais, ldap := newstest.NewServer(site, nil), waistest.NewServer(site, nil), ldaptest.NewServer(site, nil)
	owls := spartantest.NewServer(fstest.MapFS{"owls.gmi": {Data: []byte(gemtextPage)}}, nil)
	for _, s := range []func(){news.Close, wais.Close, ldap.Close, owls.Close} {
		t.Cleanup(s)
	}
	group := "/news/" + news.Addr
	return l, []kind{
		{"start", "/", "gopher"},
		{"ftp", "/ftp/" + l.ftp + "/", "README.txt"},
		{"menu", "/gopher/" + l.gopher + "/", "How the Web came to name things"},
		{"text", "/gopher/" + l.gopher + "/0/history/gopher.txt", "1991"},
		{"gemtext", "/spartan/" + strings.TrimPrefix(owls.URL, "spartan://") + "/owls.gmi", "The barn owl"},
		{"group", group + "/comp.infosystems.www", "Re: Names for everything"},
		{"sorted", "/-/view/from=1,by=-modified" + group + "/comp.infosystems.www", "Reader <reader@site.example>"},
		{"article", group + "/second.2@site.example", "Writer <writer@site.example>"},
		{"thread", "/-/thread" + group + "/second.2@site.example", "Re: Names for everything"},
		{"wais", "/-/search?words=wide+area&uri=wais%3A%2F%2F" + strings.TrimPrefix(wais.URL, "wais://") + "%2Fsite", "1000"},
		{"ldap", "/ldap/" + strings.TrimPrefix(ldap.URL, "ldap://") + "/ou=texts,o=site", "objectClass"},
		{"message", "/ftp/" + l.ftp + "/mail/related.eml", "Tim <tim@site.example>"},
		{"error", "/ftp/" + l.ftp + "/nonesuch/a.txt", "Go up to nonesuch"},
	}
}

const gemtextPage = `# Owls & <b>
A paragraph, which is one line however long it is: the browser wraps it, and finds http://h.example/ in it.

## Kinds
* Tawny owl
> It hoots.
=> barn.gmi The barn owl
=> gopher://gopher.example/1/owls Owls by gopher
=: /find Which owl?
=> javascript:alert(1) A script
` + "```An owl\n (o,o)  <\n```\n### End\n"

var (
	addresses = regexp.MustCompile(`127\.0\.0\.1(:|%3A|%253A|=)[0-9]+`)
	unstable  = regexp.MustCompile(`(?s)<style>.*?</style>|<footer>.*</footer>\n`)
)

// The pages of thirteen types are those of testdata/pages. After a change, look at them in a browser, and run
// `go test ./fetch/gateway -run Kinds -update`. The style sheet and the section "How was this fetched?" are omitted.
func TestKindsOfPages(t *testing.T) {
	l, list := kinds(t)
	for _, k := range list {
		_, body := l.ask(t, k.path, nil)
		got := addresses.ReplaceAllString(unstable.ReplaceAllString(body, ""), "127.0.0.1${1}PORT")
		name := filepath.Join("testdata", "pages", k.name+".html")
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", k.name, got, want)
		}
	}
}

// Browsers for text show each type of page.
func TestTextBrowsers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program for each page")
	}
	l, list := kinds(t)
	for _, program := range [...]string{"lynx", "w3m"} {
		t.Run(program, func(t *testing.T) {
			for _, k := range list {
				if k.name == "error" && program == "lynx" {
					continue // lynx -dump shows no page with an error status
				}
				out, err := client.Run(t, program, "-dump", l.URL+k.path)
				if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(k.text), " ")) {
					t.Errorf("%s: got %v, want %q in\n%s", k.name, err, k.text, out)
				}
				rows := regexp.MustCompile(`(?m)^ *(a|history|README\.txt) `).FindAllStringSubmatchIndex(out, -1)
				for _, at := range rows {
					if k.name == "ftp" && (len(rows) < 3 || at[2]-at[0] != rows[0][2]-rows[0][0]) {
						t.Errorf("ftp: got names in different columns, want one column in\n%s", out)
						break
					}
				}
			}
		})
	}
}

// A client of HTTP/1.0 without a Host field gets the pages.
func TestHTTP10WithoutHost(t *testing.T) {
	l, list := kinds(t)
	for _, k := range list {
		c, err := net.Dial("tcp", strings.TrimPrefix(l.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.0\r\n\r\n", k.path)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		c.Close()
		if err != nil || !strings.HasSuffix(string(body), "</html>\n") || resp.StatusCode >= 400 && k.name != "error" {
			t.Errorf("%s: got %s, %v, %.200s", k.name, resp.Status, err, body)
		}
	}
}

// No page violates a rule of axe, or is wider than its window, in light and dark mode on a desk and a phone. DEREF_AXE names axe.min.js
// of the npm package axe-core.
func TestAccessibility(t *testing.T) {
	if os.Getenv("DEREF_AXE") == "" {
		t.Skip("DEREF_AXE does not name axe.min.js")
	}
	axe, err := os.ReadFile(os.Getenv("DEREF_AXE"))
	if err != nil {
		t.Fatal(err)
	}
	l, list := kinds(t)
	for _, mode := range [...]string{"light", "dark"} {
		b := newBrowser(t)
		if mode == "dark" {
			b.run(dark)
		}
		for _, width := range [...]int64{1280, 375} {
			b.run(chromedp.EmulateViewport(width, 800))
			for _, k := range list {
				b.run(chromedp.Navigate(l.URL + k.path))
				chromedp.Run(b, chromedp.Evaluate[string]("document.querySelectorAll('details').forEach(d => d.open = true);"+string(axe)+"\n;''"))
				found := ask(b, chromedp.Evaluate[[]string]("axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))", chromedp.EvalAwaitPromise))
				if len(found) > 0 {
					t.Errorf("%s, %s, %d: %q", k.name, mode, width, found)
				}
				if ask(b, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth")) {
					t.Errorf("%s, %s: wider than %d", k.name, mode, width)
				}
			}
		}
		b.mu.Lock()
		b.trouble = nil // the error page has the status 404
		b.mu.Unlock()
	}
}
