package fsview_test

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
)

// answer holds a response of net/http's file server.
func answer(t *testing.T, at, part string) string {
	t.Helper()
	r, _ := http.NewRequest("GET", at, nil)
	if part != "" {
		r.Header.Set("Range", "bytes="+part)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprint(resp.StatusCode, " ", string(b))
}

// TestFileServer: a view can be served by net/http, which relies on Size and seeks to sniff types and send ranges.
func TestFileServer(t *testing.T) {
	for name, root := range roots(t) {
		fsys := open(t, client(t), root)
		srv := httptest.NewServer(http.FileServerFS(fsys))
		defer srv.Close()
		for path, f := range site() {
			at, data := srv.URL+"/"+strings.ReplaceAll(path, " ", "%20"), string(f.Data)
			for part, want := range map[string]string{"": "200 " + data, "2-3": "206 " + data[2:4], "-3": "206 " + data[len(data)-3:]} {
				if got := answer(t, at, part); got != want {
					t.Errorf("%s: %s %s: %q, want %q", name, path, part, got, want)
				}
			}
		}
		if got := answer(t, srv.URL+"/none", ""); !strings.HasPrefix(got, "404 ") {
			t.Errorf("%s: got %s, want starting with \"404 \"", name, got)
		}
	}
}

// TestLinksOfServer: a link on the server is a link in the view, and opens its target.
func TestLinksOfServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, site()); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link.bin": "about.bin", "folder": "sub dir", "loop": ".", "broken": "none"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	f := ftptest.NewServer(os.DirFS(dir), ftptest.Vsftpd())
	defer f.Close()
	fsys := open(t, client(t), f.URL+"/")
	srv := httptest.NewServer(http.FileServerFS(fsys))
	defer srv.Close()
	for path, want := range map[string]string{"/link.bin": "200 about\x00", "/folder/one.bin": "200 \x01one",
		"/loop/loop/pic.gif": "200 GIF89a\x00"} {
		if got := answer(t, srv.URL+path, ""); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := answer(t, srv.URL+"/folder/", ""); !strings.Contains(got, "one.bin") {
		t.Errorf("/folder/: got %q, want containing \"one.bin\"", got)
	}
	for path, want := range map[string]string{"link.bin": "-r--r--r-- 6", "folder": "dr-xr-xr-x 0", "about.bin": "-r--r--r-- 6"} {
		if fi, err := fs.Stat(fsys, path); err != nil || fmt.Sprint(fi.Mode(), fi.Size()) != want {
			t.Errorf("%s: got %v, %v; want fmt.Sprint(fi.Mode(), fi.Size()) %v", path, fi, err, want)
		}
	}
	if _, err := fsys.Open("broken"); err == nil {
		t.Error("a dangling link is opened")
	}
	walked := 0
	fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		walked++
		if (path == "link.bin" || path == "folder") && d.Type() != fs.ModeSymlink {
			t.Errorf("%s: got %v, want a link", path, d.Type())
		}
		return err
	})
	if walked != 11 {
		t.Errorf("a walk visits %d names", walked)
	}
	os.Remove(filepath.Join(dir, "broken"))
	fsys = open(t, client(t), f.URL+"/")
	if err := fstest.TestFS(fsys, "link.bin", "about.bin"); err != nil {
		t.Error(err)
	}
}

// TestSeek: a file can be read from any offset, with or without ranges, and its size is known once it is open.
func TestSeek(t *testing.T) {
	long := strings.Repeat("0123456789", 200_000) // more than is held
	files := fstest.MapFS{"long.bin": {Data: []byte(long)}, "empty.txt": {}}
	g, f := gophertest.NewServer(files, nil), ftptest.NewServer(files, &ftptest.Options{NoREST: true})
	defer g.Close()
	defer f.Close()
	for _, root := range []string{g.URL + "/1/", f.URL + "/"} {
		fsys := open(t, client(t), root)
		file, err := fsys.Open("long.bin")
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := file.Stat(); err != nil || fi.Size() != int64(len(long)) {
			t.Errorf("%s: got %v, %v; want fi.Size() %v", root, fi, err, int64(len(long)))
		}
		s := file.(io.ReadSeeker)
		for _, tt := range []struct {
			offset int64
			whence int
			at     int64
		}{{0, io.SeekStart, 0}, {1_500_003, io.SeekStart, 1_500_003}, {-7, io.SeekCurrent, 1_500_006}, {-5, io.SeekEnd,
			int64(len(long)) - 5}, {3, io.SeekStart, 3}} {
			at, err := s.Seek(tt.offset, tt.whence)
			b := make([]byte, 10)
			n, rerr := io.ReadFull(s, b)
			if want := long[tt.at:min(tt.at+10, int64(len(long)))]; err != nil || at != tt.at || string(b[:n]) != want {
				t.Errorf("%s: %+v: got %q at %d, %v, %v; want %q at %d", root, tt, b[:n], at, err, rerr, want, tt.at)
			}
		}
		if at, err := s.Seek(-1, io.SeekStart); err == nil {
			t.Errorf("%s: got offset %d, want an error", root, at)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if _, err := file.Read(make([]byte, 1)); err == nil {
			t.Error("a closed file can be read")
		}
	}
}
