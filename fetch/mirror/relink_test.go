package mirror_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

func TestLinksLeadToLocalCopies(t *testing.T) {
	w := newWeb(t, map[string]string{
		"/": "<a href=\"/a/\">a</a> <a href='a/x.html#f' >same</a> <A HREF=/q?b=1&amp;c=2>q</A>\r\n" +
			"<a href=\"gone.html\">\xe9</a> <a href=old>o</a> <form action=/post></form>",
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
			t.Fatalf("got %+v, %v; want Failed 3", sum, err)
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
			t.Errorf("the original: got %q, %v; want %q", b, err, w.pages["/"])
		}
	}
	w.pages["/a/x.html"] = "changed"
	sum, _ := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, nil)
	got := tree(t, dir)
	if sum.Saved != 1 || got["a/x.html"] != "changed" || got["b/y.txt"] != "y" {
		t.Errorf("%+v, %q", sum, got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".deref/original/a/x.html")); err == nil {
		t.Error("the original of an unchanged page still exists")
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
		t.Fatalf("got %+v, %v; want Failed 1", sum, err)
	}
	host, port, _ := strings.Cut(g.Addr, ":")
	got := tree(t, dir)
	if want := "1Down\t/sub\r\n0Text\t/t.txt\r\n0Gone\t/gone.txt\t" + host + "\t" + port +
		"\r\n1Far\t/\tgopher.example\t70\r\n"; !strings.HasSuffix(got["gophermap"], want) {
		t.Errorf("%q\nwant %q", got["gophermap"], want)
	}
	if want := "1Top\t/\r\n9Octets\t/sub/b.bin\r\n"; got["sub/gophermap"] != want {
		t.Errorf("%q", got["sub/gophermap"])
	}
	// A server for gophermaps shows the mirror, with the same content.
	again := gophertest.NewServer(os.DirFS(dir), nil)
	defer again.Close()
	copied := t.TempDir()
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(again.URL), copied, nil); err != nil || sum.Failed > 0 {
		t.Fatalf("got %+v, %v; want Failed 0", sum, err)
	}
	if second := tree(t, copied); !maps.Equal(got, second) {
		t.Errorf("%q\nwant %q", second, got)
	}
}

func TestGemtextLeadsToLocalCopies(t *testing.T) {
	top := "# Hello\n=> /sub/ Down\n=> t.txt Text\n=> gone.gmi Gone\n=> gemini://far.example/ Far\n```\n=> /t.txt as it stands\n```\n"
	s := spartantest.NewServer(fstest.MapFS{"t.txt": {Data: []byte("t\n")}}, &spartantest.Options{Reply: map[string]string{
		"/": "2 text/gemini\r\n" + top, "/sub/": "2 text/gemini\r\n=> ../t.txt\n=> / Top\n",
	}})
	defer s.Close()
	dir := t.TempDir()
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, nil)
	if err != nil || sum.Failed != 1 || sum.Saved != 3 {
		t.Fatalf("got %+v, %v; want Failed 1 and Saved 3", sum, err)
	}
	got := tree(t, dir)
	if want := "# Hello\n=> sub/index.gmi Down\n=> t.txt Text\n=> " + s.URL +
		"/gone.gmi Gone\n=> gemini://far.example/ Far\n```\n=> /t.txt as it stands\n```\n"; got["index.gmi"] != want {
		t.Errorf("%q\nwant %q", got["index.gmi"], want)
	}
	if want := "=> ../t.txt\n=> ../index.gmi Top\n"; got["sub/index.gmi"] != want {
		t.Errorf("%q\nwant %q", got["sub/index.gmi"], want)
	}
}
