package fsview_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/fsview"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes"
	"example.org/deref/schemes/cso/csotest"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/schemes/whois/whoistest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// odd is a site whose names are hard for one protocol or another.
func odd() fstest.MapFS {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := site()
	for _, name := range []string{"text.bin", " leading.bin", "what#1.bin", "per%cent.bin", "semi;type=a.bin", "a&b.bin",
		"sub dir/deep/deeper/leaf.bin",
		"a name that is longer than the column of gophernicus.bin", "2026-Jan-02 15:04.bin"} {
		m[name] = &fstest.MapFile{Data: []byte(name + "\x00"), ModTime: when}
	}
	return m
}

// A root is a listing, and the names that a walk of it finds; nil if they depend on the protocol.
type root struct {
	name, uri string
	want      []string
}

// everyRoot starts a server of each protocol that has listings, and returns their roots.
func everyRoot(t *testing.T) []root {
	t.Helper()
	tree, sample := odd(), testdata.Site()
	dir := t.TempDir()
	if err := os.CopyFS(dir, tree); err != nil {
		t.Skip(err) // a file system without such names
	}
	started := func(url string, stop func(), err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		return url
	}
	web := httptest.NewServer(http.FileServerFS(tree))
	t.Cleanup(web.Close)
	news, err := newstest.Listen(sample, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(news.Close)
	imap, err := mailtest.ListenIMAP(sample, &mailtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(imap.Close)
	var list []root
	add := func(name, uri string, want []string) { list = append(list, root{name, uri, want}) }
	files := names(tree)
	below := []string{"x.gif", "deeper/leaf.bin"}
	add("http", web.URL+"/", files)
	add("http, below", web.URL+"/sub%20dir/deep/", below)
	add("file", "file://"+dir+"/", files)
	for name, o := range map[string]*ftptest.Options{"ftp": nil, "ftp, vsftpd": ftptest.Vsftpd(), "ftp, proftpd": ftptest.Proftpd(),
		"ftp, pure-ftpd": ftptest.Pureftpd()} {
		at := started(loopback.Running(ftptest.Listen(tree, o)))
		add(name, at+"/", files)
		add(name+", below", at+"/sub%20dir/deep/", below)
	}
	at := started(loopback.Running(gophertest.Listen(tree, nil)))
	add("gopher", at+"/1/", files)
	add("gopher, below", at+"/1/sub%20dir/deep", below)
	for name, at := range map[string]string{
		"gemini":  started(loopback.Running(geminitest.Listen(tree, nil))),
		"spartan": started(loopback.Running(spartantest.Listen(tree, nil))),
		"nex":     started(loopback.Running(nextest.Listen(tree, nil))),
	} {
		add(name, at+"/", files)
		add(name+", below", at+"/sub%20dir/deep/", below)
	}
	private := started(loopback.Running(ftptest.Listen(tree, &ftptest.Options{NoAnonymous: true,
		Users: map[string]ftptest.User{"ann": {Password: "sesame"}}})))
	add("ftp with a password", strings.Replace(private, "//", "//ann:sesame@", 1)+"/", files)
	add("prospero", started(loopback.Running(prosperotest.Listen(tree, nil)))+"/AFTP", nil)
	dots := []string{"An identifier with a per cent sign and a slash", "Dots"}
	add("news, groups", "news://"+news.Addr+"/*", []string{"comp.infosystems.www/Names for everything", "comp.infosystems.www/Re: Names for everything",
		"comp.infosystems.www/Numbers have holes", "lab.dots/" + dots[0], "lab.dots/" + dots[1]})
	add("news, group", "news://"+news.Addr+"/lab.dots", dots)
	add("imap", "imap://"+mailtest.User+":"+string(uri.Password.Escape(uri.RFC3986, mailtest.Password))+"@"+imap.Addr+"/INBOX", nil)
	dict := started(loopback.Running(dicttest.Listen(sample, nil)))
	add("dict, matches", dict+"/m:i::prefix", nil)
	add("dict, databases", dict+"/show:db", nil)
	add("dict, definitions", dict+"/d:ftp", nil)
	add("cso", started(loopback.Running(csotest.Listen(sample, nil)))+"/alias=history*", nil)
	add("ldap", started(loopback.Running(ldaptest.Listen(sample, nil)))+"/ou=names,o=site??sub", nil)
	add("wais", started(loopback.Running(waistest.Listen(sample, nil)))+"/site?wide+area+servers", nil)
	add("whois++", started(loopback.Running(whoistest.Listen(sample, &whoistest.Options{Templates: true})))+"/history", nil)
	return list
}

// open returns the file system of a listing.
func open(t *testing.T, c *fetch.Client, u string) *fsview.FS {
	t.Helper()
	fsys, err := fsview.New(t.Context(), c, uri.MustParse(u), nil)
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// view returns the file system of a listing, and the names that a walk of it finds.
func view(t *testing.T, c *fetch.Client, u string) (fsys *fsview.FS, walked []string) {
	t.Helper()
	fsys = open(t, c, u)
	err := fs.WalkDir(fsys, ".", func(path string, _ fs.DirEntry, err error) error {
		if path != "." {
			walked = append(walked, path)
		}
		return err
	})
	if err != nil {
		t.Errorf("%s: the walk ended with %v", u, err)
	}
	return fsys, walked
}

// TestEveryScheme: the view of each listing is a file system by the rules of package fs, and each name in it is the document that the site has
// there.
func TestEveryScheme(t *testing.T) {
	t.Parallel()
	tree := odd()
	c := fetch.New(schemes.All(nil)...)
	c.FirstUse = new(tofu.Store).Check
	t.Cleanup(func() { c.Close() })
	for _, r := range everyRoot(t) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			fsys, walked := view(t, c, r.uri)
			if len(walked) == 0 {
				t.Fatal("a walk: got no names, want some")
			}
			if r.want != nil {
				var got []string
				for _, name := range walked {
					if info, err := fs.Stat(fsys, name); err != nil || !info.IsDir() {
						got = append(got, name)
					}
				}
				slices.Sort(got)
				slices.Sort(r.want)
				if !slices.Equal(got, r.want) {
					t.Fatalf("got the files %q, want %q", got, r.want)
				}
			}
			if err := fstest.TestFS(fsys, walked...); err != nil {
				t.Error(err)
			}
			if len(r.want) != len(tree) {
				return
			}
			for name, f := range tree {
				if b, err := fs.ReadFile(fsys, name); err != nil || !bytes.Equal(b, f.Data) {
					t.Errorf("%s: got %q, %v, want %q", name, b, err, f.Data)
				}
			}
		})
	}
}

