package gophertest

import (
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/testdata"
)

// patience bounds every read of the tests' client. It prevents hanging, also on a busy machine.
const patience = 60 * time.Second

func files() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }
	return fstest.MapFS{
		"README.txt":     file("hello\n"),
		"dots.txt":       file(".\na\n..\nlast"),
		"crlf.txt":       file("a\r\nb\r\n"),
		"empty.txt":      file(""),
		"0":              file("zero\n"),
		"bytes.bin":      file("\x00\n.\n\xff"),
		"noext":          file("plain words\n"),
		"nul":            file("a\x00b"),
		"a b/c#d.txt":    file("odd words\n"),
		"latin1.txt":     file("Gen\xe8ve\n"),
		".hidden":        file("words"),
		"map/gophermap":  file("# ignored\n!Title\ntext\n0A file\treadme\n1Up\t/\n1Other\t/x\tother.example\n7Find\t/find\tother.example\t7070\nhWeb\tURL:http://h/\n-secret.txt\n*\nafter the end\n"),
		"map/readme":     file("r"),
		"map/secret.txt": file("s"),
		"map/shown.txt":  file("t"),
		"dot/gophermap":  file("one\r\n.\r\ntwo\r\n"),
		"odd/sub/x":      file(""),
		"odd/a file whose name is longer than the column": file("long\n"),
		"void/gophermap":       file(""),
		"forms/visit.ask":      file("Ask: name?\nAskL: words?\nSelect: copy?\n\n$1 said $2, $3\n"),
		"views/g.txt":          file("good\n"),
		"views/g.de.txt":       file("gut\n"),
		"views/g.html":         file("<p>good\n"),
		"views/g.txt.abstract": file("a greeting\n"),
	}
}

func start(t *testing.T, o *Options) *loopback.Server {
	t.Helper()
	s := NewServer(files(), o)
	t.Cleanup(s.Close)
	return s
}

// inBubble calls f with a server on a network in memory, in a bubble of testing/synctest, where deadlines take no time.
func inBubble(t *testing.T, o Options, f func(*testing.T, *loopback.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Network = &fetchtest.Network{}
		f(t, start(t, &o))
	})
}

func dial(t *testing.T, s *loopback.Server) net.Conn {
	t.Helper()
	c, err := s.Network.Dial(t.Context(), "tcp", netip.Addr{}, s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	if s.Roots() != nil {
		return tls.Client(c, &tls.Config{RootCAs: s.Roots(), ServerName: "127.0.0.1"})
	}
	return c
}

// ask sends raw bytes and reads to the end of the connection.
func ask(t *testing.T, s *loopback.Server, request string) (string, error) {
	t.Helper()
	c := dial(t, s)
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	return string(b), err
}

// get requests a selector, and replaces HOST and PORT in it by those of the server.
func get(t *testing.T, s *loopback.Server, selector string) string {
	t.Helper()
	got, err := ask(t, s, selector+"\r\n")
	if err != nil {
		t.Fatalf("%q: got %v, want no error", selector, err)
	}
	host, port, _ := net.SplitHostPort(s.Addr)
	return strings.ReplaceAll(got, "\t"+host+"\t"+port, "\tHOST\tPORT")
}

func site(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(testdata.Site(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
