// Package mailtest serves mail on loopback: the messages of a folder by IMAP, and a place by SMTP that takes what it is given.
//
//	s, err := mailtest.ListenIMAP(fsys, nil)   // mail/*.eml of fsys are INBOX, mail/x/*.eml the folder x
//	defer s.Close()
//	... s.URL + "/INBOX/;UID=1" ...
package mailtest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"path"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"

	"example.org/deref/fetch/fetchtest/loopback"
)

// The users of the servers, who have the same messages; Plain's password can stand in a netrc.
const (
	User          = "ann"
	Password      = "pa ss\"w\\rd"
	Plain         = "bob"
	PlainPassword = "secret"
)

// Options of a server; nil is an open one on a free port.
type Options struct {
	Addr         string        // "" is a free port of 127.0.0.1
	TLS          bool          // from the first octet
	StartTLS     bool          // by the command
	PasswordsTLS bool          // no passwords in clear: LOGINDISABLED
	Idle         time.Duration // how long a client of SMTP may take for a command; 0 is one minute
}

// A Server is an IMAP server.
type Server struct {
	Addr, URL string
	Roots     *x509.CertPool // of its certificate
	server    *imapserver.Server
	net       *loopback.Listener
	conns     *handed
	said      transcript
	done      chan struct{}
}

// ListenIMAP serves the messages of fsys.
func ListenIMAP(fsys fs.FS, o *Options) (*Server, error) {
	if o == nil {
		o = &Options{}
	}
	mem, err := mailboxes(fsys)
	if err != nil {
		return nil, err
	}
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		return nil, err
	}
	conns := newHanded()
	server, err := loopback.Listen(o.Addr, conns.hand)
	if err != nil {
		return nil, err
	}
	conns.addr = server.Addr()
	s := &Server{Addr: server.Addr(), Roots: roots, net: server, conns: conns, done: make(chan struct{})}
	s.URL = "imap://" + s.Addr
	if o.TLS {
		s.URL = "imaps://" + s.Addr
	}
	opts := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		Caps:         imap.CapSet{imap.CapIMAP4rev1: {}},
		InsecureAuth: !o.PasswordsTLS,
		Logger:       log.New(io.Discard, "", 0),
		DebugWriter:  &s.said,
	}
	if o.StartTLS {
		opts.TLSConfig = cfg
	}
	s.server = imapserver.New(opts)
	var l net.Listener = conns
	if o.TLS {
		l = tls.NewListener(l, cfg)
	}
	go func() {
		defer close(s.done)
		s.server.Serve(l)
	}()
	return s, nil
}

// Said is all that was said by both sides, also over connections that their clients have closed.
func (s *Server) Said() string {
	s.net.Peers() // waits for those
	return s.said.String()
}

// Close ends the server and its connections.
func (s *Server) Close() {
	s.conns.Close()
	<-s.done // before the library's Close, which must not run while Serve begins: both use one WaitGroup
	s.server.Close()
	s.net.Close()
}

// mailboxes fills the folders of the users.
func mailboxes(fsys fs.FS) (*imapmemserver.Server, error) {
	s := imapmemserver.New()
	for name, password := range map[string]string{User: Password, Plain: PlainPassword} {
		user := imapmemserver.NewUser(name, password)
		if err := fill(user, fsys); err != nil {
			return nil, err
		}
		s.AddUser(user)
	}
	return s, nil
}

func fill(user *imapmemserver.User, fsys fs.FS) error {
	user.Create("INBOX", nil)
	return fs.WalkDir(fsys, "mail", func(name string, d fs.DirEntry, err error) error {
		switch {
		case name == "mail" && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && name != "mail":
			return user.Create(strings.TrimPrefix(name, "mail/"), nil)
		case d.IsDir() || path.Ext(name) != ".eml":
			return nil
		}
		box := "INBOX"
		if dir := path.Dir(name); dir != "mail" {
			box = strings.TrimPrefix(dir, "mail/")
		}
		b, err := Message(fsys, name)
		if err != nil {
			return err
		}
		_, err = user.Append(box, literal{bytes.NewReader(b)}, &imap.AppendOptions{})
		return err
	})
}

// Message reads a message as it is sent: with CRLF.
func Message(fsys fs.FS, name string) ([]byte, error) {
	b, err := fs.ReadFile(fsys, name)
	return CRLF(b), err
}

// CRLF ends the lines of a text so.
func CRLF(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }
