package warc

import (
	"path/filepath"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/h2frames"
)

// A Recorder writes everything that a Client does into an archive. Set it as the Client's Recorder.
type Recorder struct {
	// Whole stores each payload, also if there is a record of it to which the archive would refer.
	Whole bool

	w      *Writer
	dir    string // of the archive
	conns  connections
	chains chains
}

// NewRecorder returns a Recorder that writes to w. Its errors are those of the Writer: see Writer.Err.
func NewRecorder(w *Writer) *Recorder { return &Recorder{w: w, dir: filepath.Dir(w.name)} }

// Begin starts to record p. Sessions and sent messages are not recorded, nor is what has a URI of more than 1 MiB: see Options.TooLong.
func (r *Recorder) Begin(p *fetch.Plan) fetch.Recording {
	if p.Options.Op != fetch.Retrieve && p.Options.Op != fetch.Metadata || r.w.Err() != nil {
		return nil
	}
	to := target(requestURI(p))
	if len(to) <= maxTarget {
		return &recording{c: r.begin(p, to)}
	}
	if r.w.o.TooLong != nil {
		r.w.o.TooLong(p.URI)
	}
	return nil
}

func (r *Recorder) spool() spool { return spool{dir: r.dir} }

// A recording receives the events of one Plan. Events after its end are ignored.
type recording struct {
	mu sync.Mutex // Trace is called by several goroutines
	c  *capture   // nil after the end
}

// with calls do with the capture, unless that has ended.
func (a *recording) with(do func(c *capture)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c != nil {
		do(a.c)
	}
}

func (a *recording) Trace(e fetch.Event) {
	a.with(func(c *capture) {
		if e.Dir == fetch.InWords && e.Mark != "" {
			c.rec.conns.note(e)
		}
		c.trace(&e)
	})
}

// Hiding keeps the function that hides secrets, because the headers of HTTP/2 are decoded here.
func (a *recording) Hiding(blank func([]byte) []byte) { a.with(func(c *capture) { c.redact = blank }) }

func (a *recording) Opened(d *fetch.Document) { a.with(func(c *capture) { c.opened(d) }) }

func (a *recording) Octets(p []byte) { a.with(func(c *capture) { c.octets(p) }) }

func (a *recording) End(err error) {
	a.with(func(c *capture) {
		c.end(err)
		c.close()
		a.c = nil
	})
}

// A connection holds the facts known about one connection.
type connection struct {
	ip     string // of the server, "" if only a proxy knows it
	tls    string // "tls/1.3"
	cipher string
	chain  *chain           // nil without TLS
	frames *h2frames.Reader // nil unless HTTP/2
}

// maxConnections bounds the connections that are remembered. Connections in use are among the latest.
const maxConnections = 4096

// connections holds the latest connections of a Client by their numbers.
type connections struct {
	mu   sync.Mutex
	at   map[int]*connection
	last []int
}

// note records an event in the life of a connection.
func (s *connections) note(e fetch.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(e.Conn)
	switch e.Mark {
	case fetch.MarkOpen:
		if c.ip = ""; e.Server.IsValid() {
			c.ip = e.Server.String()
		}
	case fetch.MarkTLS:
		version, cipher, _ := strings.Cut(e.Note, ", ")
		c.tls, c.cipher = tlsName(version), cipher
	}
}

// of returns the facts about a connection. If there are too many, the oldest is forgotten. The caller holds mu.
func (s *connections) of(conn int) *connection {
	c := s.at[conn]
	if c == nil {
		if s.at == nil {
			s.at = map[int]*connection{}
		}
		if len(s.last) >= maxConnections {
			delete(s.at, s.last[0])
			s.last = s.last[1:]
		}
		c = &connection{}
		s.at[conn], s.last = c, append(s.last, conn)
	}
	return c
}

// frames returns the HTTP/2 decoder of a connection, or nil if it does not use HTTP/2.
func (s *connections) frames(conn int, begins bool) *h2frames.Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.at[conn]
	if begins && (c == nil || c.frames == nil) {
		c = s.of(conn)
		c.frames = newFrames()
	}
	if c == nil {
		return nil
	}
	return c.frames
}

func (s *connections) get(conn int) connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.at[conn]; c != nil {
		return *c
	}
	return connection{}
}

// tlsName returns the value of WARC-Protocol for "TLS 1.3".
func tlsName(version string) string {
	return strings.ToLower(strings.Replace(version, " ", "/", 1))
}
