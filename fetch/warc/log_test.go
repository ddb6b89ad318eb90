package warc_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// The log is the last record of each file and has a line for each request, every hop of a redirect and every failure, without secrets.
func TestLog(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/one":
			http.Redirect(w, r, "/two", http.StatusFound)
		case "/missing":
			http.Error(w, "no S3cr3t-Pa55", http.StatusNotFound)
		default:
			io.WriteString(w, "a document\n")
		}
	})
	dir := t.TempDir()
	uris := []string{strings.Replace(page, "http://", "http://anne:S3cr3t-Pa55@", 1) + "/one", page + "/missing", ftpSite(t) + "/pub/nonesuch", "gopher://gopher.invalid/"}
	capture(t, filepath.Join(dir, "a.warc"), &warc.Options{Log: true}, nil, uris...)
	all := records(t, filepath.Join(dir, "a.warc"))
	last := all[len(all)-1]
	if last.Type() != "metadata" || last.MediaType() != warc.LogType || last.Target() != "urn:log:a.warc" || last.Fields.Get("WARC-Block-Digest") == "" {
		t.Fatalf("got %v, want the log as the last record", last.Fields)
	}
	lines := strings.Split(strings.TrimSuffix(last.block, "\n"), "\n")
	for i, want := range []string{
		`begin\tseconds\tresult\tstatus\tbytes\turi\terror`,
		`DATE\t\d+\.\d{3}\twhole\t302\t\d+\thttp://.*/one\t`,
		`DATE\t\d+\.\d{3}\twhole\t200\t11\thttp://[^@]*/two\t`,
		`DATE\t\d+\.\d{3}\tnotfound\t404\t15\thttp://[^@]*/missing\t.*404.*`,
		`DATE\t\d+\.\d{3}\tnotfound\t-\t0\tftp://.*/pub/nonesuch\tRETR nonesuch: 550.*`,
		`DATE\t\d+\.\d{3}\tdns\t-\t0\tgopher://gopher.invalid/\t.+`,
	} {
		want = "^" + strings.ReplaceAll(want, "DATE", `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`) + "$"
		if i >= len(lines) || !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d: got %q, want %s", i, lines[min(i, len(lines)-1)], want)
		}
	}
	if len(lines) != 6 || strings.Contains(last.block, "S3cr3t") {
		t.Errorf("got %d lines, want 6 without the password:\n%s", len(lines), last.block)
	}
}

