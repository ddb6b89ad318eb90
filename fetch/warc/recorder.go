package warc

import (
	"net/netip"
	"path/filepath"
	"strings"
	"sync"

	"example.org/deref/fetch"
)

// A Recorder puts all that a Client does into an archive: it is a Client's Recorder.
type Recorder struct {
	w        *Writer
	dir      string // of the archive
	conns    wires
	seen     seen
	captures sync.Pool // of *capture
	room     sync.Pool // of spools
	copies   sync.Pool // buffers
}

// NewRecorder returns the Recorder that writes to w. Its failures are the Writer's: see Writer.Err.
func NewRecorder(w *Writer) *Recorder {
	r := &Recorder{w: w, dir: filepath.Dir(w.name)}
	r.seen.learn(w.known)
	return r
}

// Begin takes down what p will bring. Sessions and messages are not taken down.
func (r *Recorder) Begin(p *fetch.Plan) fetch.Recording {
	if p.Options.Op != fetch.Retrieve && p.Options.Op != fetch.Metadata || r.w.Err() != nil {
		return nil
	}
	c, ok := r.captures.Get().(*capture)
	if !ok {
		c = &capture{}
	}
	c.begin(r, p)
	return &account{c: c}
}

func (r *Recorder) spool() spool { return spool{dir: r.dir, room: &r.room} }

// An account is what a Client tells of one Plan. What comes after its end is no longer heard: the capture is another's by then.
type account struct {
	mu sync.Mutex // Trace may come from anywhere
	c  *capture   // nil after the end
}

func (a *account) Trace(e fetch.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c == nil {
		return
	}
	if e.Dir == fetch.InWords && e.Mark != "" {
		a.c.rec.conns.note(e)
	}
	a.c.trace(&e)
}

// Hiding: the headers of HTTP/2 are decoded here.
func (a *account) Hiding(blank func([]byte) []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c != nil {
		a.c.blank = blank
	}
}

func (a *account) Opened(d *fetch.Document) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c != nil {
		a.c.opened(d)
	}
}

func (a *account) Octets(p []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c != nil {
		a.c.octets(p)
	}
}

func (a *account) End(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c == nil {
		return
	}
	a.c.end(err)
	r := a.c.rec
	a.c.clear()
	r.captures.Put(a.c)
	a.c = nil
}

// A wire is what is known of a connection.
type wire struct {
	ip     string // of the peer, "" through a proxy
	tls    string // "tls/1.3"
	cipher string
	frames *frames // nil but for HTTP/2
}

// maxWires bounds the connections that are remembered: those that are kept are among the latest.
const maxWires = 4096

// wires are the latest connections of a Client by their numbers.
type wires struct {
	mu   sync.Mutex
	at   map[int]*wire
	last []int
}

// note takes a turn in the life of a connection.
func (s *wires) note(e fetch.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of(e.Conn)
	switch e.Mark {
	case fetch.MarkOpen:
		c.ip = addressIn(e.Note)
	case fetch.MarkTLS:
		version, cipher, _ := strings.Cut(e.Note, ", ")
		c.tls, c.cipher = tlsName(version), cipher
	}
}

// of is what is known of a connection; the earliest is forgotten where there are many. Caller holds mu.
func (s *wires) of(conn int) *wire {
	c := s.at[conn]
	if c == nil {
		if s.at == nil {
			s.at = map[int]*wire{}
		}
		if len(s.last) >= maxWires {
			delete(s.at, s.last[0])
			s.last = s.last[1:]
		}
		c = &wire{}
		s.at[conn], s.last = c, append(s.last, conn)
	}
	return c
}

// frames reads HTTP/2 on a connection, if that is spoken on it.
func (s *wires) frames(conn int, begins bool) *frames {
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

func (s *wires) get(conn int) wire {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.at[conn]; c != nil {
		return *c
	}
	return wire{}
}

// addressIn is the address at the end of "connected to 192.0.2.1:80".
func addressIn(note string) string {
	ap, err := netip.ParseAddrPort(note[strings.LastIndexByte(note, ' ')+1:])
	if err != nil || ap.Addr().IsUnspecified() {
		return ""
	}
	return ap.Addr().Unmap().WithZone("").String()
}

// tlsName is the word of WARC-Protocol for "TLS 1.3".
func tlsName(version string) string {
	return strings.ToLower(strings.Replace(version, " ", "/", 1))
}
