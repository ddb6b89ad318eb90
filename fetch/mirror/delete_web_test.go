package mirror_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/mirror"
)

// TestDeleteInTheWeb: captive portals and empty responses delete nothing.
func TestDeleteInTheWeb(t *testing.T) {
	long(t, "mirrors many times")
	pages := map[string]string{}
	index := ""
	for i := range 30 {
		pages[fmt.Sprintf("/%02d.txt", i)] = fmt.Sprint("text ", i)
		index += fmt.Sprintf("<a href=%02d.txt>x</a>\n", i)
	}
	pages["/"] = index
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }))
	defer elsewhere.Close()
	const login = "<html>log in</html>"
	html := func(w http.ResponseWriter, status int, text string) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		w.Write([]byte(text))
	}
	for _, c := range []struct {
		name    string
		answer  func(w http.ResponseWriter, r *http.Request)
		deleted int64
		kept    int64
		fails   bool
	}{
		{"empty 200", func(w http.ResponseWriter, r *http.Request) { html(w, 200, "") }, 0, 0, true},
		{"empty 200 of unknown length", func(w http.ResponseWriter, r *http.Request) { html(w, 200, ""); w.(http.Flusher).Flush() }, 0, 0, true},
		{"portal", func(w http.ResponseWriter, r *http.Request) { html(w, 200, login) }, 0, 30, false},
		{"portal of another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/login", http.StatusFound)
		}, 0, 0, true},
		{"the root redirects to another host", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, elsewhere.URL+"/", http.StatusFound)
				return
			}
			http.NotFound(w, r)
		}, 0, 0, true},
		{"the root redirects to a missing document", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/new/", http.StatusMovedPermanently)
				return
			}
			http.NotFound(w, r)
		}, 0, 0, true},
		{"documents redirect to another host that has none", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				html(w, 200, login)
				return
			}
			http.Redirect(w, r, elsewhere.URL+"/x", http.StatusFound)
		}, 0, 30, false},
		{"unavailable", func(w http.ResponseWriter, r *http.Request) { html(w, 503, login) }, 0, 0, true},
		{"no link and 404", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				html(w, 200, "<a href=29.txt>the last</a>")
				return
			}
			if r.URL.Path < "/20.txt" {
				html(w, 200, pages[r.URL.Path])
				return
			}
			http.NotFound(w, r)
		}, 10, 20, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var answer func(w http.ResponseWriter, r *http.Request)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch text, ok := pages[r.URL.Path]; {
				case r.URL.Path == "/robots.txt":
					http.NotFound(w, r)
				case answer != nil:
					answer(w, r)
				case !ok:
					http.NotFound(w, r)
				case r.URL.Path == "/":
					html(w, 200, text)
				default:
					w.Write([]byte(text))
				}
			}))
			defer s.Close()
			dir := t.TempDir()
			run(t, s.URL+"/", dir, &mirror.Options{NoIndex: true})
			before := tree(t, dir)
			answer = c.answer
			dry := deletes(t, s.URL+"/", dir, &mirror.Options{DryRun: true})
			r := deletes(t, s.URL+"/", dir, nil)
			if r.err != nil || r.sum.Deleted != c.deleted || r.sum.Kept != c.kept || r.left != 31-int(c.deleted) {
				t.Errorf("got %d deleted, %d kept, %d left, %v; want %d, %d", r.sum.Deleted, r.sum.Kept, r.left, r.err, c.deleted, c.kept)
			}
			if c.fails != (r.sum.First != nil) {
				t.Errorf("got the error %v, want one: %t", r.sum.First, c.fails)
			}
			if !slices.Equal(dry.gone, r.gone) {
				t.Errorf("the dry run got %q, want %q", dry.gone, r.gone)
			}
			for name, text := range tree(t, dir) {
				if text == "" && before[name] != "" {
					t.Errorf("%s was replaced by an empty document", name)
				}
			}
		})
	}
}

// TestRedirectKeepsTheCopy: a document that now redirects is not gone. When it is gone, its copy is deleted; when it comes back, it gets
// the same name.
func TestRedirectKeepsTheCopy(t *testing.T) {
	w := newWeb(t, map[string]string{"/": `<a href=a.txt>a</a><a href=c.html>c</a>`, "/a.txt": "a", "/b.txt": "b", "/c.html": "c",
		"/robots.txt": ""})
	dir := t.TempDir()
	run(t, w.root, dir, nil)
	w.pages["/a.txt"] = "->/b.txt"
	if r := deletes(t, w.root, dir, nil); r.err != nil || r.sum.Deleted != 0 || namesIn(t, dir) != "a.txt b.txt c.html index.html" {
		t.Errorf("got %+v, %v, %s; want err nil, Deleted 0 and namesIn(t, dir) \"a.txt b.txt c.html index.html\"",
			r.sum, r.err, namesIn(t, dir))
	}
	w.pages["/a.txt"] = "anew"
	if run(t, w.root, dir, nil); tree(t, dir)["a.txt"] != "anew" || len(tree(t, dir)) != 4 {
		t.Errorf("%q", tree(t, dir))
	}
	w.pages["/a.txt"] = "->/b.txt"
	run(t, w.root, dir, nil)
	w.pages["/"] = `<a href=b.txt>b</a><a href=c.html>c</a>`
	delete(w.pages, "/a.txt")
	if r := deletes(t, w.root, dir, nil); r.err != nil || r.sum.Deleted != 1 || namesIn(t, dir) != "b.txt c.html index.html" {
		t.Errorf("got %+v, %v, %s; want err nil, Deleted 1 and namesIn(t, dir) \"b.txt c.html index.html\"",
			r.sum, r.err, namesIn(t, dir))
	}
}

// TestDeleteProbesWithPassword: probes send the password of the root, which the manifest does not contain.
func TestDeleteProbesWithPassword(t *testing.T) {
	there := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case password != "hush":
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(401)
		case r.URL.Path == "/" && there:
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<a href=a.txt>a</a>"))
		case r.URL.Path == "/" || there:
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("text"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	root := strings.Replace(s.URL, "//", "//u:hush@", 1) + "/"
	dir := t.TempDir()
	run(t, root, dir, nil)
	there = false
	if r := deletes(t, root, dir, nil); r.err != nil || r.sum.Deleted != 1 {
		t.Errorf("got %+v, %v; want err nil and Deleted 1", r.sum, r.err)
	}
}