// Each file of a series has a serial number, a warcinfo record, and the log of its own requests.
func TestSeries(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the document at "+r.URL.Path) })
	dir := t.TempDir()
	capture(t, filepath.Join(dir, "a.warc.gz"), &warc.Options{Log: true, Size: 1, Info: []warc.Field{{Name: "operator", Value: "Anne"}}}, nil, page+"/0", page+"/1", page+"/2")
	for i, name := range []string{"a-00000.warc.gz", "a-00001.warc.gz", "a-00002.warc.gz"} {
		all := records(t, filepath.Join(dir, name))
		if got := types(all); got != "warcinfo response request metadata" {
			t.Fatalf("%s: got %s, want warcinfo, the exchange and the log", name, got)
		}
		if got := all[0].Fields.Get("WARC-Filename"); got != name || !strings.Contains(all[0].block, "operator: Anne\r\n") {
			t.Errorf("%s: got the description of %s, %q", name, got, all[0].block)
		}
		if got, want := all[3].block, page+"/"+string(rune('0'+i))+"\t"; strings.Count(got, "http://") != 1 || !strings.Contains(got, want) || all[3].Target() != "urn:log:"+name {
			t.Errorf("%s: got %s %q, want the one request of %s", name, all[3].Target(), got, want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("got %d files, want 3", len(left))
	}
}

// A field that would end its line or replace one of the program's is refused before there is a file.
func TestInfo(t *testing.T) {
	for _, c := range []struct {
		f  warc.Field
		ok bool
	}{
		{warc.Field{Name: "operator", Value: "Anne"}, true},
		{warc.Field{Name: "description", Value: "a=b: Köln\tx"}, true},
		{warc.Field{Name: "operator", Value: "a\r\nsoftware: b"}, false},
		{warc.Field{Name: "operator", Value: "a\rb"}, false},
		{warc.Field{Name: "operator", Value: "a\x00b"}, false},
		{warc.Field{Name: "operator", Value: "\xff"}, false},
		{warc.Field{Name: "operator"}, false},
		{warc.Field{Value: "x"}, false},
		{warc.Field{Name: "a b", Value: "x"}, false},
		{warc.Field{Name: "a\nb", Value: "x"}, false},
		{warc.Field{Name: "a:b", Value: "x"}, false},
		{warc.Field{Name: "Köln", Value: "x"}, false},
		{warc.Field{Name: "Software", Value: "x"}, false},
		{warc.Field{Name: "format", Value: "x"}, false},
		{warc.Field{Name: "conformsTo", Value: "x"}, false},
		{warc.Field{Name: "WARC-Type", Value: "response"}, false},
		{warc.Field{Name: "content-length", Value: "1"}, false},
	} {
		name := filepath.Join(t.TempDir(), "a.warc")
		w, err := warc.Create(name, &warc.Options{Info: []warc.Field{c.f}})
		if err == nil {
			err = w.Close()
		} else if _, serr := os.Stat(name + warc.Unfinished); !errors.Is(serr, fs.ErrNotExist) {
			t.Errorf("%+v: got a file, want none", c.f)
		}
		if (err == nil) != c.ok {
			t.Errorf("%+v: got %v, want ok %t", c.f, err, c.ok)
		}
	}
}

// TestNoCredentials searches an archive for secrets in every form in which protocols send them. They come from the URI, from Logins (netrc)
// and from settings, and servers repeat them in their headers. A document is archived verbatim even if it repeats a secret; Client.Repeated
// is called then.
func TestNoCredentials(t *testing.T) {
	const password, token = "s3cret-Pa55", "t0ken-Abcdef"
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		if _, p, _ := r.BasicAuth(); p != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
			return
		}
		w.Header().Set("X-Said", r.Header.Get("Authorization")+" "+password)
		w.Header().Set("ETag", `"`+password+`"`)
		io.WriteString(w, r.Header.Get("Authorization")+r.Header.Get("Cookie")+password)
	})
	files, err := ftptest.Listen(fstest.MapFS{"a.txt": {Data: []byte("a")}},
		&ftptest.Options{Users: map[string]ftptest.User{"anne": {Password: password, Home: "/"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	name := filepath.Join(t.TempDir(), "a.warc")
	w, c := recorderOf(t, name, nil)
	defer c.Close()
	repeated := 0
	c.Repeated = func(uri.URI) { repeated++ }
	named := strings.Replace(page, "http://", "http://anne:"+password+"@", 1)
	document, err := read(c, named+"/")
	if err != nil || !strings.Contains(document, password) {
		t.Fatalf("got %q, %v; want a document with the password", document, err)
	}
	if repeated != 1 {
		t.Errorf("the Client is told %d times that a document repeats a password, want 1", repeated)
	}
	if _, err := read(c, strings.Replace(files.URL, "ftp://", "ftp://anne:"+password+"@", 1)+"/a.txt"); err != nil {
		t.Error(err)
	}
	if _, err := read(c, strings.Replace(files.URL, "ftp://", "ftp://anne:wrong"+password+"@",
		1)+"/a.txt"); fetch.KindOf(err) != fetch.ErrAuth {
		t.Errorf("got %v, want ErrAuth", err)
	}
	d, err := c.Get(t.Context(), uri.MustParse(page+"/"), &fetch.Options{Set: map[string][]string{"http.credential-header": {"Cookie: " +
		token, "Authorization: Bearer " + token}}})
	if fetch.KindOf(err) != fetch.ErrAuth {
		t.Errorf("got %v, %v; want ErrAuth", d, err)
	}
	finish(t, w)
	b := contentOf(t, name)
	all := string(b)
	if n := strings.Count(all, "\r\n\r\n"+document); n != 1 {
		t.Errorf("the document is in the archive %d times, want 1", n)
	}
	all = strings.Replace(all, document, "", 1)
	for _, s := range []string{"Authorization: ***\r\n", "Cookie: ***\r\nAuthorization: ***\r\n", "PASS ***"} {
		if !strings.Contains(all, s) {
			t.Errorf("no %q in the archive: the request is missing", s)
		}
	}
	for _, s := range []string{password, token, base64.StdEncoding.EncodeToString([]byte("anne:" + password))} {
		if i := strings.Index(all, s); i >= 0 {
			t.Errorf("%q is in the archive: got %q, want i < 0", s, all[max(0, i-200):min(len(all), i+100)])
		}
	}
}

// With HideCookies, no value of Set-Cookie is in the archive, in short and long responses, and everything else is unchanged.
func TestHideCookies(t *testing.T) {
	for _, length := range []int{10, 600 << 10} {
		text := strings.Repeat("x", length)
		page := web(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(length))
			w.Header()["set-cookie"] = []string{"id=s3cret; Path=/", "other=s3cret"}
			w.Header().Set("X-After", "kept")
			io.WriteString(w, text)
		})
		folded := raw(t, "HTTP/1.1 200 OK\r\nSet-Cookie2:\r\n\tid=s3cret\r\nX-After: kept\r\n\r\n"+text)
		for _, u := range []string{page + "/", folded + "/"} {
			name := filepath.Join(t.TempDir(), "a.warc")
			capture(t, name, &warc.Options{HideCookies: true}, nil, u)
			all := records(t, name)
			if got := types(all); got != "warcinfo response request" {
				t.Fatalf("%s: got %s, want a response and its request", u, got)
			}
			if block := all[1].block; strings.Contains(block, "s3cret") || !strings.Contains(block, "X-After: kept\r\n") ||
				!strings.Contains(strings.ToLower(block), "set-cookie") || !strings.HasSuffix(block, text) {
				t.Errorf("%s: got %.200q, want Set-Cookie without its value", u, block)
			}
			checked(t, name)
		}
	}
	for _, end := range []string{"Content-Length: 9\r\n\r\nhalf", "Content-Le"} {
		name := filepath.Join(t.TempDir(), "cut.warc")
		capture(t, name, &warc.Options{HideCookies: true}, nil, raw(t, "HTTP/1.1 200 OK\r\nSet-Cookie: id=s3cret\r\n"+end)+"/")
		if all := string(contentOf(t, name)); strings.Contains(all, "s3cret") || !strings.Contains(all, "Set-Cookie: *") || !strings.Contains(all, "# outcome: truncated\n") {
			t.Errorf("a response that ends in %q: got %s, want an outcome without the value of Set-Cookie", end, all)
		}
	}
}
