// Package ldaptest is a directory server (RFC 4511) on the loopback interface, for tests of clients and for `deref serve`. It serves
// any fs.FS as a directory, and entries of its own beside it:
//
//	srv := ldaptest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "ldap://127.0.0.1:PORT"
//
// The root is o=site, a folder is ou=NAME below that of its folder, and a file cn=NAME with the attribute "data", its octets. The
// server has a root DSE (RFC 4512 section 5.1), knows simple binds, compare, "Who am I?" (RFC 4532), searches with pages (RFC 2696) and
// StartTLS, and changes nothing.
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

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr    string            // where to listen; "" is a free port of 127.0.0.1
	Entries []Entry           // besides the files
	Users   map[string]string // names and passwords; where there are any, only who binds with one may search
	Refer   map[string]string // base objects that another server has, in lower case: its URI
	Most    int               // entries that one search may bring, pages or not; 0 is no limit
	TLS     *tls.Config       // for StartTLS; nil refuses it
	Idle    time.Duration     // how long a client may stay silent; 0 is one minute
}

// An Entry is an entry of the directory.
type Entry struct {
	DN   string
	Attr [][2]string // types and values, in order
}

// Server is a running server. Its Transcript is the requests in words: "bind NAME", "search BASE SCOPE", "compare NAME", "whoami",
// "StartTLS".
type Server struct {
	loopback.Server // Addr, URL, Close, Transcript

	fsys fs.FS
	o    Options
}

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	loopback.Default(&s.o.Idle, time.Minute)
	return loopback.Start(s, "ldap", s.o.Addr, s.serve)
}

// maxRequest bounds a message.
const maxRequest = 1 << 20

func (s *Server) serve(c net.Conn) {
	c = loopback.Patient(c, s.o.Idle)
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
		if k.conn != c { // within TLS from here
			c, r = k.conn, bufio.NewReader(k.conn)
		}
	}
	k.w.Flush()
}
