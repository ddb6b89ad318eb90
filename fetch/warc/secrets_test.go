package warc_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

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
}
