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
	"example.org/deref/fetch/fetchtest/loopback"
)

// A Player plays the server of a script. Its Dial is a fetch.Client's Dialer: each connection is one of the script. It uses no network.
type Player struct {
	script *Script
	o      PlayerOptions
	top    int // highest number of a connection

	mu           sync.Mutex
	wake         *sync.Cond
	next         int  // index of the line to be played
	moves        int  // how often something has happened
	sent         int  // bytes sent by the server
	taken        int  // bytes read by the client
	part         int  // bytes of the line next that are sent, for Pause
	paused       bool // before the next byte of it
	conns        []*conn
	refused      map[int]bool
	received0    [][]byte // datagrams from the client, not yet matched by a line
	allReceived0 []byte
	out0         [][]byte             // datagrams for the client
	listener     *listener            // the latest; nil if there is none
	listens      int                  // number of listeners
	waiting      bool                 // during a delay
	drawn        int                  // index of the line after the last [random] used
	frames       map[int]*frameFilter // of HTTP/2 connections
	timer        *time.Timer
	over         bool // cut or closed
	closing      bool
	err          error
	authority    *authority     // nil unless the script uses TLS
	wg           sync.WaitGroup // for the goroutines of TLS
}

// PlayerOptions select faults. A nil *PlayerOptions means NoFaults.
type PlayerOptions struct {
	// Strict also compares the order: a client must not send earlier than in the script.
	Strict bool
	// Loose accepts any bytes from the client.
	Loose bool
	// CutAfter, StallAfter and CorruptAt are offsets in the bytes that the server sends, over all connections. A negative one means no fault.
	// With their zero values the server sends nothing: begin with NoFaults.
	CutAfter   int
	StallAfter int
	CorruptAt  int
	Reset      bool // the cut is a reset instead of an orderly close
	// Patience is how long the client may wait for bytes that the script does not have, as in an edited one. 0 means as long as the client likes.
	Patience time.Duration
	// Pause, if not nil, returns how long the server waits before it sends the byte at an offset, counted as above.
	Pause func(offset int) time.Duration
}

// NoFaults returns options without faults.
func NoFaults() PlayerOptions { return PlayerOptions{CutAfter: -1, StallAfter: -1, CorruptAt: -1} }

// NewPlayer returns a Player of s.
func NewPlayer(s *Script, o *PlayerOptions) (*Player, error) {
	p := &Player{o: NoFaults(), top: s.conns(), refused: map[int]bool{}}
	p.script = &Script{}
	p.script.Lines, p.frames = filtered(s.Lines)
	if o != nil {
		p.o = *o
	}
	p.wake = sync.NewCond(&p.mu)
	if s.Secure() {
		p.authority = &s.authority
		if err := p.authority.init(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Attach makes c use the script for all connections: TCP in both directions, UDP, and TLS with certificates of the script's own authority.
func (p *Player) Attach(c *fetch.Client) {
	c.Dialer, c.Datagrams, c.Listener = p.Dial, p.Datagrams, p.Listen
	c.Random = p.Random
	if p.authority == nil {
		return
	}
	if c.TLS = c.TLS.Clone(); c.TLS == nil {
		c.TLS = newTLSConfig()
	}
	c.TLS.RootCAs = p.Roots()
}

// Roots returns the authority that signs the certificates. It returns nil if the script does not use TLS.
func (p *Player) Roots() *x509.CertPool {
	if p.authority == nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AddCert(p.authority.own.Leaf)
	return pool
}

// Dial opens the next connection of the script. Of the address, only the port is compared, if the script names one.
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
	refused := &net.OpError{Op: "dial", Net: network, Err: loopback.ErrRefused}
	switch {
	case p.over:
		return nil, refused
	case id > p.top:
		p.fail(fmt.Errorf("the client connects to %s, but the script has no connection %d", addr, id))
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

// conn returns connection n, or nil if it is not open. Caller holds mu.
func (p *Player) conn(n int) *conn {
	if n < 1 || n > len(p.conns) {
		return nil
	}
	return p.conns[n-1]
}

// fail records the first deviation and ends all connections. Caller holds mu.
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

// Err returns the first deviation of the client from the script so far. After the last request use Close.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close ends all connections and returns the first deviation of the client from the script. A missing command is one, too.
func (p *Player) Close() error {
	p.mu.Lock()
	p.drain()
	if p.err == nil && !p.over {
		p.err = p.missing()
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

// missing returns an error about the first line that the client has not played.
func (p *Player) missing() error {
	for _, l := range p.script.Lines[p.next:] {
		switch {
		case l.Dir == 'C':
			return fmt.Errorf("line %d: the client did not send %q", l.Pos, l.Data)
		case l.Mark == Connected || l.Mark == Refused:
			return fmt.Errorf("line %d: the client did not connect", l.Pos)
		}
	}
	return nil
}

// Open returns the number of connections that the client has not closed.
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

// Dialled returns the addresses of the connections, in order. It has an empty string for each refused one.
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

// Wire returns the bytes sent over connection n in each direction. For connection 0, datagrams, it returns only the client's.
func (p *Player) Wire(n int) (fromClient, fromServer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n == 0 {
		return append(fromClient, p.allReceived0...), nil
	}
	if c := p.conn(n); c != nil {
		return append(fromClient, c.allReceived...), append(fromServer, c.allSent...)
	}
	return nil, nil
}

// Taken returns how many bytes the client has read from all connections. Over TLS, records are counted.
func (p *Player) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

// Conditions returns the conditions of the [if CONDITION] lines played so far, in order.
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

// portOf returns the text after the last colon.
func portOf(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }
