package mirror_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

// A web is a site of pages, which counts what it is asked for. A page that begins with "->" leads on.
type web struct {
	root  string
	mu    sync.Mutex
	pages map[string]string
	asked map[string]int
}

func newWeb(t *testing.T, pages map[string]string) *web {
	w := &web{pages: pages, asked: map[string]int{}}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	w.root = s.URL
	return w
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.RequestURI()]++
	text, ok := s.pages[r.URL.RequestURI()]
	to, leads := strings.CutPrefix(text, "->")
	tag := fmt.Sprintf("%q", hash(text)[:8])
	switch {
	case !ok:
		http.NotFound(w, r)
	case leads:
		http.Redirect(w, r, to, http.StatusMovedPermanently)
	case r.Header.Get("If-None-Match") == tag:
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Header().Set("Etag", tag)
		kind := "text/html"
		if strings.Contains(r.URL.Path, ".txt") {
			kind = "text/plain"
		}
		w.Header().Set("Content-Type", kind)
		w.Write([]byte(text))
	}
}

// count returns how often each URI was asked for, and forgets it.
func (s *web) count() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.asked
	s.asked = map[string]int{}
	return was
}

func namesIn(t *testing.T, dir string) string {
	t.Helper()
	return strings.Join(slices.Sorted(maps.Keys(tree(t, dir))), " ")
}

