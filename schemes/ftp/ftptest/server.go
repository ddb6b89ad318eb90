package ftptest

import (
	"crypto/tls"
	"io/fs"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
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
	// NothingBehind sends an empty file where REST leads behind its end.
	// QUIRK: vsftpd 3.0.3 does so, where others answer RETR with 554.
	NothingBehind bool
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
	loopback.Server // Addr, URL, Close, Transcript, Roots, Wait, Sessions

	fsys fs.FS
	o    Options
	f    Faults
	busy atomic.Int64 // ports that were refused for Faults.BusyPorts

	crowd crowd
}

// idle is the default of Options.Idle: longer than any test takes, short enough
// that a forgotten client goes away.
const idle = 2 * time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it
// cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	if s.o.Faults != nil {
		s.f = *s.o.Faults
	}
	if s.o.SelfSigned && s.o.TLS == nil {
		var err error
		if s.o.TLS, err = loopback.Certify(s); err != nil {
			return nil, err
		}
	}
	loopback.Default(&s.o.Idle, idle)
	if s.o.List == nil {
		s.o.List = UNIX
	}
	scheme := "ftp"
	if s.implicit() {
		scheme = "ftps"
	}
	return loopback.Start(s, scheme, s.o.Addr, s.serve)
}

func (s *Server) implicit() bool { return s.o.TLS != nil && s.o.Implicit }

func (s *Server) now() time.Time {
	if s.o.Now.IsZero() {
		return time.Now()
	}
	return s.o.Now
}
