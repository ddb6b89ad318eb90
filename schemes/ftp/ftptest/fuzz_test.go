package ftptest

import (
	"bytes"
	"io/fs"
	"net/netip"
	"strings"
	"testing"
)

// FuzzJoin: no argument leads out of the root, whatever the folder.
func FuzzJoin(f *testing.F) {
	f.Add("/a", "../../x")
	f.Add("/", "//..//")
	f.Fuzz(func(t *testing.T, cwd, arg string) {
		abs := join(join("/", cwd), arg)
		if !strings.HasPrefix(abs, "/") || strings.Contains(abs+"/", "/../") || join("/", abs) != abs {
			t.Errorf("join(%q, %q) = %q", cwd, arg, abs)
		}
		if name := inFS(abs); strings.ToValidUTF8(name, "") == name && !fs.ValidPath(name) {
			t.Errorf("inFS(%q) = %q", abs, name)
		}
	})
}

// FuzzAddresses: what is understood is an address with a port.
func FuzzAddresses(f *testing.F) {
	f.Add("127,0,0,1,200,1", "|1|127.0.0.1|9999|")
	f.Add("", "|2|::1|1|")
	f.Fuzz(func(t *testing.T, port, eprt string) {
		if a, err := parsePORT(port); err == nil && !a.Addr().Is4() {
			t.Errorf("PORT %q: %v", port, a)
		}
		if a, err := parseEPRT(eprt); err == nil && a.Addr() == (netip.Addr{}) {
			t.Errorf("EPRT %q: %v", eprt, a)
		}
	})
}

// FuzzClean: never longer, and without line ends at the end.
func FuzzClean(f *testing.F) {
	f.Add([]byte("\xff\xf4\xffABOR\r\n"))
	f.Fuzz(func(t *testing.T, p []byte) {
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			p = p[:i+1] // a line is read up to its first LF
		}
		in := bytes.Clone(p)
		if got := clean(p); len(got) > len(in) || strings.HasSuffix(got, "\n") {
			t.Errorf("clean(%q) = %q", in, got)
		}
	})
}
