package testservers

import (
	"crypto/tls"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/schemes"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// New users first try the table of `deref serve`: each row names a document or a session.
func TestSamplesExist(t *testing.T) {
	t.Parallel()
	servers, err := Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer Stop(servers)
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for _, s := range servers {
		seen := map[string]bool{}
		for _, path := range s.Samples() {
			if seen[path] {
				t.Errorf("got %s%s twice, want it once", s.URL, path)
			}
			seen[path] = true
			u, err := uri.Parse(s.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			if s.Scheme == "gemini" {
				continue // the certificate is the server's own
			}
			d, err := c.Get(t.Context(), u, nil)
			if err != nil {
				t.Errorf("%s: got %v, want a document", u, err)
				continue
			}
			d.Body.Close()
		}
	}
}

// The lesson of the gateway shows when each protocol was first specified. The specification of nex has no date.
func TestYears(t *testing.T) {
	for _, s := range Servers() {
		if got, known := YearOf(s.Scheme), s.Scheme != "nex" && s.Scheme != "smtp"; known && (got < 1969 || got > 2021) || !known && got != 0 {
			t.Errorf("%s: got the year %d, want one only if its specification has it", s.Scheme, got)
		}
	}
}

// Each test server of a scheme has a row, so that `deref serve` and `deref demo` have it.
func TestEveryServerHasARow(t *testing.T) {
	source, err := os.ReadFile("servers.go")
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join("..", "..", "..", "schemes", "*", "*test"))
	if err != nil || len(dirs) < 15 {
		t.Fatalf("got %d directories of servers and %v, want at least 15", len(dirs), err)
	}
	for _, dir := range dirs {
		if filepath.Base(filepath.Dir(dir)) == "internal" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(dir), "test")
		if !strings.Contains(string(source), "/"+filepath.Base(dir)+`"`) {
			t.Errorf(`no row for %s: add {%q, PORT, start%s%s, []try{{path: "/images/bytes.bin", file: "images/bytes.bin"}}} to Servers`, filepath.ToSlash(dir), name,
				strings.ToUpper(name[:1]), name[1:])
		}
	}
}

// oldNames are names in KOI8-R, Latin-1, Shift_JIS (whose second byte is a backslash) and CP866, with the contents of their files.
func oldNames() map[string]string {
	return map[string]string{
		"\xf0\xe5\xe7.txt": "text koi8", "caf\xe9.txt": "text latin1 small", "caf\xea.txt": "text latin1 other", "\x95\x5c.txt": "text shift_jis",
		"\x8f\x90.txt": "text cp866", "sub\xff/in\xfe.txt": "text nested", "plain.txt": "text ascii", "\u00e9.txt": "text utf8", "a%41 b.txt": "text percent",
	}
}

// treeOf writes files into a directory. It skips the test if the file system wants UTF-8.
func treeOf(t *testing.T, files map[string]string) string {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "freebsd" {
		t.Skip("the file system has only names in UTF-8")
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
			t.Skip(err)
		}
	}
	return dir
}

// Every name that a server lists can be requested from it.
func TestOldNamesAreServed(t *testing.T) {
	t.Parallel()
	site, err := OpenTree(treeOf(t, oldNames()))
	if err != nil {
		t.Fatal(err)
	}
	servers, err := Start(site, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer Stop(servers)
	c := fetch.New(schemes.All(nil)...)
	c.TLS = &tls.Config{InsecureSkipVerify: true} // geminitest signs its own certificate
	defer c.Close()
	for _, s := range servers {
		if strings.Contains("telnet rlogin tn3270 smtp imap news", s.Scheme) { // they do not serve the files by name
			continue
		}
		var got strings.Builder
		for _, path := range startPaths(s.Scheme) {
			crawl(t, c, uri.MustParse(s.URL+path), 2, &got)
		}
		for name, text := range oldNames() {
			n := strings.Count(got.String(), text)
			if n == 0 || n > 1 && (s.Scheme == "dict" || s.Scheme == "cso") { // they compare names in lower case
				t.Errorf("%s: got %q %d times, want it once", s.Scheme, name, n)
			}
		}
	}
}

// startPaths returns the paths from which the files are reached: those of the files if the protocol has no links.
func startPaths(scheme string) (list []string) {
	switch scheme {
	case "prospero":
		return []string{"/AFTP"}
	case "ldap":
		return []string{"/o=site??sub", "/cn=caf%25E9.txt,o=site?data"}
	case "wais":
		return []string{"/site?text"}
	}
	for name := range oldNames() {
		switch escaped := string(uri.Segment.Escape(uri.RFC3986, name)); scheme {
		case "finger", "whois":
			list = append(list, "/"+escaped)
		case "cso":
			pattern, _, _ := strings.Cut(strings.ReplaceAll(escaped, "/", "%2F"), "%20") // a query is words
			list = append(list, "/alias="+pattern+"*%20return%20text")
		case "dict":
			word, _, _ := strings.Cut(string(uri.Segment.Escape(uri.RFC3986, filepath.Base(name))), ".txt")
			list = append(list, "/d:"+word+":*")
		case "snmp":
			list = append(list, "//"+snmptest.OID(name))
		default:
			return []string{"/"}
		}
	}
	return list
}

// crawl fetches u and what it links to, and adds the texts to got.
func crawl(t *testing.T, c *fetch.Client, u uri.URI, depth int, got *strings.Builder) {
	t.Helper()
	d, err := c.Get(t.Context(), u, nil)
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return
	}
	defer d.Body.Close()
	var next []uri.URI
	if answers := u.Scheme() == "dict" || u.Scheme() == "cso"; !answers && d.Entries != nil || strings.HasPrefix(d.Type, "text/html") {
		for e, err := range render.Links(d, htmltext.Links) {
			if err != nil {
				t.Errorf("%s: %v", u, err)
				return
			}
			next = append(next, e.URI)
			for _, v := range e.Attr["data"] { // of ldap
				got.WriteString(v)
			}
		}
	} else {
		b, err := io.ReadAll(d.Body)
		if err != nil {
			t.Errorf("%s: %v", u, err)
		}
		got.Write(b)
	}
	if depth > 0 {
		for _, n := range next {
			crawl(t, c, n, depth-1, got)
		}
	}
}
