package mirror_test

import (
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// copyType returns the media type by which a browser opens a local file.
func copyType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html"
	case ".css":
		return "text/css"
	case ".svg":
		return "image/svg+xml"
	}
	return ""
}

// unresolved returns the references of the copies in dir that refer to nothing in it, and how many do.
func unresolved(t *testing.T, dir string) (broken []string, found int) {
	t.Helper()
	for name, text := range tree(t, dir) {
		kind := copyType(name)
		if kind == "" {
			continue
		}
		at := (&url.URL{Scheme: "file", Path: "/" + name}).String()
		r, in, err := charset.Page(strings.NewReader(text), kind, uri.MustParse(at))
		if err != nil {
			t.Fatal(name, err)
		}
		list := links.HTML
		if kind == "text/css" {
			list = links.CSS
		}
		for l, err := range list(r, in) {
			switch {
			case err != nil:
				t.Fatal(name, err)
			case l.Ref == "", l.Ref[0] == '#':
			case l.URI.Scheme() != "file":
				broken = append(broken, name+" to "+l.Ref)
			default:
				found++
				file := filepath.Join(dir, filepath.FromSlash(l.URI.Path().Decode()))
				if is, err := os.Stat(file); err != nil || is.IsDir() {
					broken = append(broken, name+" to "+l.Ref)
				}
			}
		}
	}
	slices.Sort(broken)
	return broken, found
}

func offlineOptions() *mirror.Options { return &mirror.Options{Extensions: true} }

// TestOffline: each reference of a copy refers to a file in it, whose name has the extension that browsers need. Only what the server does not
// have, and another host, are URIs. A second run changes nothing.
func TestOffline(t *testing.T) {
	t.Parallel()
	site := offlineSite()
	s := serveSite(t, site)
	dir := t.TempDir()
	var before map[string]string
	for range 2 {
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, offlineOptions())
		if err != nil || sum.Failed != 3 { // none, img/missing-without-srcset.png, img/
			t.Fatalf("got %+v, %v; want Failed 3", sum, err)
		}
		got := tree(t, dir)
		if before != nil && (!maps.Equal(got, before) || sum.Saved > 0) {
			t.Errorf("the second run saved %d and changed %v to %v", sum.Saved, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(got)))
		}
		before = got
	}
	broken, found := unresolved(t, dir)
	want := []string{"base/page.html to " + s.URL + "/img/#here", "index.html to " + s.URL + "/img/missing-without-srcset.png", "index.html to " + s.URL + "/none", "index.html to http://other.invalid/x"}
	if !slices.Equal(broken, want) || found < 60 {
		t.Errorf("got %d references to copies, and %q to something else, want at least 60, and %q", found, broken, want)
	}
	for _, name := range []string{"style.css@v=2.css", "css/imported.css", "css/late.css", "img/pic.svg", "img/grad.svg", "article.html", "article@id=1&x=2.html",
		"sp ace.html", "100%.html", "a#b.html", "файл@я=ю.html", "dir/index.html", "dir/sub/index.html@all.html", "base/page.html", "koi8.html", "frame.html",
		"img/two.png@size=2,3", "img/100%.png", "media/clip", "favicon", "write.js@x", "font/x.woff2"} {
		if _, ok := before[name]; !ok {
			t.Errorf("%s is missing in %q", name, slices.Sorted(maps.Keys(before)))
		}
	}
	for name, want := range map[string]string{
		"css/imported.css": "@charset \"koi8-r\";" + site["/css/imported.css"].body[:strings.Index(site["/css/imported.css"].body, "../img")] + "../img/%D1%84.png) }\n@import 'late.css';",
		"koi8.html":        "<meta charset=\"koi8-r\"><p>\xcd\xc9\xd2<img src='img/%D1%84.png'><style>p{background:url(img/%D1%84.png)}</style>",
		"css/late.css":     site["/css/late.css"].body,
		"utf16.html":       wide("\ufeff<p>мир<img src='img/%D1%84.png'><style>p{background:url(img/%D1%84.png)}</style>"),
	} {
		if before[name] != want {
			t.Errorf("%s: got %q, want %q", name, before[name], want)
		}
	}
}

