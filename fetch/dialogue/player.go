package dialogue

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// A Player is the server side of a script: its Dial is a Client's Dialer, and what is dialled answers as the script says. Nothing
// touches a network.
type Player struct {
	script *Script
	o      PlayerOptions
	top    int // highest number of a connection

	mu       sync.Mutex
	wake     *sync.Cond
	next     int  // line that is to happen
	told     int  // octets that the server has said
	part     int  // octets of the line next that the server has said, for Pause
	paused   bool // before the next of them
	conns    []*conn
	refused  map[int]bool
	said0    [][]byte // datagrams of the client that no line has taken
	allSaid0 []byte
	told0    [][]byte             // datagrams that wait for the client
	listener *listener            // the latest, nil without
	listens  int                  // how many there were
	waiting  bool                 // a delay runs
	drawn    int                  // lines from where the next [random] is
	frames   map[int]*frameFilter // of connections with HTTP/2
	timer    *time.Timer
	over     bool // cut or closed
	closing  bool
	err      error
	ca       *authority
	wg       sync.WaitGroup // of the goroutines that TLS needs
}

// PlayerOptions choose how to fail. nil is the script as it stands.
type PlayerOptions struct {
	// Strict compares the order too: a client that speaks before its turn deviates.
	Strict bool
	// Loose takes whatever the client says for what it should say.
	Loose bool
	// CutAfter, StallAfter, CorruptAt count the octets that the server says on connections, over all of them; a negative one is no fault,
	// so their zero values make a server that never says anything: use NoFaults.
	CutAfter   int
	StallAfter int
	CorruptAt  int
	Reset      bool // the cut is a reset instead of an end
	// Pause, if not nil, returns how long the server waits before it sends the byte at an offset, counted as above.
	Pause func(offset int) time.Duration
}

// NoFaults returns options that add nothing to the script.
func NoFaults() PlayerOptions { return PlayerOptions{CutAfter: -1, StallAfter: -1, CorruptAt: -1} }

// NewPlayer returns the server of a script.
func NewPlayer(s *Script, o *PlayerOptions) (*Player, error) {
	p := &Player{o: NoFaults(), top: s.conns(), refused: map[int]bool{}}
	p.script = &Script{}
	p.script.Lines, p.frames = filtered(s.Lines)
	if o != nil {
		p.o = *o
	}
	p.wake = sync.NewCond(&p.mu)
	if s.Secure() {
		var err error
		if p.ca, err = newAuthority(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Attach makes c's requests go to the script: TCP in both directions, UDP, and TLS with the Player's own authority.
func (p *Player) Attach(c *fetch.Client) {
	c.Dialer, c.Datagrams, c.Listener = p.Dial, p.Datagrams, p.Listen
	c.Random = p.Random
	if p.ca == nil {
		return
	}
	if c.TLS = c.TLS.Clone(); c.TLS == nil {
		c.TLS = newTLSConfig()
	}
	c.TLS.RootCAs = p.Roots()
}

// Roots is the authority that signs the certificates of a script with TLS, nil without.
func (p *Player) Roots() *x509.CertPool {
	if p.ca == nil {
		return nil
	}
	return p.ca.pool
}

// Dial connects to the script's next connection, whatever the address, but for the port if the script names one.
func (p *Player) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := len(p.conns) + 1
	for p.refused[id] {
		id++
	}
	refused := &net.OpError{Op: "dial", Net: network, Err: errRefused}
	switch {
	case p.over:
		return nil, refused
	case id > p.top:
		p.fail(fmt.Errorf("the client connects to %s, and the script has no connection %d", addr, id))
		return nil, refused
	case p.script.refuses(id):
		p.refused[id] = true
		p.conns = append(p.conns, nil)
		p.advance()
		return nil, refused
	}
	c := &conn{player: p, id: id, addr: addr}
	p.conns = append(p.conns, c)
	p.advance()
	return c, nil
}

// conn returns connection n if it has been dialled. Caller holds mu.
func (p *Player) conn(n int) *conn {
	if n < 1 || n > len(p.conns) {
		return nil
	}
	return p.conns[n-1]
}

// fail notes the first deviation and ends everything. Caller holds mu.
func (p *Player) fail(err error) {
	if p.err == nil {
		p.err = err
	}
	p.stop(errCut)
}

// stop ends all connections. Caller holds mu.
func (p *Player) stop(how error) {
	p.over = true
	for _, c := range p.conns {
		if c != nil {
			c.finish(how)
		}
	}
	p.wake.Broadcast()
}

// Err returns how the client has deviated from the script so far. Once it is done, use Close.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close ends the play and returns how the client has deviated from the script, also by not saying all of it.
func (p *Player) Close() error {
	p.mu.Lock()
	p.hearOut()
	if p.err == nil && !p.over {
		p.err = p.unsaid()
	}
	p.closing = true
	p.stop(errCut)
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// unsaid tells what of the script the client has not done.
func (p *Player) unsaid() error {
	for _, l := range p.script.Lines[p.next:] {
		switch {
		case l.Dir == 'C':
			return fmt.Errorf("line %d: the client did not say %q", l.Pos, l.Data)
		case l.Mark == Connected || l.Mark == Refused:
			return fmt.Errorf("line %d: the client did not connect", l.Pos)
		}
	}
	return nil
}

// Open returns how many connections the client has not closed.
func (p *Player) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.conns {
		if c != nil && !c.closed {
			n++
		}
	}
	return n
}

// Dialled returns the addresses that were dialled, in order; refused ones are void.
func (p *Player) Dialled() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	for _, c := range p.conns {
		addr := ""
		if c != nil {
			addr = c.addr
		}
		list = append(list, addr)
	}
	return list
}

// Wire returns what has crossed connection n: what the client has said, and what the server has. Of datagrams (0) it knows the client's.
func (p *Player) Wire(n int) (said, told []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n == 0 {
		return append(said, p.allSaid0...), nil
	}
	if c := p.conn(n); c != nil {
		return append(said, c.allSaid...), append(told, c.allTold...)
	}
	return nil, nil
}

// Conditions returns the conditions that the script has come to, [if COND], in order.
func (p *Player) Conditions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	for _, l := range p.script.Lines[:p.next] {
		if l.Mark == If {
			list = append(list, l.Arg)
		}
	}
	return list
}

var errCut = errors.New("cut")

// portOf returns what stands behind the last colon.
func portOf(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }
