package dialogue

import (
	"fmt"
	"net"
	"strings"
)

// A listener accepts the connections that the script's server makes. The Player's mu guards its fields.
type listener struct {
	player *Player
	addr   *net.TCPAddr
	host   string // the server that will connect
	queue  []*conn
	closed bool
}

// Listen returns a listener for the connections that the script's server makes, with the address of the script. It is a fetch.Client's Listener.
func (p *Player) Listen(near net.Conn) (net.Listener, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	host, _, _ := net.SplitHostPort(near.RemoteAddr().String())
	p.listener = &listener{player: p, host: host, addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1024 + p.listens}}
	n := 0
	for _, l := range p.script.Lines {
		if l.Mark != Listening {
			continue
		}
		if n++; n > p.listens {
			p.listener.addr = remote(strings.TrimPrefix(l.Arg, "on "))
			break
		}
	}
	p.listens++
	p.advance()
	return p.listener, nil
}

// comes reports whether the server, not the client, opens the connection of the line.
func (l *Line) comes() bool { return l.Mark == Connected && strings.HasPrefix(l.Arg, "from ") }

// connect makes a connection from the server if the client waits for one. Caller holds mu.
func (p *Player) connect(l *Line) bool {
	at := p.listener
	switch {
	case at == nil || at.closed:
		return false
	case l.Conn != len(p.conns)+1:
		p.fail(fmt.Errorf("line %d: the client opened %d connections before the server opened number %d", l.Pos, len(p.conns), l.Conn))
		return false
	}
	c := &conn{player: p, id: l.Conn, addr: net.JoinHostPort(at.host, portOf(l.Arg))}
	p.conns = append(p.conns, c)
	at.queue = append(at.queue, c)
	return true
}

// Accept waits until the script's server makes a connection.
func (l *listener) Accept() (net.Conn, error) {
	p := l.player
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(l.queue) == 0 {
		if l.closed || p.closing {
			return nil, net.ErrClosed
		}
		p.wake.Wait()
	}
	c := l.queue[0]
	l.queue = l.queue[1:]
	return c, nil
}

// Close stops listening and closes connections that are not accepted yet.
func (l *listener) Close() error {
	p := l.player
	p.mu.Lock()
	defer p.mu.Unlock()
	l.closed = true
	for _, c := range l.queue {
		c.closed = true
	}
	p.wake.Broadcast()
	return nil
}

// Addr returns the address on which the script's client listened.
func (l *listener) Addr() net.Addr { return l.addr }
