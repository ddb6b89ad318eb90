//go:build amd64

package faults

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/testdata"
)

// serve starts the servers, and returns a replacer of $NAME by their addresses.
func serve(t *testing.T) *strings.Replacer {
	list, err := testservers.Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { testservers.Stop(list) })
	web := httptest.NewServer(website())
	t.Cleanup(web.Close)
	var names []string
	for _, l := range list {
		name := "$" + strings.ToUpper(l.Scheme)
		names = append(names, name+"_HOST", l.URL[strings.LastIndexAny(l.URL, "/@")+1:], name, l.URL)
	}
	return strings.NewReplacer(append(names, "$WEB", web.URL)...)
}

func website() http.Handler {
	file := func(text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: time.Unix(1e9, 0)}
	}
	var site fs.FS = fstest.MapFS{
		"small": file(small),
		"large": file(large()),
		"index.html": file(`<!DOCTYPE html><title>Index</title><link rel="stylesheet" href="style.css"><a href="page.html">a page</a>` + "\n" +
			`<a href="small">small</a> <a href="large">large</a>` + "\n"),
		"page.html":  file(`<!DOCTYPE html><title>Page</title><a href="./">back</a>` + "\n"),
		"style.css":  file("body { color: black }\n"),
		"robots.txt": file("User-agent: *\nDisallow: /private/\n"),
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(site))
	mux.Handle("/moved", http.RedirectHandler("/small", http.StatusMovedPermanently))
	mux.HandleFunc("/cookie", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "visited", Value: "yes", Expires: time.Unix(4e9, 0)})
		http.ServeFileFS(w, r, site, "small")
	})
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != secret {
			w.Header().Set("WWW-Authenticate", `Basic realm="site"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		http.ServeFileFS(w, r, site, "small")
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) { // complete only from the middle on
		w.Header().Set("ETag", `"cut"`)
		if r.Header.Get("Range") != "" {
			http.ServeContent(w, r, "cut", time.Unix(1e9, 0), strings.NewReader(large()))
			return
		}
		w.Header().Set("Content-Length", "327680")
		w.Header().Set("Accept-Ranges", "bytes")
		w.Write([]byte(large()[:200_000]))
	})
	return mux
}

// visit requests a document, and returns it if it is whole.
func visit(url string) string {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	r, err := c.Get(url)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return ""
	}
	return string(text)
}