// TestSwitchedToExtensions: copies of a run without extensions get them, also if the server reports that nothing has changed.
func TestSwitchedToExtensions(t *testing.T) {
	long(t, "mirrors many times")
	s := serveSite(t, offlineSite())
	at := uri.MustParse(s.URL + "/")
	direct, switched := t.TempDir(), t.TempDir()
	for _, step := range []struct {
		dir string
		o   *mirror.Options
	}{{switched, nil}, {switched, offlineOptions()}, {direct, offlineOptions()}} {
		if _, err := mirror.Run(t.Context(), client(t), at, step.dir, step.o); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := unresolved(t, switched)
	want, _ := unresolved(t, direct)
	if !slices.Equal(got, want) {
		t.Errorf("got the references %q to something else, want %q", got, want)
	}
	if _, err := os.Lstat(filepath.Join(switched, "article")); err == nil {
		t.Error("the file without an extension still exists")
	}
	if b, err := os.ReadFile(filepath.Join(switched, "article.html")); !strings.Contains(string(b), `href="style.css@v=2.css"`) {
		t.Errorf("got %q, %v, want a link to style.css@v=2.css", b, err)
	}
}

// TestRequisites: what pages embed is copied from above the root's directory, also beyond the number of steps and without a match of Include, and from
// other hosts only with permission.
func TestRequisites(t *testing.T) {
	t.Parallel()
	other := serveSite(t, map[string]sent{"/far.png": {"image/png", "far"}, "/page": {"text/html", "far"}})
	far := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s := serveSite(t, map[string]sent{
		"/d/e/":          {"text/html", `<link rel=stylesheet href="/all.css"><img src="` + far + `/far.png"><a href="/up">u</a><a href="` + far + `/page">p</a><a href=deep>d</a>`},
		"/d/e/deep":      {"text/html", `deep`},
		"/all.css":       {"text/css", `@import url(more/more.css); a{b:url(one.png)}`},
		"/more/more.css": {"text/css", `a{b:url(two.png)}`},
		"/one.png":       {"image/png", "1"}, "/more/two.png": {"image/png", "2"}, "/up": {"text/html", "up"},
	})
	for _, test := range []struct {
		o    mirror.Options
		want []string
	}{
		{mirror.Options{NoParent: true, Depth: -1}, []string{"index.html"}},
		{mirror.Options{NoParent: true, Depth: -1, Requisites: true}, []string{"HERE/all.css", "HERE/more/more.css", "HERE/more/two.png", "HERE/one.png", "index.html"}},
		{mirror.Options{NoParent: true, Include: pattern(t, "*.html"), Requisites: true, RequisiteHosts: pattern(t, "localhost")},
			[]string{"HERE/all.css", "HERE/more/more.css", "HERE/more/two.png", "HERE/one.png", "THERE/far.png", "index.html"}},
	} {
		dir := t.TempDir()
		test.o.NoIndex = true
		run(t, s.URL+"/d/e/", dir, &test.o)
		var got []string
		for name := range tree(t, dir) {
			for mark, server := range map[string]string{"HERE": s.URL, "THERE": far} {
				name = strings.Replace(name, "elsewhere/http/"+strings.Replace(strings.TrimPrefix(server, "http://"), ":", "_", 1), mark, 1)
			}
			got = append(got, name)
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%+v: got %q, want %q", test.o, got, test.want)
		}
	}
}

// TestSameDocumentsAsWget: wget -mpEk copies no document of the site that is missing here.
func TestSameDocumentsAsWget(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program")
	}
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Skip("wget is not installed")
	}
	s := serveSite(t, offlineSite())
	dir, theirs := t.TempDir(), t.TempDir()
	if _, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, offlineOptions()); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), wget, "-q", "-mpEk", "-nH", "--no-proxy", "--no-config", "-P", theirs, s.URL+"/")
	if out, err := cmd.CombinedOutput(); err != nil && len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	ours := tree(t, dir)
	count := 0
	err = fs.WalkDir(os.DirFS(theirs), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		count++
		if name == "dir.html" {
			return nil // the redirect to dir/, which is a document of its own
		}
		plain, _ := url.PathUnescape(strings.ReplaceAll(name, "%25", "%"))
		for _, n := range []string{name, strings.Replace(name, "?", "@", 1), strings.Replace(plain, "?", "@", 1)} {
			if _, ok := ours[n]; ok {
				return nil
			}
		}
		t.Errorf("wget has %s, which is missing in %q", name, slices.Sorted(maps.Keys(ours)))
		return nil
	})
	t.Logf("wget: %d documents, deref: %d", count, len(ours))
	if err != nil || count < 20 {
		t.Errorf("got %d documents of wget, %v, want at least 20", count, err)
	}
}
