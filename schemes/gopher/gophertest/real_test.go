//go:build unix

package gophertest

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/testdata"
)

// TestLikeGophernicus compares the responses for every file and directory of the site with those of the real server, which is run as by
// inetd, once for each request.
func TestLikeGophernicus(t *testing.T) {
	lab.Client(t, "gophernicus") // or skip
	dir := readable(t)
	s := NewServer(os.DirFS(dir), &Options{Manner: Gophernicus})
	defer s.Close()
	host, port, _ := net.SplitHostPort(s.Addr)
	selectors := []string{"", "/nothing", "/nothing/", "/names/with#040blank.txt", "README.txt"}
	fs.WalkDir(testdata.Site(), ".", func(p string, d fs.DirEntry, err error) error {
		if p != "." {
			selectors = append(selectors, (&server{o: Options{Manner: Gophernicus}}).quote("/"+p))
		}
		return err
	})
	for _, sel := range selectors {
		if differs(sel) {
			continue
		}
		want := inetd(t, sel, "gophernicus", "-r", dir, "-h", host, "-p", port, "-nv", "-nr")
		got, err := ask(t, s, sel+"\r\n")
		if err != nil || unsigned(got) != unsigned(want) {
			t.Errorf("%q:\n%q, %v\nthe real one:\n%q", sel, got, err, want)
		}
	}
}

// differs reports whether our server differs on purpose.
func differs(sel string) bool {
	switch sel {
	case "/texts/latin1.txt": // becomes UTF-8 (its option -o)
	case "/texts/long.txt": // is broken into lines
	case "/texts/mixed.txt": // loses the text after a lone CR, up to the end of the line
	case "/views": // shows greeting.txt.abstract
	case "/mail", "/news/comp.infosystems.www", "/news/lab.dots": // type M by MIME-Version in the text
	default:
		return false
	}
	return true
}

// readable returns a copy of the site that everybody may read, because gophernicus refuses to run as root.
func readable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	if err := os.CopyFS(dir, testdata.Site()); err != nil {
		t.Fatal(err)
	}
	for d := filepath.Dir(dir); d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		return os.Chmod(p, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// inetd runs a server with a request on its standard input.
func inetd(t *testing.T, request, program string, args ...string) string {
	t.Helper()
	cmd := lab.Client(t, program, args...)
	cmd.Stdin = strings.NewReader(request + "\r\n")
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) { // it fails after it has sent an error
		t.Fatal(err)
	}
	return out.String()
}

// unsigned removes the line with version and system.
func unsigned(menu string) string {
	var b strings.Builder
	for l := range strings.Lines(menu) {
		if !strings.Contains(l, "Gophered by Gophernicus/") {
			b.WriteString(l)
		}
	}
	return b.String()
}
