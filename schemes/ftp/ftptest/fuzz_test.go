package ftptest

import (
	"bytes"
	"io/fs"
	"net/netip"
	"strings"
	"testing"
)

// FuzzJoin checks that no argument names a file outside of the root.
func FuzzJoin(f *testing.F) {
	f.Add("/a", "../../x")
	f.Add("/", "//..//")
	f.Fuzz(func(t *testing.T, cwd, arg string) {
		abs := join(join("/", cwd), arg)
		if !strings.HasPrefix(abs, "/") || strings.Contains(abs+"/", "/../") || join("/", abs) != abs {
			t.Errorf("join(%q, %q): got %q, want a clean absolute path", cwd, arg, abs)
		}
		if name := inFS(abs); strings.ToValidUTF8(name, "") == name && !fs.ValidPath(name) {
			t.Errorf("inFS(%q): got %q, want a valid path", abs, name)
		}
	})
}

// FuzzAddresses checks that accepted arguments are addresses.
func FuzzAddresses(f *testing.F) {
	f.Add("127,0,0,1,200,1", "|1|127.0.0.1|9999|")
	f.Add("", "|2|::1|1|")
	f.Fuzz(func(t *testing.T, port, eprt string) {
		if a, err := parsePORT(port); err == nil && !a.Addr().Is4() {
			t.Errorf("PORT %q: got %v, want an IPv4 address", port, a)
		}
		if a, err := parseEPRT(eprt); err == nil && a.Addr() == (netip.Addr{}) {
			t.Errorf("EPRT %q: got %v, want an address", eprt, a)
		}
	})
}

// FuzzClean checks that the result is not longer than the input, and has no line end.
func FuzzClean(f *testing.F) {
	f.Add([]byte("\xff\xf4\xffABOR\r\n"))
	f.Fuzz(func(t *testing.T, p []byte) {
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			p = p[:i+1] // a line is read up to its first LF
		}
		in := bytes.Clone(p)
		if got := clean(p); len(got) > len(in) || strings.HasSuffix(got, "\n") {
			t.Errorf("clean(%q): got %q, want at most %d bytes without a line end", in, got, len(in))
		}
	})
}
