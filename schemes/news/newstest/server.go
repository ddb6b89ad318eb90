package newstest

import (
	"crypto/tls"
	"io/fs"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary: everybody may read, plain TCP, every
// command offered, no posting.
type Options struct {
	Addr     string // where to listen; "" is a free port of 127.0.0.1
	Greeting string // text of the 200
	// Articles are added to those of the folder, each to the groups that its Newsgroups field names.
	Articles  []string
	Cancelled []string // "group/number": articles that are gone, whose numbers are not used again
	Posting   bool
	// Moderated groups take only articles with an Approved field (RFC 5536 section 3.2.1); others are answered with 441.
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
	// Lacks are verbs that are not known: "OVER", "HDR", "LIST COUNTS".
	Lacks []string
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
	loopback.Server // Addr; URL is nntp://host:port, or nntps: for implicit TLS

	o Options
	f Faults

	mu    sync.RWMutex // guards spool
	spool *spool
}

// idle is the default of Options.Idle: longer than any test takes, short enough that a forgotten client goes away.
const idle = 2 * time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys, or says why it cannot. The groups are the folders of fsys, or of its folder "news" where it has one; nil is
// an empty folder. All of it is read now.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{o: loopback.Given(o)}
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
	if s.o.SelfSigned && s.o.TLS == nil {
		if s.o.TLS, err = loopback.Certify(s); err != nil {
			return nil, err
		}
	}
	scheme := "nntp"
	if s.implicit() {
		scheme = "nntps"
	}
	return loopback.Start(s, scheme, s.o.Addr, s.serve)
}

func (s *Server) implicit() bool { return s.o.TLS != nil && s.o.Implicit }

// Article returns the octets of an article by its message-id with brackets, nil if there is none.
func (s *Server) Article(id string) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if a := s.spool.byID[id]; a != nil {
		return a.raw
	}
	return nil
}
