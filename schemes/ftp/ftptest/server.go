package ftptest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"sync/atomic"
	"time"

	"golang.org/x/text/encoding"

	"example.org/deref/fetch/fetchtest/loopback"
)

// User is an account.
type User struct {
	Password string
	Account  string // the argument of ACCT; "" means that ACCT is not required
	Home     string // login directory, "/" if empty
}

// Options determine how a server behaves. A nil *Options, and each zero field,
// means the usual: anonymous users, plain TCP, all commands.
type Options struct {
	Addr    string           // where to listen; "" is a free port of 127.0.0.1
	Network loopback.Network // nil is the system's
	Users   map[string]User
	// NoAnonymous refuses "anonymous" and "ftp" unless Users has them.
	NoAnonymous bool
	// QuickLogin logs anonymous users in at USER (230, no 331).
	// QUIRK: pure-ftpd 1.0.50 does so.
	QuickLogin bool
	Greeting   string // text of the 220, of several lines if it has LFs

	NoEPSV bool // EPSV and EPRT answered 550, although FEAT lists EPSV, as with vsftpd 3.0.3
	NoPASV bool // PASV and EPSV answered 502: active mode only
	NoMLSD bool // MLSD and MLST unknown
	NoSIZE bool // SIZE unknown
	NoMDTM bool // MDTM unknown
	NoREST bool // REST unknown
	// NoPipelining drops input that arrives before the reply to the previous command.
	NoPipelining bool
	// DoubleCR turns every LF into CR LF in TYPE A, even after a CR.
	// QUIRK: pure-ftpd 1.0.50 does so.
	DoubleCR bool
	// Linger delays the 226 until the client has closed its side of the data
	// connection, but no longer than this.
	// QUIRK: proftpd 1.3.8 does so, for 10.8 s.
	Linger time.Duration
	// EmptyMissing lists a missing file as an empty directory.
	// QUIRK: vsftpd 3.0.3 does so. Only CWD distinguishes the two.
	EmptyMissing bool
	// EmptyBeyondEnd sends an empty file if the offset of REST is beyond its end.
	// QUIRK: vsftpd 3.0.3 does so. Others answer RETR with 554.
	EmptyBeyondEnd bool
	// Names is the charset of file names on the wire; nil means UTF-8.
	Names encoding.Encoding
	// UTF8OnRequest uses UTF-8 after OPTS UTF8 ON, which FEAT offers. Before it, names are in the charset Names, with question marks for what
	// that lacks.
	// QUIRK: proftpd 1.3.8 does so with two charsets in UseEncoding (observed), and IIS by its documentation.
	UTF8OnRequest bool
	// List is the dialect of LIST and STAT; nil is UNIX.
	List Dialect

	TLS          *tls.Config // offers AUTH TLS
	SelfSigned   bool        // offers AUTH TLS with a self-signed certificate, see Server.Roots
	Implicit     bool        // TLS from the first byte
	RequireTLS   bool        // no login and no data without TLS
	RequireReuse bool        // data connections must resume the control connection's session, as with vsftpd

	Idle   time.Duration // after this long without a command or progress: 421; 0 is two minutes
	Now    time.Time     // "now" for LIST, which prints young and old dates differently; zero is the real one
	Faults *Faults
}

// Server is a running server.
type Server struct {
	loopback.Server // Addr, URL, Network, and the methods below

	fsys fs.FS
	o    Options
	f    Faults
	busy atomic.Int64 // refused ports, for Faults.BusyPorts
}

// idle is the default of Options.Idle. It is longer than any test takes, and short
// enough to drop a forgotten client.
const idle = 2 * time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it
// cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	s.f = loopback.Given(s.o.Faults)
	s.Network = s.o.Network
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
	if _, err := loopback.Start(s, scheme, s.o.Addr, s.serve); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) implicit() bool { return s.o.TLS != nil && s.o.Implicit }

func (s *Server) now() time.Time {
	if s.o.Now.IsZero() {
		return time.Now()
	}
	return s.o.Now
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
