package newstest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options configure a server. A nil *Options, and each zero field, means the usual: everybody may read, plain TCP, every command offered,
// no posting.
type Options struct {
	Addr    string           // where to listen; "" means a free port of 127.0.0.1
	Network loopback.Network // nil means the system's
	// Articles are added to those of the directory, each to the groups in its Newsgroups field.
	Articles  []string
	Cancelled []string // "group/number" of removed articles, whose numbers are not used again
	Posting   bool

	Users   map[string]string // passwords by name
	Private string            // wildmat of the groups that require a login
	NoUser  bool              // offer only SASL PLAIN, not AUTHINFO USER

	// Transit starts in the mode for other servers. MODE READER gets a new greeting, and the server loses the commands before that.
	// QUIRK: INN 2.7.1's innd hands the connection over to nnrpd in this way (observed).
	Transit        bool
	NoCapabilities bool // CAPABILITIES is unknown, as to leafnode 1.12
	// OldTransit is Transit without CAPABILITIES: commands for readers get 480 until MODE READER.
	OldTransit bool
	// Lacks are unknown verbs: "OVER", "HDR", "LIST COUNTS".
	Lacks []string
	// NoPipelining drops what arrives before the reply to the current command.
	NoPipelining bool

	SelfSigned bool // offer STARTTLS, with a self-signed certificate: see Server.Roots
	Implicit   bool // TLS from the first byte
	RequireTLS bool // send 483 to AUTHINFO without TLS

	Idle   time.Duration // send 400 after this long without a command; 0 means two minutes
	Faults *Faults
}

// Server is a running server.
type Server struct {
	loopback.Server // Addr, URL (nntp://host:port, or nntps: for implicit TLS), and the methods below

	o   Options
	f   Faults
	tls *tls.Config

	mu    sync.RWMutex // guards spool
	spool *spool
}

// idle is the default of Options.Idle: longer than any test takes, short enough to drop forgotten clients.
const idle = 2 * time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen. See Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys. The groups are the directories of fsys, or of its directory "news" if it has one. A nil fsys is empty.
// Listen reads all of fsys.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{o: loopback.Given(o)}
	s.Network = s.o.Network
	s.f = loopback.Given(s.o.Faults)
	loopback.Default(&s.o.Idle, idle)
	var err error
	if s.spool, err = readSpool(fsys); err != nil {
		return nil, err
	}
	for _, a := range s.o.Articles {
		s.spool.add(parseArticle([]byte(a)))
	}
	for _, name := range s.o.Cancelled {
		s.spool.cancel(name)
	}
	if s.o.SelfSigned {
		if s.tls, err = loopback.Certify(s); err != nil {
			return nil, err
		}
	}
	scheme := "nntp"
	if s.implicit() {
		scheme = "nntps"
	}
	if _, err := loopback.Start(s, scheme, s.o.Addr, s.serve); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) implicit() bool { return s.tls != nil && s.o.Implicit }

// Article returns an article by its message-id with brackets, or nil.
func (s *Server) Article(id string) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if a := s.spool.byID[id]; a != nil {
		return a.raw
	}
	return nil
}

// Close closes all connections and returns when no goroutine of the server is left.
func (s *Server) Close() { s.Server.Close() }

// Transcript returns all lines received so far: see [loopback.Server.Transcript].
func (s *Server) Transcript() []string { return s.Server.Transcript() }

// Roots returns the roots that verify the server's own certificate. It returns nil if there is none.
func (s *Server) Roots() *x509.CertPool { return s.Server.Roots() }

// Wait waits until all clients have left, but not longer than d, and reports whether they have. The Transcript is complete then.
func (s *Server) Wait(d time.Duration) bool { return s.Server.Wait(d) }

// Sessions returns the number of connections accepted so far.
func (s *Server) Sessions() int { return s.Server.Sessions() }
