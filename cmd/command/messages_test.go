package command

import (
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// TestNaming: a report shows files as the arguments do, other files by their path, and URIs unchanged.
func TestNaming(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"here/docs", "other dir"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"here/a.md", "here/docs/b.md", "other dir/c.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "here"))
	for _, c := range []struct{ arg, file, want string }{
		{"a.md", "here/a.md", "a.md"},
		{"./a.md", "here/a.md", "./a.md"},
		{"a.md", "here/docs/b.md#part%20x", "docs/b.md#part%20x"},
		{"docs", "here/docs/b.md", "docs/b.md"},
		{"docs/", "here/docs/b.md", "docs/b.md"},
		{"./docs", "here/docs/gone.md", "./docs/gone.md"},
		{".", "here/docs/b.md", "docs/b.md"},
		{"..", "here/a.md", "a.md"},
		{"..", "other%20dir/c.md", "../other dir/c.md"},
		{"../other dir/c.md", "other%20dir/c.md", "../other dir/c.md"},
		{"../other dir/c.md", "other%20dir/gone%25.md", "../other dir/gone%.md"},
		{"a.md", "other%20dir/c.md", filepath.Join(dir, "other dir/c.md")},
		{filepath.Join(dir, "here"), "here/docs/b.md", filepath.Join(dir, "here/docs/b.md")},
	} {
		names, err := newNaming(uri.RFC3986)
		if err != nil {
			t.Fatal(err)
		}
		u, err := new(checkFlags).sourceOf(&fetch.Options{Mode: uri.RFC3986}, c.arg)
		if err != nil {
			t.Fatal(err)
		}
		names.add(u, c.arg)
		root, err := directory(uri.RFC3986, dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := names.of(uri.MustParse(root.String() + c.file)); got != filepath.FromSlash(c.want) {
			t.Errorf("%s: got %s for %s, want %s", c.arg, got, c.file, c.want)
		}
	}
	names := naming{redact: func(uri.URI) string { return "a URI" }}
	names.add(uri.MustParse(inputURI), "-")
	for in, want := range map[string]string{inputURI: "standard input", "http://h/a.md": "a URI"} {
		if got := names.of(uri.MustParse(in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestMirrorReportsAFullDiskOnce: documents that are in progress at the same time fail for the same cause.
func TestMirrorReportsAFullDiskOnce(t *testing.T) {
	full := func(name string) error {
		return fetch.Errorf(fetch.ErrDisk, "%w", &fs.PathError{Op: "write", Path: name, Err: syscall.EIO})
	}
	var f mirrorFlags
	for i, c := range []struct {
		err  error
		want bool
	}{{full("a"), false}, {full("b"), true}, {fetch.Errorf(fetch.ErrDisk, "%w", syscall.EACCES), false}, {fetch.Errorf(fetch.ErrNotFound, "x"), false},
		{fetch.Errorf(fetch.ErrNotFound, "x"), false}, {full("manifest"), true},
		{fetch.Errorf(fetch.ErrDisk, "%w", errors.Join(full("index.html"), fetch.Errorf(fetch.ErrDisk, "x"))), true}} {
		if got := f.repeats(c.err); got != c.want {
			t.Errorf("error %d, %v: got %t, want %t", i, c.err, got, c.want)
		}
	}
}

func TestAnnouncementOfAllAddresses(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("2001:db8::7"),
		netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("fe80::7%eth0")}
	for _, tt := range []struct {
		at   string
		own  []netip.Addr
		want string
	}{
		{"0.0.0.0:8070", own, "the gateway is http://192.0.2.7:8070/ until interrupted (Ctrl-C)"},
		{"[::]:8070", own, "the gateway is http://192.0.2.7:8070/ and http://[2001:db8::7]:8070/ until interrupted (Ctrl-C)"},
		{"192.0.2.7:8070", own, "the gateway is http://192.0.2.7:8070/ until interrupted (Ctrl-C)"},
		{"127.0.0.1:8070", own, "the gateway is http://127.0.0.1:8070/ until interrupted (Ctrl-C)"},
		{"0.0.0.0:8070", own[:2], "the gateway is http://127.0.0.1:8070/ until interrupted (Ctrl-C)"},
	} {
		got := announcement(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tt.at)), slices.Clone(tt.own))
		if got[0] != tt.want {
			t.Errorf("%s: %q, want %q", tt.at, got[0], tt.want)
		}
	}
}