// TestParentsAreLeftOut: whatever a server calls them, the listing itself and those above it are not in the view.
func TestParentsAreLeftOut(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/":        `<a href="top.bin">top</a><a href="pub/">pub</a>`,
		"/top.bin": "x",
		"/pub/": `<a href="?C=N;O=D">Name</a> <a href="../">Parent Directory</a> <a href="/">Home</a> <a href=".">here</a> <a href="/pub/">here</a>
			<a href="/pub">here</a> <a href="#top">top</a> <a href="%2e%2e/">up</a> <a href="a.bin">a.bin</a> <a href="./a.bin">again</a>
			<a href="a.bin?x">other</a> <a href="/top.bin">out</a> <a href="http://other.example/">far</a> <a href="mailto:a@b">mail</a> <img src="i.png">`,
		"/pub/a.bin": "a",
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	menu := gophertest.NewServer(fstest.MapFS{
		"pub/gophermap": {Data: []byte("1..\t/\n1..   \t/pub/x\n1.\t/pub\n1Home\t/\n1This menu\t/pub/\n9a.bin\t/pub/a.bin\n")},
		"pub/a.bin":     {Data: []byte("a")},
	}, nil)
	t.Cleanup(menu.Close)
	c := fetch.New(schemes.All(nil)...)
	t.Cleanup(func() { c.Close() })
	for _, tt := range []struct{ uri, want string }{
		{srv.URL + "/pub/", "a.bin,other,out"},
		{srv.URL + "/", "pub,pub/a.bin,pub/other,pub/out,top.bin"},
		{menu.URL + "/1/pub", "a.bin"},
		{menu.URL + "/1/pub/", "a.bin"},
	} {
		_, walked := view(t, c, tt.uri)
		if got := strings.Join(walked, ","); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.uri, got, tt.want)
		}
	}
}