func pattern(t *testing.T, list ...string) (all []mirror.Pattern) {
	t.Helper()
	for _, s := range list {
		p, err := mirror.ParsePattern(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestWhatIsTaken(t *testing.T) {
	other := newWeb(t, map[string]string{"/far.txt": "far"})
	otherHost := "elsewhere/http/" + strings.Replace(strings.TrimPrefix(other.root, "http://"), ":", "_", 1)
	w := newWeb(t, map[string]string{
		"/d/":            `<a href=a.html>a</a><a href="/up.txt">up</a><img src="p.gif?x=1/2"><form action="act"></form><a href="` + other.root + `/far.txt">`,
		"/d/a.html":      `<a href="b.html#x">b</a>`,
		"/d/b.html":      `<a href="c/d.txt">c</a><a href="mailto:a@b"></a><a href="file:///etc/passwd"></a><a href="c/d.dat"></a>`,
		"/d/c/d.txt":     "d",
		"/d/c/d.dat":     "dat",
		"/d/p.gif?x=1/2": "gif",
		"/up.txt":        "up",
		"/robots.txt":    "User-agent: *\nDisallow: /d/c/d.dat\nCrawl-delay: nonsense\n",
	})
	for _, test := range []struct {
		name string
		o    mirror.Options
		want string
	}{
		{"all", mirror.Options{}, "d/a.html d/b.html d/c/d.txt d/index.html d/p.gif@x=1_2 up.txt"},
		{"without robots", mirror.Options{IgnoreRobots: true, NoParent: true}, "a.html b.html c/d.dat c/d.txt index.html p.gif@x=1_2"},
		{"no parent", mirror.Options{NoParent: true}, "a.html b.html c/d.txt index.html p.gif@x=1_2"},
		{"depth", mirror.Options{Depth: 1}, "d/a.html d/index.html d/p.gif@x=1_2 up.txt"},
		{"the root alone", mirror.Options{Depth: -1}, "d/index.html"},
		{"span hosts", mirror.Options{SpanHosts: true}, "d/a.html d/b.html d/c/d.txt d/index.html d/p.gif@x=1_2 " + otherHost + "/far.txt up.txt"},
		{"exclude a name", mirror.Options{Exclude: pattern(t, "*.gif*")}, "d/a.html d/b.html d/c/d.txt d/index.html up.txt"},
		{"exclude a folder", mirror.Options{Exclude: pattern(t, "d/c")}, "d/a.html d/b.html d/index.html d/p.gif@x=1_2 up.txt"},
		{"exclude by expression", mirror.Options{Exclude: pattern(t, `re:/[ab]\.html$`)}, "d/index.html d/p.gif@x=1_2 up.txt"},
		{"include", mirror.Options{Include: pattern(t, "*.txt")}, "d/c/d.txt up.txt"},
		{"number", mirror.Options{Number: 2}, "d/a.html d/index.html"},
		{"long", mirror.Options{URILength: len(w.root) + 9}, "d/a.html d/b.html d/index.html up.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.NoIndex = true
			dir := t.TempDir()
			run(t, w.root+"/d/", dir, &test.o)
			if got := namesIn(t, dir); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
			for u, n := range w.count() {
				if n > 1 || u == "/d/act" {
					t.Errorf("%s was asked for %d times", u, n)
				}
			}
		})
	}
}

// TestTrapsEnd: a site without an end, and one of folders that lead into themselves.
func TestTrapsEnd(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="down/">x</a> <a href="x/y/">z</a>`)
	}))
	defer s.Close()
	sum := run(t, s.URL+"/", t.TempDir(), nil)
	if sum.Saved < 10 || sum.Saved > 5000 || sum.LeftOut == 0 {
		t.Errorf("%+v", sum)
	}
}

func TestLinksLeadToLocalCopies(t *testing.T) {
	w := newWeb(t, map[string]string{
		"/":           "<a href=\"/a/\">a</a> <a href='a/x.html#f' >same</a> <A HREF=/q?b=1&amp;c=2>q</A>\r\n<a href=\"gone.html\">\xe9</a> <a href=old>o</a> <form action=/post></form>",
		"/a/":         `<base href="/b/"><a href="y.txt">y</a><a href="#here"></a>`,
		"/a/x.html":   `<a href="./x.html">self</a><img srcset="/b/y.txt 1x, nowhere.png 2x">`,
		"/b/y.txt":    "y",
		"/q?b=1&c=2":  "q",
		"/old":        "->/a/x.html",
		"/robots.txt": "",
	})
	dir := t.TempDir()
	for range 2 { // the second changes nothing
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, nil)
		if err != nil || sum.Failed != 3 {
			t.Fatalf("%+v, %v", sum, err)
		}
		got := tree(t, dir)
		for name, want := range map[string]string{
			"index.html": "<a href=\"a/index.html\">a</a> <a href='a/x.html#f' >same</a> <A HREF=\"q@b=1&amp;c=2\">q</A>\r\n<a href=\"" + w.root +
				"/gone.html\">\xe9</a> <a href=\"a/x.html\">o</a> <form action=\"" + w.root + "/post\"></form>",
			"a/index.html": `<base href=""><a href="../b/y.txt">y</a><a href="` + w.root + `/b/#here"></a>`,
			"a/x.html":     `<a href="./x.html">self</a><img srcset="../b/y.txt 1x, ` + w.root + `/a/nowhere.png 2x">`,
			"b/y.txt":      "y",
		} {
			if got[name] != want {
				t.Errorf("%s: %q\nwant %q", name, got[name], want)
			}
		}
		if b, err := os.ReadFile(filepath.Join(dir, ".deref/original/index.html")); string(b) != w.pages["/"] {
			t.Errorf("the original: %q, %v", b, err)
		}
	}
	w.pages["/a/x.html"] = "changed"
	sum, _ := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, nil)
	got := tree(t, dir)
	if sum.Saved != 1 || got["a/x.html"] != "changed" || got["b/y.txt"] != "y" {
		t.Errorf("%+v, %q", sum, got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".deref/original/a/x.html")); err == nil {
		t.Error("the original of a page that needs none is still there")
	}
}

func TestMenusLeadToLocalCopies(t *testing.T) {
	g := gophertest.NewServer(fstest.MapFS{
		"gophermap":     {Data: []byte("iHello\n1Down\t/sub\n0Text\t/t.txt\n0Gone\t/gone.txt\n1Far\t/\tgopher.example\t70\n")},
		"sub/gophermap": {Data: []byte("1Top\t/\n9Octets\t/sub/b.bin\n")},
		"sub/b.bin":     {Data: []byte("\x00b")},
		"t.txt":         {Data: []byte("t\n")},
	}, nil)
	defer g.Close()
	dir := t.TempDir()
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(g.URL), dir, nil)
	if err != nil || sum.Failed != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	host, port, _ := strings.Cut(g.Addr, ":")
	got := tree(t, dir)
	if want := "1Down\t/sub\r\n0Text\t/t.txt\r\n0Gone\t/gone.txt\t" + host + "\t" + port + "\r\n1Far\t/\tgopher.example\t70\r\n"; !strings.HasSuffix(got["gophermap"], want) {
		t.Errorf("%q\nwant %q", got["gophermap"], want)
	}
	if want := "1Top\t/\r\n9Octets\t/sub/b.bin\r\n"; got["sub/gophermap"] != want {
		t.Errorf("%q", got["sub/gophermap"])
	}
	// A server of gophermaps shows the mirror, and it is the same there.
	again := gophertest.NewServer(os.DirFS(dir), nil)
	defer again.Close()
	copied := t.TempDir()
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(again.URL), copied, nil); err != nil || sum.Failed > 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if second := tree(t, copied); !maps.Equal(got, second) {
		t.Errorf("%q\nwant %q", second, got)
	}
}

// files are a tree of files that are as old as their octets say.
func files(all map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range all {
		m[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Date(1995, 1, 1, 0, 0, len(text), 0, time.UTC)}
	}
	return m
}

// TestPromise9NamesAreSafe: whatever a server calls its files, each has a name of its own that every system can hold, and the manifest leads back.
func TestPromise9NamesAreSafe(t *testing.T) {
	long := strings.Repeat("long", 80)
	all := map[string]string{
		"README": "1", "readme": "22", "ReadMe": "333", "é.txt": "4", "e\u0301.txt": "55", "CON": "6", "aux.txt": "77", "a:b?.txt": "8", "a_b_.txt": "99",
		"-rf": "a", ".hidden": "bb", "trailing.": "c", "trailing ": "dd", long + "1.txt": "e", long + "2.txt": "ff", ".deref/manifest.jsonl": "g",
		"\u202egpj.exe": "h", "dir/f": "i", "DIR/g": "j", "x.part": "k", "index.html": "l", "back\\slash": "m", "tab\there": "n",
	}
	f := ftptest.NewServer(files(all), nil)
	defer f.Close()
	dir := t.TempDir()
	for range 2 {
		run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true})
	}
	got := tree(t, dir)
	folded := map[string]string{}
	for name, text := range got {
		folded[strings.ToLower(name)] += text + " "
		for part := range strings.SplitSeq(name, "/") {
			if part[0] == '.' || part[0] == '-' || len(part) > 240 || strings.ContainsAny(part, "<>:\"|?*\\\t\u202e") || strings.HasSuffix(part, ".") {
				t.Errorf("the name %q", name)
			}
		}
	}
	if len(folded) != len(all) || len(got) != len(all) {
		t.Errorf("%d files of %d, %d of them in any case: %q", len(got), len(all), len(folded), slices.Sorted(maps.Keys(got)))
	}
	c := client(t)
	for r := range records(t, dir) {
		if r.Kind != mirror.File && r.Kind != mirror.Page {
			continue
		}
		d, err := c.Get(t.Context(), uri.MustParse(r.URI), nil)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 10)
		n, _ := d.Body.Read(b)
		d.Body.Close()
		if string(b[:n]) != got[r.Path] {
			t.Errorf("%s holds %q, and %s %q", r.Path, got[r.Path], r.URI, b[:n])
		}
	}
	if got["README"] == "" && got["readme"] == "" && got["ReadMe"] == "" || got["_hidden"] != "bb" || got["index.html"] != "l" {
		t.Errorf("%q", slices.Sorted(maps.Keys(got)))
	}
}

// TestFileAndFolderOfOneName: a document "a", and documents below "a/".
func TestFileAndFolderOfOneName(t *testing.T) {
	w := newWeb(t, map[string]string{
		"/": `<a href=a>1</a><a href=a/b.txt>2</a><a href=c/d.txt>3</a><a href=c>4</a>`, "/a": "file a", "/a/b.txt": "b", "/c/d.txt": "d", "/c": "file c",
	})
	dir := t.TempDir()
	run(t, w.root, dir, &mirror.Options{NoIndex: true, KeepLinks: true, IgnoreRobots: true})
	got := tree(t, dir)
	texts := slices.Sorted(maps.Values(got))
	if want := []string{w.pages["/"], "b", "d", "file a", "file c"}; !slices.Equal(texts, want) {
		t.Errorf("%q", got)
	}
}

// TestPromise9ForeignFilesStay: what is in the folder already, and is not the mirror's, is neither replaced nor removed, and no link is followed.
func TestPromise9ForeignFilesStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links")
	}
	f := ftptest.NewServer(files(map[string]string{"mine.txt": "the server's", "link/x.txt": "x", "out.txt": "o", "sub/y.txt": "y"}), nil)
	defer f.Close()
	dir, outside := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine"), 0o600)
	os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600)
	os.Symlink(outside, filepath.Join(dir, "link"))
	os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "out.txt"))
	run(t, f.URL+"/", dir, &mirror.Options{Delete: true})
	if b, _ := os.ReadFile(filepath.Join(dir, "mine.txt")); string(b) != "mine" {
		t.Errorf("mine.txt holds %q", b)
	}
	if got := namesInside(t, outside); got != "secret" {
		t.Errorf("outside there is %s", got)
	}
	if b, _ := os.ReadFile(filepath.Join(outside, "secret")); string(b) != "s" {
		t.Errorf("the file outside holds %q", b)
	}
	for _, start := range []string{"mine~", "link~", "out~"} {
		if !strings.Contains(namesIn(t, dir), start) {
			t.Errorf("nothing is called %s: %s", start, namesIn(t, dir))
		}
	}
}

func namesInside(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestChanges: what is new comes, what has changed comes anew, what has gone goes only with Delete, and a dry run says so and does nothing.
func TestChanges(t *testing.T) {
	site := files(map[string]string{"a.txt": "a", "b.txt": "b", "d/c.txt": "c", "e/f.txt": "f"})
	f := ftptest.NewServer(site, nil)
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/", dir, nil)
	delete(site, "b.txt")
	delete(site, "d/c.txt")
	site["a.txt"] = &fstest.MapFile{Data: []byte("anew"), ModTime: time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC)}
	site["new.txt"] = &fstest.MapFile{Data: []byte("n"), ModTime: time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC)}

	before := tree(t, dir)
	manifest, _ := os.ReadFile(filepath.Join(dir, ".deref/manifest.jsonl"))
	var said []string
	sum := run(t, f.URL+"/", dir, &mirror.Options{DryRun: true, Delete: true, Done: func(e mirror.Event) {
		if e.Did != mirror.Read && e.Did != mirror.Unchanged {
			said = append(said, string(e.Did)+" "+strings.TrimPrefix(e.URI.String(), f.URL))
		}
	}})
	slices.Sort(said)
	if want := []string{"deleted /b.txt", "deleted /d/c.txt", "saved /a.txt", "saved /new.txt"}; !slices.Equal(said, want) || sum.Saved != 2 || sum.Unchanged != 1 {
		t.Errorf("dry: %q, %+v", said, sum)
	}
	after, _ := os.ReadFile(filepath.Join(dir, ".deref/manifest.jsonl"))
	if !maps.Equal(before, tree(t, dir)) || string(manifest) != string(after) {
		t.Error("a dry run changes something")
	}
	none := filepath.Join(t.TempDir(), "none")
	if sum := run(t, f.URL+"/", none, &mirror.Options{DryRun: true}); sum.Saved != 3 {
		t.Errorf("%+v", sum)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a dry run makes the folder")
	}

	if sum := run(t, f.URL+"/", dir, nil); sum.Saved != 2 || sum.Unchanged != 1 || sum.Deleted != 0 {
		t.Errorf("%+v", sum)
	}
	if got := tree(t, dir); got["a.txt"] != "anew" || got["b.txt"] != "b" || got["d/c.txt"] != "c" {
		t.Errorf("%q", got)
	}
	if sum := run(t, f.URL+"/", dir, &mirror.Options{Delete: true}); sum.Deleted != 2 || sum.Unchanged != 3 {
		t.Errorf("%+v", sum)
	}
	if got := namesIn(t, dir); got != "a.txt e/f.txt e/index.html index.html new.txt" {
		t.Errorf("%s", got)
	}
	os.Remove(filepath.Join(dir, "e/f.txt"))
	if sum := run(t, f.URL+"/", dir, nil); sum.Saved != 1 {
		t.Errorf("what somebody has removed does not come back: %+v", sum)
	}
}

// TestDeleteKnows: nothing is removed where it is not known that the server has it no more.
func TestDeleteKnows(t *testing.T) {
	w := newWeb(t, map[string]string{"/": `<a href=p.html>p</a>`, "/p.html": `<a href=q.txt>q</a>`, "/q.txt": "q", "/robots.txt": ""})
	dir := t.TempDir()
	run(t, w.root, dir, nil)
	for name, o := range map[string]*mirror.Options{
		"steps":  {Delete: true, Depth: 1},
		"number": {Delete: true, Number: 2},
		"leave":  {Delete: true, Exclude: pattern(t, "q*")},
	} {
		if sum := run(t, w.root, dir, o); sum.Deleted != 0 {
			t.Errorf("%s: %+v", name, sum)
		}
	}
	w.pages["/p.html"] = "no link"
	if sum := run(t, w.root, dir, &mirror.Options{Delete: true}); sum.Deleted != 1 {
		t.Errorf("%+v", sum)
	}
	w.pages["/"] = `<a href=p.html>changed</a>`
	delete(w.pages, "/p.html")
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, &mirror.Options{Delete: true}); err != nil || sum.Deleted != 1 || sum.Failed != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	delete(w.pages, "/")
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, &mirror.Options{Delete: true, Since: time.Now()}); err != nil || sum.Failed != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestDeleteWithoutRoot: where the root is not there any more, nothing is removed.
func TestDeleteWithoutRoot(t *testing.T) {
	site := files(map[string]string{"d/a.txt": "a", "d/b.txt": "b", "other.txt": "o"})
	f := ftptest.NewServer(site, nil)
	defer f.Close()
	dir := t.TempDir()
	run(t, f.URL+"/d/", dir, nil)
	for name, o := range map[string]*mirror.Options{"since": {Delete: true, Since: time.Now()}, "": {Delete: true}} {
		if name == "" {
			delete(site, "d/a.txt")
			delete(site, "d/b.txt")
		}
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(f.URL+"/d/"), dir, o)
		if err != nil || sum.Deleted > 0 || namesIn(t, dir) != "a.txt b.txt index.html" {
			t.Errorf("%s: %+v, %v, %s", name, sum, err, namesIn(t, dir))
		}
	}
}

// TestSecretsStay: a login is for the root's server alone, and is in no file of the mirror; what is in the URI stays in the frontier.
func TestSecretsStay(t *testing.T) {
	var mu sync.Mutex
	sent := map[string]string{}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent["far"] += r.Header.Get("Authorization") + r.Header.Get("Cookie")
	}))
	defer far.Close()
	near := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hush" {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(401)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="%s/x">far</a><a href="/near">near</a>`, far.URL)
	}))
	defer near.Close()
	for name, test := range map[string]struct {
		root  string
		login fetch.Login
	}{
		"option": {near.URL + "/", fetch.Login{User: "u", Password: "hush", Set: true}},
		"uri":    {strings.Replace(near.URL, "//", "//u:hush@", 1) + "/", fetch.Login{}},
	} {
		dir := t.TempDir()
		sum := run(t, test.root, dir, &mirror.Options{SpanHosts: true, Request: &fetch.Options{Login: test.login, Set: map[string][]string{"http.credential-header": {"Cookie: hush"}}}})
		if sum.Saved != 3 || sent["far"] != "" {
			t.Errorf("%s: %+v; the other server got %q", name, sum, sent["far"])
		}
		for file, text := range tree(t, filepath.Join(dir, ".deref")) {
			if strings.Contains(text, "hush") {
				t.Errorf("%s: the secret is in %s", name, file)
			}
		}
	}
}

