package mirror_test

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// result is the result of a Run.
type result struct {
	sum  mirror.Summary
	err  error
	left int // copies
	gone []string
}

// deletes mirrors with Delete and a dry run before it.
func deletes(t *testing.T, root, dir string, o *mirror.Options) result {
	t.Helper()
	var r result
	with := mirror.Options{}
	if o != nil {
		with = *o
	}
	with.Delete, with.NoIndex, with.KeepLinks = true, true, true
	with.Done = func(e mirror.Event) {
		if e.Did == mirror.Deleted {
			r.gone = append(r.gone, e.Path)
		}
	}
	r.sum, r.err = mirror.Run(t.Context(), client(t), uri.MustParse(root), dir, &with)
	r.left = len(tree(t, dir))
	slices.Sort(r.gone)
	return r
}

// many is a tree of n files in d and one next to it.
func many(n int) map[string]string {
	all := map[string]string{"top.txt": "top"}
	for i := range n {
		all[fmt.Sprintf("d/%02d.txt", i)] = fmt.Sprint("text ", i)
	}
	return all
}

// TestDeleteNeedsTheServersWord: how an FTP server's replies about a directory affect the copies in it.
func TestDeleteNeedsTheServersWord(t *testing.T) {
	t.Parallel()
	vsftpd := map[string]string{"CWD d": "550 Failed to change directory.", "SIZE": "550 Could not get file size.",
		"MDTM": "550 Could not get file modification time.", "RETR": "550 Failed to open file."}
	for _, c := range []struct {
		name      string
		files     map[string]string
		faults    ftptest.Faults
		deleted   int64
		kept      int64
		failed    int64
		rootFails bool
	}{
		{name: "vsftpd does not say why", files: many(20), faults: ftptest.Faults{Reply: vsftpd}, kept: 20, failed: 1},
		{name: "vsftpd could not open the directory", files: many(20), faults: ftptest.Faults{
			Final: map[string]string{"LIST": "226 Transfer done (but failed to open directory).",
				"MLSD": "226 Transfer done (but failed to open directory)."}}, failed: 2, rootFails: true},
		{name: "pure-ftpd lists a part", files: many(20), faults: ftptest.Faults{
			Final: map[string]string{"LIST": "226-Output truncated to 2000 matches\r\n226 done",
				"MLSD": "226-Output truncated to 2000 matches\r\n226 done"}}, failed: 2, rootFails: true},
		{name: "the directory is empty, and its files are there no more", files: map[string]string{"top.txt": "top", "d/": ""}, deleted: 20},
		{name: "one name less", files: many(19), deleted: 1},
		{name: "the directory is not listed any more", files: many(0), deleted: 20},
		{name: "too busy", files: many(20), faults: ftptest.Faults{Reply: map[string]string{"CWD d": "450 Too busy"}}, kept: 20, failed: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := ftptest.NewServer(files(many(20)), &ftptest.Options{NoMLSD: true})
			root, addr := first.URL+"/", first.Addr
			dir := t.TempDir()
			run(t, root, dir, &mirror.Options{NoIndex: true})
			first.Close()
			site := files(c.files)
			if _, empty := c.files["d/"]; empty {
				delete(site, "d/")
				site["d"] = &fstest.MapFile{Mode: 0o755 | 1<<31}
			}
			second := ftptest.NewServer(site, &ftptest.Options{Addr: addr, Faults: &c.faults, NoMLSD: true})
			defer second.Close()
			before := tree(t, dir)
			dry := deletes(t, root, dir, &mirror.Options{DryRun: true, MaxDelete: &mirror.Bound{N: 100, Percent: true}})
			if !maps.Equal(before, tree(t, dir)) {
				t.Error("a dry run changed the directory")
			}
			r := deletes(t, root, dir, &mirror.Options{MaxDelete: &mirror.Bound{N: 100, Percent: true}})
			if r.err != nil || r.sum.Deleted != c.deleted || r.sum.Kept != c.kept || r.sum.Failed != c.failed || r.left != 21-int(c.deleted) {
				t.Errorf("got %d deleted, %d kept, %d failed, %d left, %v; want %d, %d, %d", r.sum.Deleted, r.sum.Kept, r.sum.Failed, r.left, r.err,
					c.deleted, c.kept, c.failed)
			}
			if !slices.Equal(dry.gone, r.gone) {
				t.Errorf("the dry run got %q, want %q", dry.gone, r.gone)
			}
			if c.rootFails && r.sum.First == nil {
				t.Error("got no error although the root failed")
			}
		})
	}
}

