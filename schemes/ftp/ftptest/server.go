package ftptest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"net"
	"time"

	"example.org/deref/schemes/internal/loopback"
)

// User is an account.
type User struct {
	Password string
	Account  string // what ACCT must name; "" means that none is asked for
	Home     string // login folder, "/" if void
}

// Options say how a server behaves. A nil *Options, and each zero field, means
// the ordinary: anonymous users, plain TCP, every command offered.
type Options struct {
	Addr  string // where to listen; "" is a free port of 127.0.0.1
	Users map[string]User
	// NoAnonymous refuses "anonymous" and "ftp" unless Users has them.
	NoAnonymous bool
	// QuickLogin logs anonymous users in at USER (230, no 331).
	// QUIRK: pure-ftpd 1.0.50 does so.
	QuickLogin bool
	Greeting   string // text of the 220, of several lines if it has LFs

	NoEPSV  bool // EPSV and EPRT answered 550, although FEAT lists EPSV: vsftpd 3.0.3's manner
	NoPASV  bool // PASV and EPSV answered 502: active mode only
	NoMLSD  bool // MLSD and MLST unknown
	NoSIZE  bool // SIZE unknown
	NoMDTM  bool // MDTM unknown
	NoREST  bool // REST unknown
	NoFEAT  bool // FEAT and OPTS unknown
	VoidCWD bool // CWD with a void argument stays where it is (250) instead of 550
	// NoPipelining drops what arrived before the reply to the command in hand.
	NoPipelining bool
	// DoubleCR makes CR LF of every LF in TYPE A, also of one that has its CR.
	// QUIRK: pure-ftpd 1.0.50 does so.
	DoubleCR bool
	// Linger holds the 226 back until the client has closed its side of the
	// data connection, or for this long.
	// QUIRK: proftpd 1.3.8 does so, for 10.8 s.
	Linger time.Duration
	// EmptyMissing lists what is not there as an empty folder.
	// QUIRK: vsftpd 3.0.3 does so; only CWD tells the two apart.
	EmptyMissing bool
	// Latin1 writes and reads file names as ISO 8859-1 instead of UTF-8.
	Latin1 bool
	// List is the dialect of LIST and STAT; nil is UNIX.
	List Dialect

	TLS          *tls.Config // offers AUTH TLS
	SelfSigned   bool        // offers AUTH TLS, with a certificate of its own making: see Server.Roots
	Implicit     bool        // TLS from the first octet
	RequireTLS   bool        // no login and no data in clear
	RequireReuse bool        // data connections must resume the control connection's session, as vsftpd insists

	Idle   time.Duration // after this long without a command or progress: 421; 0 is two minutes
	Now    time.Time     // "now" for LIST, which prints young and old dates differently; zero is the real one
	Faults *Faults
}

// Server is a running server.
type Server struct {
	Addr string // host:port
	URL  string // ftp://host:port, or ftps: for implicit TLS

	fsys  fs.FS
	roots *x509.CertPool
	o     Options
	f     Faults
	net   *loopback.Server
}

// idle is the default of Options.Idle: longer than any test takes, short enough
// that a forgotten client goes away.
const idle = 2 * time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it
// cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server {
	s, err := Listen(fsys, o)
	if err != nil {
		panic("ftptest: " + err.Error())
	}
	return s
}

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys}
	if o != nil {
		s.o = *o
	}
	if s.o.Faults != nil {
		s.f = *s.o.Faults
	}
	if s.o.SelfSigned && s.o.TLS == nil {
		var err error
		if s.o.TLS, s.roots, err = loopback.SelfSigned(); err != nil {
			return nil, err
		}
	}
	if s.o.Idle <= 0 {
		s.o.Idle = idle
	}
	if s.o.List == nil {
		s.o.List = UNIX
	}
	ready := make(chan struct{}) // the first client may be faster than these assignments
	ln, err := loopback.Listen(s.o.Addr, func(c net.Conn) { <-ready; s.serve(c) })
	if err != nil {
		return nil, err
	}
	s.net, s.Addr, s.URL = ln, ln.Addr(), "ftp://"+ln.Addr()
	if s.implicit() {
		s.URL = "ftps://" + ln.Addr()
	}
	close(ready)
	return s, nil
}

func (s *Server) implicit() bool { return s.o.TLS != nil && s.o.Implicit }

// Close ends every connection and returns when no goroutine is left.
func (s *Server) Close() { s.net.Close() }

// Roots are what a client must trust to believe a SelfSigned server; else nil.
func (s *Server) Roots() *x509.CertPool { return s.roots }

// Wait returns when the last client has gone, or after d, and reports which of the
// two it was. After it the Transcript holds what clients said without waiting
// for a reply (QUIT).
func (s *Server) Wait(d time.Duration) bool { return s.net.Wait(d) }

// Transcript is every command line received so far, of all connections, as it
// came (without line end). Passwords are in it: they are the test's own.
func (s *Server) Transcript() []string { return s.net.Transcript() }

// Sessions is the number of control connections accepted so far.
func (s *Server) Sessions() int { return s.net.Peers() }

func (s *Server) now() time.Time {
	if s.o.Now.IsZero() {
		return time.Now()
	}
	return s.o.Now
}
