package newstest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"net"
	"sync"
	"time"

	"example.org/deref/schemes/internal/loopback"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary: everybody may read, plain TCP, every
// command offered, no posting.
type Options struct {
	Addr     string // where to listen; "" is a free port of 127.0.0.1
	Greeting string // text of the 200
	// Articles are added to those of the folder, each to the groups that its Newsgroups field names.
	Articles []string
	Posting  bool
	// Moderated groups take no articles (440 would be wrong: 441).
	Moderated []string

	Users   map[string]string // passwords by name
	Private string            // wildmat of the groups that only users may read
	NoUser  bool              // AUTHINFO USER is not offered, only SASL PLAIN

	// Transit begins in the mode for other servers; MODE READER is answered by a new greeting, and what came before that is lost.
	// QUIRK: INN 2.7.1's innd hands the connection over to nnrpd in this way (seen).
	Transit        bool
	NoCapabilities bool // CAPABILITIES unknown: leafnode 1.12
	// OldTransit is Transit without CAPABILITIES: reading is refused with 480 until MODE READER.
	OldTransit bool
	NoOver     bool // OVER unknown
	NoXover    bool // XOVER unknown
	NoNewnews  bool // NEWNEWS refused
	// NoPipelining drops what arrived before the reply to the command in hand.
	NoPipelining bool
	// AlwaysGone answers 430 also where a number has no article.
	// QUIRK: leafnode 1.12 does so (seen).
	AlwaysGone bool
	Compress   bool // offers COMPRESS DEFLATE

	TLS        *tls.Config // offers STARTTLS
	SelfSigned bool        // offers STARTTLS, with a certificate of its own making: see Server.Roots
	Implicit   bool        // TLS from the first octet
	RequireTLS bool        // 483 to AUTHINFO in clear

	Idle   time.Duration // after this long without a command: 400; 0 is two minutes
	Faults *Faults
}

// Server is a running server.
type Server struct {
	Addr string // host:port
	URL  string // nntp://host:port, or nntps: for implicit TLS

	roots *x509.CertPool
	o     Options
	f     Faults
	net   *loopback.Server

	mu    sync.RWMutex // guards spool
	spool *spool
}

// idle is the default of Options.Idle: longer than any test takes, short enough that a forgotten client goes away.
const idle = 2 * time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server {
	s, err := Listen(fsys, o)
	if err != nil {
		panic("newstest: " + err.Error())
	}
	return s
}

// Listen starts a server on fsys, or says why it cannot. The groups are the folders of fsys, or of its folder "news" where it has one; nil is
// an empty folder. All of it is read now.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{}
	if o != nil {
		s.o = *o
	}
	if s.o.Faults != nil {
		s.f = *s.o.Faults
	}
	if s.o.Idle <= 0 {
		s.o.Idle = idle
	}
	var err error
	if s.spool, err = readSpool(fsys); err != nil {
		return nil, err
	}
	for _, a := range s.o.Articles {
		s.spool.add(parseArticle([]byte(a)))
	}
	if s.o.SelfSigned && s.o.TLS == nil {
		if s.o.TLS, s.roots, err = loopback.SelfSigned(); err != nil {
			return nil, err
		}
	}
	ready := make(chan struct{}) // the first client may be faster than these assignments
	ln, err := loopback.Listen(s.o.Addr, func(c net.Conn) { <-ready; s.serve(c) })
	if err != nil {
		return nil, err
	}
	s.net, s.Addr, s.URL = ln, ln.Addr(), "nntp://"+ln.Addr()
	if s.implicit() {
		s.URL = "nntps://" + ln.Addr()
	}
	close(ready)
	return s, nil
}

func (s *Server) implicit() bool { return s.o.TLS != nil && s.o.Implicit }

// Close ends every connection and returns when no goroutine is left.
func (s *Server) Close() { s.net.Close() }

// Roots are what a client must trust to believe a SelfSigned server; else nil.
func (s *Server) Roots() *x509.CertPool { return s.roots }

// Wait returns when the last client has gone, or after d, and reports which of the two it was.
func (s *Server) Wait(d time.Duration) bool { return s.net.Wait(d) }

// Transcript is every command line received so far, of all connections, as it came (without line end). Passwords are in it: they are the
// test's own.
func (s *Server) Transcript() []string { return s.net.Transcript() }

// Sessions is the number of connections accepted so far.
func (s *Server) Sessions() int { return s.net.Peers() }

// Article returns the octets of an article by its message-id with brackets, nil if there is none.
func (s *Server) Article(id string) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if a := s.spool.byID[id]; a != nil {
		return a.raw
	}
	return nil
}