// TestMaxDelete: if more would be deleted than allowed, nothing is.
func TestMaxDelete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files int // at first, plus one
		now   int
		most  *mirror.Bound
		gone  int64
	}{
		{files: 20, now: 11, gone: 9},
		{files: 20, now: 9, gone: 0}, // 11 of 21
		{files: 9, now: 0, gone: 9},  // for ten copies there is no default bound
		{files: 20, now: 9, gone: 11, most: &mirror.Bound{N: 11}},
		{files: 20, now: 8, gone: 0, most: &mirror.Bound{N: 11}},
		{files: 20, now: 19, gone: 0, most: &mirror.Bound{N: 0}},
		{files: 4, now: 3, gone: 0, most: &mirror.Bound{N: 10, Percent: true}},
		{files: 9, now: 8, gone: 1, most: &mirror.Bound{N: 10, Percent: true}},
	} {
		site := files(many(c.files))
		f := ftptest.NewServer(site, nil)
		dir := t.TempDir()
		run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true})
		for i := c.now; i < c.files; i++ {
			delete(site, fmt.Sprintf("d/%02d.txt", i))
		}
		r := deletes(t, f.URL+"/", dir, &mirror.Options{MaxDelete: c.most})
		many, refused := errors.AsType[*mirror.TooManyError](r.err)
		if refused != (c.gone == 0) || r.sum.Deleted != c.gone || r.left != c.files+1-int(c.gone) {
			t.Errorf("%+v: got %d deleted, %d left, %v; want %d deleted", c, r.sum.Deleted, r.left, r.err, c.gone)
		}
		if refused && (many.Copies != int64(c.files-c.now) || fetch.KindOf(r.err) != fetch.ErrLocal) {
			t.Errorf("%+v: got %+v, %s; want a local TooManyError", c, many, fetch.KindOf(r.err))
		}
		if refused { // the pass is complete nevertheless
			if again := run(t, f.URL+"/", dir, nil); again.Resumed {
				t.Errorf("%+v: the pass was not ended", c)
			}
		}
		f.Close()
	}
}

func TestParseBound(t *testing.T) {
	for s, want := range map[string]string{"0": "0", "20": "20", "50%": "50%", "100%": "100%", "0%": "0%"} {
		if b, err := mirror.ParseBound(s); err != nil || b.String() != want {
			t.Errorf("%q: got %v, %v; want %q", s, b, err, want)
		}
	}
	for _, s := range []string{"", "%", "-1", "101%", "+5", "5 %", "half", "1e3", "99999999999999999999"} {
		if b, err := mirror.ParseBound(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, b)
		}
	}
}

// A hole is a gopher server that replies to each selector with the given text; "" closes the connection.
type hole struct {
	addr    string
	mu      sync.Mutex
	answers map[string]string
	all     *string // the reply to every selector
}

func newHole(t *testing.T) *hole {
	t.Helper()
	h := &hole{answers: map[string]string{}}
	h.addr = loopback.ForTest(t, h.serve)
	return h
}

func (h *hole) root() string { return "gopher://" + h.addr + "/" }

func (h *hole) serve(c net.Conn) {
	line := make([]byte, 256)
	n, _ := c.Read(line)
	selector, _, _ := strings.Cut(strings.TrimRight(string(line[:n]), "\r\n"), "\t")
	h.mu.Lock()
	text, ok := h.answers[selector]
	if h.all != nil {
		text, ok = *h.all, true
	}
	h.mu.Unlock()
	if !ok {
		text = "3'" + selector + "' does not exist\t\terror.host\t1\r\n.\r\n"
	}
	c.Write([]byte(text))
}

