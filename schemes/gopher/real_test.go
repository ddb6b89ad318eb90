package gopher

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/uri"
)

// A realCase is a URI to dereference from third-party servers, and the file of the lab that it names.
type realCase struct {
	path, want string
	kind       fetch.Kind
}

func realCases() []realCase {
	return []realCase{
		{path: "/0/README.txt", want: "pub/README.txt"},
		{path: "/0README.txt", want: "pub/README.txt"}, // no slash in the selector
		{path: "/9/bytes.bin", want: "pub/bytes.bin"},
		{path: "/9/iac.bin", want: "pub/iac.bin"},
		{path: "/g/pixel.gif", want: "pub/pixel.gif"},
		{path: "/I/pixel.png", want: "pub/pixel.png"},
		{path: "/0/latin1.txt", want: "pub/latin1.txt"},
		{path: "/0/utf8.txt", want: "pub/utf8.txt"},
		{path: "/0/dots.txt", want: "pub/dots.txt"},
		{path: "/0/longline.txt", want: "pub/longline.txt"},
		{path: "/0/big.txt", want: "pub/big.txt"},
		{path: "/00", want: "pub/0"},
		{path: "/000", want: "pub/00"},
		{path: "/0/a%20dir/b%20dir/c%20d.txt", want: "pub/a dir/b dir/c d.txt"},
		{path: "/0/a#040dir/b#040dir/c#040d.txt", kind: fetch.ErrNotFound}, // a fragment, not gophernicus's space
		{path: "/0/missing", kind: fetch.ErrNotFound},
		{path: "/1/missing/", kind: fetch.ErrNotFound},
		{path: "/9/missing", kind: fetch.ErrNotFound},
		{path: "/0/empty.txt", kind: fetch.ErrTruncated},
		{path: "/hURL:http://127.0.0.1/", kind: fetch.ErrRedirect},
	}
}

func TestRealServers(t *testing.T) {
	for _, name := range []string{"gophernicus", "pygopherd"} {
		t.Run(name, func(t *testing.T) {
			addr := lab.Server(t, name)
			for _, tt := range realCases() {
				d, body, err := get(t, "gopher://"+addr+tt.path, nil)
				if fetch.KindOf(err) != tt.kind {
					t.Errorf("%s: got %v, want kind %q", tt.path, err, tt.kind)
				}
				if err != nil {
					continue
				}
				want := string(lab.Read(t, tt.want))
				if name == "gophernicus" && strings.HasPrefix(d.Type, "text/") {
					want, body = gophernicusText(want), strings.ReplaceAll(body, "\r\n", "\n")
				}
				if body != want {
					t.Errorf("%s: got %d bytes, want %d", tt.path, len(body), len(want))
				}
			}
		})
	}
}

