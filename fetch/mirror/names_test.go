package mirror_test

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// TestPromise9NamesAreSafe: each file gets a unique name that every system allows, whatever the server calls it, and the manifest has its URI.
func TestPromise9NamesAreSafe(t *testing.T) {
	long := strings.Repeat("long", 80)
	all := map[string]string{
		"README": "1", "readme": "22", "ReadMe": "333", "é.txt": "4", "e\u0301.txt": "55", "CON": "6", "aux.txt": "77", "a:b?.txt": "8",
		"a_b_.txt": "99",
		"-rf":      "a", ".hidden": "bb", "trailing.": "c", "trailing ": "dd", long + "1.txt": "e", long + "2.txt": "ff", ".deref/manifest.jsonl": "g",
		"\u202egpj.exe": "h", "dir/f": "i", "DIR/g": "j", "x.part": "k", "index.html": "l", "back\\slash": "m", "tab\there": "n",
	}
	f := ftptest.NewServer(files(all), nil)
	defer f.Close()
	dir := t.TempDir()
	for range 2 {
		run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true, Portable: true})
	}
	got := tree(t, dir)
	folded := map[string]string{}
	for name, text := range got {
		folded[strings.ToLower(name)] += text + " "
		for part := range strings.SplitSeq(name, "/") {
			if part[0] == '.' || part[0] == '-' || len(part) > 240 || strings.ContainsAny(part, "<>:\"|?*\\\t\u202e") ||
				strings.HasSuffix(part, ".") {
				t.Errorf("got the name %q, want a portable one", name)
			}
		}
	}
	if len(folded) != len(all) || len(got) != len(all) {
		t.Errorf("got %d files, want %d; %d of them if case is ignored: %q", len(got), len(all), len(folded), slices.Sorted(maps.Keys(got)))
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
			t.Errorf("%s: got %q, want %s: %q", r.Path, got[r.Path], r.URI, b[:n])
		}
	}
	if got["README"] == "" && got["readme"] == "" && got["ReadMe"] == "" || got["_hidden"] != "bb" || got["index.html"] != "l" {
		t.Errorf("%q", slices.Sorted(maps.Keys(got)))
	}
}

// TestPromise9NamesAreKept: on Linux, a name is changed only if the system or the mirror cannot use it, and nothing leaves the directory.
func TestPromise9NamesAreKept(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names are portable")
	}
	all := map[string]string{}
	for i, name := range []string{"README", "readme", "é.txt", "e\u0301.txt", "CON", "aux.txt", "a:b?*.txt", "-rf", ".hidden", "trailing.",
		"trailing ", " leading", "...",
		"back\\slash", "\u202egpj.exe", `quo"te's`, "~tilde", "dir./f", "DIR:/g", ".config/.x", "index.html"} {
		all[name] = strings.Repeat("x", i+1)
	}
	changed := map[string]string{ // names that cannot be kept
		".deref/manifest.jsonl": "_deref/manifest.jsonl", ".deref-tmp": "_deref-tmp", ".Deref/x": "_Deref/x", "x.part": "x.part_", "y.PART.json": "y.PART.json_",
		"tab\there": "tab_here", "c1\u0085": "c1_",
	}
	served := maps.Clone(all)
	for name := range changed {
		served[name] = name
	}
	f := ftptest.NewServer(files(served), nil)
	defer f.Close()
	dir := t.TempDir()
	for range 2 {
		run(t, f.URL+"/", dir, &mirror.Options{NoIndex: true})
	}
	got := tree(t, dir)
	for name, text := range all {
		if got[name] != text {
			t.Errorf("%q holds %q, want %q", name, got[name], text)
		}
	}
	for name, as := range changed {
		if got[as] != name {
			t.Errorf("%q holds %q, want %q", as, got[as], name)
		}
	}
	if len(got) != len(served) {
		t.Errorf("got %d files, want %d: %q", len(got), len(served), slices.Sorted(maps.Keys(got)))
	}
}

// TestFileAndFolderOfOneName: a document "a", and documents below "a/".
func TestFileAndFolderOfOneName(t *testing.T) {
	w := newWeb(t, map[string]string{
		"/": `<a href=a>1</a><a href=a/b.txt>2</a><a href=c/d.txt>3</a><a href=c>4</a>`, "/a": "file a", "/a/b.txt": "b", "/c/d.txt": "d",
		"/c": "file c",
	})
	dir := t.TempDir()
	run(t, w.root, dir, &mirror.Options{NoIndex: true, KeepLinks: true, IgnoreRobots: true})
	got := tree(t, dir)
	texts := slices.Sorted(maps.Values(got))
	if want := []string{w.pages["/"], "b", "d", "file a", "file c"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want texts %v", got, want)
	}
}