// menu returns a menu of n texts.
func (h *hole) menu(n int, end string) string {
	host, port, _ := net.SplitHostPort(h.addr)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "0text %d\t/%02d.txt\t%s\t%s\r\n", i, i, host, port)
	}
	return b.String() + end
}

// set sets a menu of n texts, of which the first some exist.
func (h *hole) set(n, some int, end string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers = map[string]string{"": h.menu(n, end), "robots.txt": "\r\n"}
	for i := range some {
		h.answers[fmt.Sprintf("/%02d.txt", i)] = "text\r\n.\r\n"
	}
}

// TestDeleteInGopher: a name missing in a menu counts only if the menu is complete.
func TestDeleteInGopher(t *testing.T) {
	const end = ".\r\n"
	for _, c := range []struct {
		name    string
		now     func(*hole)
		deleted int64
		kept    int64
		fails   bool
	}{
		{"too busy", func(h *hole) { s := "3Server too busy\tx\terror.host\t1\r\n.\r\n"; h.all = &s }, 0, 0, true},
		{"hangs up", func(h *hole) { s := ""; h.all = &s }, 0, 0, true},
		{"an error in the place of the texts", func(h *hole) {
			h.set(5, 5, "3The rest is not to be had\tx\terror.host\t1\r\n"+end)
			h.mu.Lock()
			defer h.mu.Unlock()
			for i := 5; i < 20; i++ {
				h.answers[fmt.Sprintf("/%02d.txt", i)] = "3Server too busy\tx\terror.host\t1\r\n"
			}
		}, 0, 15, false},
		{"truncated, and all are there", func(h *hole) { h.set(5, 20, "") }, 0, 15, false},
		{"truncated, and some are there", func(h *hole) { h.set(5, 18, "") }, 2, 13, false},
		{"information alone", func(h *hole) { h.set(0, 20, "iclosed for today\tx\terror.host\t1\r\n"+end) }, 0, 20, false},
		{"a whole menu", func(h *hole) { h.set(15, 20, end) }, 5, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHole(t)
			h.set(20, 20, end)
			dir := t.TempDir()
			run(t, h.root(), dir, &mirror.Options{NoIndex: true})
			c.now(h)
			r := deletes(t, h.root(), dir, nil)
			if r.err != nil || r.sum.Deleted != c.deleted || r.sum.Kept != c.kept || r.left != 21-int(c.deleted) {
				t.Errorf("got %d deleted, %d kept, %d left, %v; want %d, %d", r.sum.Deleted, r.sum.Kept, r.left, r.err, c.deleted, c.kept)
			}
			if c.fails != (r.sum.First != nil) {
				t.Errorf("got the first error %v, want another", r.sum.First)
			}
		})
	}
}

// TestDeleteInTheWeb: captive portals and empty responses delete nothing.
func TestDeleteInTheWeb(t *testing.T) {
	t.Parallel()
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

// TestRedirectKeepsTheCopy: a document that now redirects is not gone. When it is gone, its copy is deleted; when it comes back, it gets the
// same name.
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

// TestDeleteOfWhatBecameADirectory: a name that is listed with another type is not missing in the listing.
func TestDeleteOfWhatBecameADirectory(t *testing.T) {
	site := files(map[string]string{"x": "file", "y.txt": "y"})
	f := ftptest.NewServer(site, nil)
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true})
	delete(site, "x")
	maps.Copy(site, files(map[string]string{"x/in.txt": "in"}))
	r := deletes(t, f.URL+"/", dir, nil)
	if got := tree(t, dir); r.err != nil || got["x"] != "file" && r.sum.Deleted == 0 {
		t.Errorf("%+v, %v, %q", r.sum, r.err, got)
	}
	for _, name := range r.gone {
		if path.Base(name) != "x" {
			t.Errorf("%s was deleted", name)
		}
	}
}
