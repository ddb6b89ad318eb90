// Package mailtest serves mail on loopback: the messages of a directory by IMAP, and an SMTP server that stores what it receives.
//
//	s, err := mailtest.ListenIMAP(fsys, nil)   // mail/*.eml of fsys are INBOX, mail/x/*.eml the mailbox x
//	defer s.Close()
//	... s.URL + "/INBOX/;UID=1" ...
package mailtest

import (
	"bytes"
	"crypto/tls"
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

// The users of the servers, who have the same messages. A netrc file can contain Plain's password.
const (
	User          = "ann"
	Password      = "pa ss\"w\\rd"
	Plain         = "bob"
	PlainPassword = "secret"
)

// Options configure a server. A nil *Options means an open server on a free port.
type Options struct {
	Addr         string           // "" means a free port of 127.0.0.1
	Network      loopback.Network // nil means the system's
	TLS          bool             // from the first byte
	StartTLS     bool             // by the STARTTLS command
	PasswordsTLS bool             // refuse passwords without TLS: LOGINDISABLED
	Idle         time.Duration    // timeout for a command of an SMTP client; 0 means one minute
}

// ListenIMAP serves the messages of fsys. The Transcript has what both sides have sent, in pieces.
func ListenIMAP(fsys fs.FS, o *Options) (*loopback.Server, error) {
	if o == nil {
		o = &Options{}
	}
	mem, err := mailboxes(fsys)
	if err != nil {
		return nil, err
	}
	s := &loopback.Server{}
	s.Network = o.Network
	cfg, err := loopback.Certify(s)
	if err != nil {
		return nil, err
	}
	opts := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		Caps:         imap.CapSet{imap.CapIMAP4rev1: {}},
		InsecureAuth: !o.PasswordsTLS,
		Logger:       log.New(io.Discard, "", 0),
		DebugWriter:  noter{s},
	}
	if o.StartTLS {
		opts.TLSConfig = cfg
	}
	server := imapserver.New(opts)
	scheme := "imap"
	if o.TLS {
		scheme = "imaps"
	}
	return loopback.Start(s, scheme, o.Addr, func(c net.Conn) {
		var l net.Listener = &single{Conn: c, ended: make(chan struct{})}
		if o.TLS {
			l = tls.NewListener(l, cfg)
		}
		server.Serve(l)
	})
}

// mailboxes fills the mailboxes of the users.
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
		b, err := ReadMessage(fsys, name)
		if err != nil {
			return err
		}
		_, err = user.Append(box, literal{bytes.NewReader(b)}, &imap.AppendOptions{})
		return err
	})
}

// ReadMessage reads a message file with CRLF line ends.
func ReadMessage(fsys fs.FS, name string) ([]byte, error) {
	b, err := fs.ReadFile(fsys, name)
	return CRLF(b), err
}

// CRLF returns b with CRLF line ends.
func CRLF(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }
