package ftp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/ftp"
	"example.org/deref/uri"
)

// real describes how a real server differs from the others.
type real struct {
	name, scheme string
	alice        bool // has the user alice
	tls          bool // explicit
}

func realServers() []real {
	return []real{
		{name: "vsftpd", scheme: "ftp", tls: true},
		{name: "proftpd", scheme: "ftp", alice: true, tls: true},
		{name: "proftpds", scheme: "ftps", alice: true},
		{name: "pureftpd", scheme: "ftp", alice: true, tls: true},
	}
}

// realCase is one URI and the expected result on each server.
type realCase struct {
	path      string
	file      string // below the servers' root; its content is wanted
	dir       string // instead: a name that the listing must have
	fail      fetch.Kind
	user      string // "alice": log in as this user
	set       map[string][]string
	tls       bool
	text      bool   // line ends of the network are converted
	only, not string // one server
}

func realCases() []realCase {
	deep := "/pub/deep"
	for i := range 24 {
		deep += "/d" + itoa(i+1)
	}
	set := func(kv ...string) map[string][]string { return map[string][]string{kv[0]: {kv[1]}} }
	return []realCase{
		{path: "/pub/README.txt", file: "pub/README.txt"},
		{path: "/motd", file: "motd"},
		{path: deep + "/leaf.txt", file: strings.TrimPrefix(deep, "/") + "/leaf.txt"},
		{path: deep + "/leaf.txt", file: strings.TrimPrefix(deep, "/") + "/leaf.txt", set: set("ftp.method", "nocwd")},
		{path: deep + "/leaf.txt", file: strings.TrimPrefix(deep, "/") + "/leaf.txt", set: set("ftp.method", "auto")},
		{path: "/pub/a%20dir/b%20dir/c%20d.txt", file: "pub/a dir/b dir/c d.txt"},
		{path: "/pub/a%20dir/b%20dir", dir: "c d.txt"},
		{path: "/pub/name%20with%20spaces.txt", file: "pub/name with spaces.txt"},
		{path: "/%2Fpub/lf.txt", file: "pub/lf.txt"},
		{path: "/%2Fpub%2Flf.txt", file: "pub/lf.txt"},
		{path: "//pub/lf.txt", fail: fetch.ErrNotFound, not: "pureftpd"}, // "CWD " is refused
		{path: "//pub/lf.txt", file: "pub/lf.txt", only: "pureftpd"},     // "CWD " stays where it is
		{path: "/pub/lf.txt;type=a", file: "pub/lf.txt", text: true},
		{path: "/pub/lf.txt;type=i", file: "pub/lf.txt"},
		{path: "/pub/bytes.bin", file: "pub/bytes.bin"},
		{path: "/pub/empty.txt", file: "pub/empty.txt"},
		{path: "/pub/random64m.bin", file: "pub/random64m.bin"},
		{path: "/pub/random64m.bin", file: "pub/random64m.bin", tls: true},
		{path: "/pub/lf.txt", file: "pub/lf.txt", tls: true},
		{path: "/pub/", dir: "random64m.bin", tls: true},
		{path: "/pub/", dir: "random64m.bin"},
		{path: "/pub", dir: "name with spaces.txt"},
		{path: "/pub;type=d", dir: "caf\u00e9.txt"},
		{path: "/", dir: "motd"},
		{path: "", dir: "pub"},
		{path: "/pub/many/", dir: "f599.txt"},
		{path: "/pub/dirlink", dir: "d2"},
		{path: "/pub/link.txt", file: "pub/link.txt"},
		{path: "/pub/nonesuch.txt", fail: fetch.ErrNotFound},
		{path: "/nonesuch/x", fail: fetch.ErrNotFound},
		{path: "/nonesuch/", fail: fetch.ErrNotFound},
		{path: "/pub/noread.txt", fail: fetch.ErrRefused},
		{path: "/pub/lf.txt", file: "pub/lf.txt", set: set("ftp.pipeline", "no")},
		{path: "/pub/lf.txt", file: "pub/lf.txt", set: set("ftp.epsv", "no")},
		{path: "/pub/lf.txt", file: "pub/lf.txt", set: set("ftp.active", "yes")},
		{path: "/pub/lf.txt", file: "pub/lf.txt", set: set("ftp.active", "yes"), tls: true},
		{path: "/home.txt", file: "home/alice/home.txt", user: "alice"},
		{path: "/%2Fmotd", file: "motd", user: "alice"},
		{path: "/sub/s.txt", file: "home/alice/sub/s.txt", user: "alice"},
		{path: "/home.txt", fail: fetch.ErrAuth, user: "alice:wrong"},
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestRealServers(t *testing.T) {
	for _, s := range realServers() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // pure-ftpd delays logins
			addr := lab.Server(t, s.name)
			_, port, _ := strings.Cut(addr, ":")
			c := fetch.New(ftp.Schemes(nil)...)
			c.TLS = lab.TLS(t)
			defer c.Close()
			for _, tt := range realCases() {
				scheme := s.scheme
				if tt.tls && s.tls {
					scheme = "ftpes"
				}
				if tt.user != "" && !s.alice || tt.only != "" && tt.only != s.name || tt.not == s.name {
					continue
				}
				t.Run(scheme+tt.path, func(t *testing.T) {
					fetchReal(t, c, uri.MustParse(scheme+"://localhost:"+port+tt.path), tt)
				})
			}
		})
	}
}

func fetchReal(t *testing.T, c *fetch.Client, u uri.URI, tt realCase) {
	o := &fetch.Options{Set: tt.set}
	if tt.user != "" {
		user, pw, ok := strings.Cut(tt.user, ":")
		if !ok {
			pw = "secret"
		}
		o.Login = fetch.Login{User: user, Password: pw, Set: true}
	}
	if testing.Verbose() && os.Getenv("DIALOGUE") != "" {
		o.Trace = func(e fetch.Event) {
			if e.Text {
				t.Logf("%d %c %s", e.Conn, e.Dir, strings.TrimSpace(string(e.Data)))
			}
		}
	}
	d, err := c.Get(t.Context(), u, o)
	if tt.fail != "" {
		if fetch.KindOf(err) != tt.fail {
			t.Errorf("got %v (%s), want %s", err, fetch.KindOf(err), tt.fail)
		}
		return
	}
	if err != nil {
		t.Fatalf("got %v (%s), want no error", err, fetch.KindOf(err))
	}
	defer d.Body.Close()
	if tt.dir != "" {
		found := false
		for e, err := range d.Entries {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == fetch.KindUnknown {
				t.Errorf("got the line %q in no known format, want entries", e.Title)
			}
			found = found || e.Title == tt.dir
		}
		if !found {
			t.Errorf("got no %q in the listing, want it", tt.dir)
		}
		return
	}
	h := sha256.New()
	if _, err := io.Copy(h, d.Body); err != nil {
		t.Fatalf("got %v (%s), want the whole file", err, fetch.KindOf(err))
	}
	want := sha256.Sum256(lab.Read(t, tt.file))
	if got := hex.EncodeToString(h.Sum(nil)); got != hex.EncodeToString(want[:]) {
		t.Errorf("got SHA-256 %s, want %x", got, want)
	}
	if size := int64(len(lab.Read(t, tt.file))); !tt.text && d.Size != size {
		t.Errorf("got size %d, want %d", d.Size, size)
	}
}
