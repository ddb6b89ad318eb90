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

	client "example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/testdata/pages"
)

var update = flag.Bool("update", false, "write testdata/pages again")

// kinds starts a server for each type of page.
func kinds(t *testing.T) (lab, []pages.Page) {
	t.Helper()
	l, list := pages.All(t)
	return lab{l.Server, l.FTP, l.Gopher}, list
}

var (
	addresses = regexp.MustCompile(`127\.0\.0\.1(:|<wbr>:|%3A|%253A|=)[0-9]+`)
	unstable  = regexp.MustCompile(`(?s)<style>.*?</style>|<footer>.*</footer>\n`)
)

// The pages of thirteen types are those of testdata/pages. After a change, look at them in a browser, and run
// `go test ./fetch/gateway -run Kinds -update`. The style sheet and the section "How was this fetched?" are omitted.
func TestKindsOfPages(t *testing.T) {
	l, list := kinds(t)
	for _, k := range list {
		_, body := l.ask(t, k.Path, nil)
		got := addresses.ReplaceAllString(unstable.ReplaceAllString(body, ""), "127.0.0.1${1}PORT")
		name := filepath.Join("testdata", "pages", k.Name+".html")
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
			t.Errorf("%s: got\n%s\nwant\n%s", k.Name, got, want)
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
				if k.Name == "error" && program == "lynx" {
					continue // lynx -dump shows no page with an error status
				}
				out, err := client.Run(t, program, "-dump", l.URL+k.Path)
				if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(k.Text), " ")) {
					t.Errorf("%s: got %v, want %q in\n%s", k.Name, err, k.Text, out)
				}
				rows := regexp.MustCompile(`(?m)^ *(a|history|README\.txt) `).FindAllStringSubmatchIndex(out, -1)
				for _, at := range rows {
					if k.Name == "ftp" && (len(rows) < 3 || at[2]-at[0] != rows[0][2]-rows[0][0]) {
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
		fmt.Fprintf(c, "GET %s HTTP/1.0\r\n\r\n", k.Path)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		c.Close()
		if err != nil || !strings.HasSuffix(string(body), "</html>\n") || resp.StatusCode >= 400 && k.Name != "error" {
			t.Errorf("%s: got %s, %v, %.200s", k.Name, resp.Status, err, body)
		}
	}
}