// gophernicusText returns a text as gophernicus sends it, except for CR LF.
//
// QUIRK: gophernicus 3.1.1 turns Latin-1 into UTF-8 and cuts long lines in pieces (seen).
func gophernicusText(s string) string {
	if !utf8.ValidString(s) {
		s = uri.RFC1738.Text(s)
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		for len(line) > gophernicusLine {
			b.WriteString(line[:gophernicusLine] + "\n")
			line = line[gophernicusLine:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// gophernicusLine is the length of the longest line that it sends.
const gophernicusLine = 1023

// The lab's menu has an item of every kind.
func TestRealMenus(t *testing.T) {
	for _, name := range []string{"gophernicus", "pygopherd"} {
		t.Run(name, func(t *testing.T) {
			addr := lab.Server(t, name)
			_, port, _ := net.SplitHostPort(addr)
			got := kinds(t, client(), "gopher://"+addr+"/1/menu")
			for _, want := range []string{
				`text "Lab menu"`, `file "A text file" gopher://` + addr + `/0/README.txt text/plain`, `session "CSO" cso://127.0.0.1/`,
				`file "Name with spaces" gopher://` + addr + `/0/name%20with%20spaces.txt text/plain`,
				`search "Search" gopher://` + addr + `/7/cgi-bin/search application/gopher-menu`,
				`text "An error item" item=["3"]`, `file "Unknown type" gopher://` + addr + `/Z/README.txt text/plain`,
			} {
				if !slices.Contains(got, want) {
					t.Errorf("port %s: %s is not in\n%s", port, want, strings.Join(got, "\n"))
				}
			}
			for _, path := range []string{"/7/cgi-bin/search?two+words", "/7/cgi-bin/search%09two%20words"} {
				want := `text "You asked for [two words]"`
				if got := kinds(t, client(), "gopher://"+addr+path); !slices.Contains(got, want) || len(got) != 2 {
					t.Errorf("%s: got %q, want two entries with %q", path, got, want)
				}
			}
		})
	}
}

func kinds(t *testing.T, c *fetch.Client, s string) (list []string) {
	t.Helper()
	for e, err := range c.Entries(t.Context(), uri.MustParse(s), nil) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, show(e))
	}
	return list
}

// The URI of every entry of a directory is that of its file, also for names with special characters.
func TestRealNames(t *testing.T) {
	for _, name := range []string{"gophernicus", "pygopherd"} {
		addr := lab.Server(t, name)
		d, err := client().Get(t.Context(), uri.MustParse("gopher://"+addr), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for e, err := range d.Entries {
			if err != nil {
				t.Fatal(err)
			}
			skip := func(prefix string) bool { return strings.HasPrefix(e.Title, prefix) }
			if e.Kind != fetch.KindFile || skip("empty") || skip("random") || skip("what?") {
				continue // QUIRK: gophernicus 3.1.1 lists files with a question mark in the name, but does not find them (observed)
			}
			if _, _, err := get(t, e.URI.String(), nil); err != nil && !errors.Is(err, fetch.ErrRefused) {
				t.Errorf("%s: %s: got %v, want the file or %s", e.Title, e.URI, err, fetch.ErrRefused)
			}
			n++
		}
		d.Body.Close()
		if n < 20 {
			t.Errorf("got %d files, want at least 20", n)
		}
	}
}

func TestRealTLS(t *testing.T) {
	addr := lab.Server(t, "gophernicus")
	host, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	u := uri.MustParse("gophers://" + net.JoinHostPort(host, strconv.Itoa(n+1)) + "/9/bytes.bin")
	c := client()
	if _, err := c.Get(t.Context(), u, nil); !errors.Is(err, fetch.ErrTLS) {
		t.Errorf("an unknown authority: got %v, want %s", err, fetch.ErrTLS)
	}
	c = client()
	c.TLS = lab.TLS(t)
	d, err := c.Get(t.Context(), u, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	body, err := io.ReadAll(d.Body)
	if err != nil || !bytes.Equal(body, lab.Read(t, "pub/bytes.bin")) {
		t.Errorf("got %d bytes, %v, want pub/bytes.bin", len(body), err)
	}
}

func TestRealGopherPlus(t *testing.T) {
	u := "gopher://" + lab.Server(t, "pygopherd")
	want := string(lab.Read(t, "pub/README.txt"))
	for _, path := range []string{"/0/README.txt%09%09+", "/0/README.txt%09+", "/0/README.txt%09%09+text/plain"} {
		d, body, err := get(t, u+path, nil)
		if err != nil || body != want || d.End != fetch.EndDeclared || d.Size != int64(len(want)) {
			t.Errorf("%s: got %q, %v, %+v, want %q with its length", path, body, err, d, want)
		}
	}
	d, body, err := get(t, u+"/0/README.txt", &fetch.Options{Accept: []string{"text/plain"}})
	if err != nil || body != want || d.Modified.Year() != 2024 || d.TypeReason != "Gopher+ view text/plain" {
		t.Errorf("view: got %q, %v, %+v, want %q of 2024 in text/plain", body, err, d, want)
	}
	d, _, err = get(t, u+"/0/README.txt", &fetch.Options{Op: fetch.Metadata})
	if err != nil || !strings.Contains(d.Header.Get("Admin"), "Pygopherd Admin") || len(d.Header["Views"]) != 1 {
		t.Errorf("attributes: got %v, %+v, want Admin and one view", err, d)
	}
	for _, path := range []string{"/0/missing%09%09+", "/0/missing%09%09!"} {
		if _, _, err := get(t, u+path, nil); !errors.Is(err, fetch.ErrNotFound) {
			t.Errorf("%s: got %v, want %s", path, err, fetch.ErrNotFound)
		}
	}
	if got := kinds(t, client(), u+"/1/menu%09%09$"); len(got) < 15 || !strings.Contains(got[1], "admin=") {
		t.Errorf("all attributes: got %q, want at least 15 items with admin", got)
	}
}

func TestRealPlainServerIsNoticed(t *testing.T) {
	u := "gopher://" + lab.Server(t, "gophernicus")
	_, body, err := get(t, u+"/0/README.txt", &fetch.Options{Accept: []string{"text/html"}})
	if err != nil || !strings.HasPrefix(body, "This is the lab.") {
		t.Errorf("got %q, %v, want the README", body, err)
	}
	d, body, err := get(t, u+"/0/README.txt", &fetch.Options{Op: fetch.Metadata})
	if err != nil || body != "" || d.Type != "text/plain" {
		t.Errorf("got %q, %v, %+v, want no body, text/plain", body, err, d)
	}
}

func TestRealBigBinary(t *testing.T) {
	const want = "9ec9f885" // the lab's README
	for _, name := range []string{"gophernicus", "pygopherd"} {
		d, err := client().Get(t.Context(), uri.MustParse("gopher://"+lab.Server(t, name)+"/9/random64m.bin"), nil)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		n, err := io.Copy(h, d.Body)
		d.Body.Close()
		if got := hex.EncodeToString(h.Sum(nil)); err != nil || n != 64<<20 || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %d bytes, SHA-256 %s, %v, want %d, %s...", name, n, got, err, 64<<20, want)
		}
	}
}