// TestNewArticlesOnly: a group is asked for what is behind the last article.
func TestNewArticlesOnly(t *testing.T) {
	article := func(n int) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "From: a@b.example\nSubject: s\nDate: Tue, 20 Dec 1994 12:00:00 +0000\nMessage-ID: <%d@h>\nNewsgroups: g.h\n\ntext\n", n)}
	}
	site := fstest.MapFS{"news/g.h/1": article(1), "news/g.h/2": article(2)}
	serve := func() *newstest.Server { return newstest.NewServer(site, nil) }
	s := serve()
	dir := t.TempDir()
	root := func(s *newstest.Server) string { return "news://" + s.Addr + "/g.h" }
	if sum := run(t, root(s), dir, nil); sum.Saved != 2 {
		t.Errorf("%+v", sum)
	}
	addr := s.Addr
	s.Close()
	site["news/g.h/3"] = article(3)
	s = newstest.NewServer(site, &newstest.Options{Addr: addr})
	defer s.Close()
	if sum := run(t, root(s), dir, nil); sum.Saved != 1 || sum.Unchanged != 0 {
		t.Errorf("%+v", sum)
	}
	if got := namesIn(t, dir); got != "1 2 3 index.html" {
		t.Errorf("%s", got)
	}
}

func TestBadRoots(t *testing.T) {
	for _, test := range []struct {
		root string
		kind fetch.Kind
	}{{"relative", fetch.ErrRefusedURL}, {"nonesuch://h/", fetch.ErrUnsupported}, {"ftp://127.0.0.1:1/%0D%0A/", fetch.ErrRefusedURL}} {
		dir := filepath.Join(t.TempDir(), "x")
		if _, err := mirror.Run(t.Context(), client(t), uri.MustParse(test.root), dir, nil); fetch.KindOf(err) != test.kind {
			t.Errorf("%s: %v", test.root, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s makes a folder", test.root)
		}
	}
}
