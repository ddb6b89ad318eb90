// Package ldaptest is a directory server (RFC 4511) on the loopback interface, for tests of clients and for `deref serve`. It serves
// any fs.FS as a directory, and entries of its own:
//
//	srv := ldaptest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "ldap://127.0.0.1:PORT"
//
// The root is o=site. A directory of files is ou=NAME below that of its parent, and a file cn=NAME with its bytes as the attribute "data". The
// server has a root DSE (RFC 4512 section 5.1) and supports simple binds, compare, "Who am I?" (RFC 4532), searches with pages (RFC 2696) and
// StartTLS. It changes nothing.
package ldaptest

import (
	"bufio"
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	ber "github.com/go-asn1-ber/asn1-ber"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr    string            // where to listen; empty means a free port of 127.0.0.1
	Network loopback.Network  // nil means the system's
	Entries []Entry           // besides the files
	Users   map[string]string // names and passwords; if there are any, only users who bind may search
	Refer   map[string]string // base objects on another server, in lower case, and their URIs
	Most    int               // entries that one search may return, with pages or without; 0 means no limit
	TLS     *tls.Config       // for StartTLS; nil refuses it
}

// An Entry is an entry of the directory.
type Entry struct {
	DN   string
	Attr [][2]string // types and values, in order
}

// idle is how long a client may be silent.
const idle = time.Minute

// A server is a running server. Its Transcript is the requests in words: "bind NAME", "search BASE SCOPE", "compare NAME", "whoami",
// "StartTLS".
type server struct {
	loopback.Server

	fsys fs.FS
	o    Options
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	s.Network = s.o.Network
	return loopback.Start(s, "ldap", s.o.Addr, s.serve)
}

// maxRequest limits a message.
const maxRequest = 1 << 20

func (s *server) serve(c net.Conn) {
	c = loopback.Patient(c, idle)
	k := &session{s: s, conn: c, w: bufio.NewWriter(c), in: len(s.o.Users) == 0}
	for r := bufio.NewReader(c); !k.over; {
		if r.Buffered() == 0 && k.w.Flush() != nil {
			return
		}
		m, err := ber.ReadPacket(io.LimitReader(r, maxRequest))
		if err != nil || len(m.Children) < 2 {
			return
		}
		k.request(m)
		if k.conn != c { // inside TLS from here on
			c, r = k.conn, bufio.NewReader(k.conn)
		}
	}
	k.w.Flush()
}