// TestPromise9ForeignFilesStay: existing files that are not the mirror's are neither replaced nor removed, and no link is followed.
func TestPromise9ForeignFilesStay(t *testing.T) {
	f := ftptest.NewServer(files(map[string]string{"mine.txt": "the server's", "link/x.txt": "x", "out.txt": "o", "sub/y.txt": "y"}), nil)
	defer f.Close()
	dir, outside := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine"), 0o600)
	os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600)
	link(t, outside, filepath.Join(dir, "link"))
	link(t, filepath.Join(outside, "secret"), filepath.Join(dir, "out.txt"))
	run(t, f.URL+"/", dir, &mirror.Options{Delete: true})
	if b, _ := os.ReadFile(filepath.Join(dir, "mine.txt")); string(b) != "mine" {
		t.Errorf("mine.txt was changed to %q", b)
	}
	if got := namesInside(t, outside); got != "secret" {
		t.Errorf("unexpected file outside: %s", got)
	}
	if b, _ := os.ReadFile(filepath.Join(outside, "secret")); string(b) != "s" {
		t.Errorf("the file outside was changed to %q", b)
	}
	for _, start := range []string{"mine~", "link~", "out~"} {
		if !strings.Contains(namesIn(t, dir), start) {
			t.Errorf("got %[2]s, want a name that starts with %[1]s", start, namesIn(t, dir))
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

// link creates a symbolic link. It skips the test if the user may not, as on Windows without its developer mode.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip(err)
	}
}

// TestCharsetOfNames: with the charset of a server's names, a mirror has them in UTF-8, and the second run finds nothing new.
func TestCharsetOfNames(t *testing.T) {
	t.Parallel()
	site := files(map[string]string{"ПРИВЕТ.TXT": "1", "мир/ещё.txt": "22", "plain": "333"})
	f := ftptest.NewServer(site, &ftptest.Options{Names: charmap.CodePage866})
	defer f.Close()
	dir := t.TempDir()
	o := &mirror.Options{NoIndex: true, Request: &fetch.Options{Set: map[string][]string{"ftp.charset": {"cp866"}}}}
	for i := range 2 {
		if sum := run(t, f.URL+"/", dir, o); i == 1 && sum.Saved > 0 {
			t.Errorf("got %+v from the second run, want nothing saved", sum)
		}
	}
	want := map[string]string{"ПРИВЕТ.TXT": "1", "мир/ещё.txt": "22", "plain": "333"}
	if got := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOldNames: without the charset, an exact mirror keeps the bytes, and a portable one writes them as %XX. Both twice.
func TestOldNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the file system has only names in UTF-8")
	}
	site := files(map[string]string{"ПРИВЕТ.TXT": "1", "ПРИВЕТ.TXU": "22", "ПРИВЕТЫ": "333", "表.txt": "4444", "ー.txt": "55555"})
	for name, c := range map[string]struct {
		charset  encoding.Encoding
		portable bool
		want     []string
	}{
		"exact":    {charmap.CodePage866, false, []string{"\x8f\x90\x88\x82\x85\x92.TXT", "\x8f\x90\x88\x82\x85\x92.TXU", "\x8f\x90\x88\x82\x85\x92\x9b"}},
		"portable": {charmap.CodePage866, true, []string{"%8F%90%88%82%85%92.TXT", "%8F%90%88%82%85%92.TXU", "%8F%90%88%82%85%92%9B"}},
		"japanese": {japanese.ShiftJIS, true, []string{"%95%5C.txt", "%81[.txt"}},
	} {
		f := ftptest.NewServer(site, &ftptest.Options{Names: c.charset})
		dir := t.TempDir()
		for i := range 2 {
			if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(f.URL+"/"), dir, &mirror.Options{NoIndex: true, Portable: c.portable}); err != nil || i == 1 && sum.Saved > 0 {
				t.Errorf("%s, run %d: got %v; %+v", name, i+1, err, sum)
			}
		}
		f.Close()
		got := tree(t, dir)
		for _, want := range c.want {
			if got[want] == "" {
				t.Errorf("%s: got %q, want %q in it", name, got, want)
			}
		}
	}
}

// TestCharsetOfAHost: the charset in the settings of a host makes local names text, for a scheme that has the server's bytes in its URIs.
func TestCharsetOfAHost(t *testing.T) {
	t.Parallel()
	started, at := make(chan struct{}), ""
	g, err := loopback.ServeLine("gopher", nil, func(c *loopback.Conn, selector string) {
		<-started
		host, port, _ := net.SplitHostPort(at)
		switch selector {
		case "":
			fmt.Fprintf(c, "1dir\t/\x8f\x90\t%s\t%s\r\n.\r\n", host, port)
		case "/\x8f\x90":
			fmt.Fprintf(c, "0file\t/\x8f\x90/\x88.TXT\t%s\t%s\r\n.\r\n", host, port)
		default:
			fmt.Fprint(c, selector)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	at = g.Addr
	close(started)
	list := known()
	for i, s := range list {
		if s.Name() == "gopher" && !slices.ContainsFunc(s.Settings, func(s fetch.Setting) bool { return s.Key == "gopher.charset" }) {
			list[i].Settings = append(slices.Clip(s.Settings), fetch.Setting{Key: "gopher.charset"})
		}
	}
	c := fetch.New(list...)
	defer c.Close()
	c.Settings = func(uri.URI) map[string][]string { return map[string][]string{"gopher.charset": {"cp866"}} }
	dir := t.TempDir()
	for range 2 {
		if sum, err := mirror.Run(t.Context(), c, uri.MustParse(g.URL+"/"), dir, &mirror.Options{NoIndex: true}); err != nil || sum.Failed > 0 {
			t.Fatalf("got %v; %+v, want no failure", err, sum)
		}
	}
	if got, want := tree(t, dir)["ПР/И.TXT"], "/\x8f\x90/\x88.TXT"; got != want {
		t.Errorf("got %q in %q, want %q", got, tree(t, dir), want)
	}
}
