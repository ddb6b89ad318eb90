package dialogue

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// config returns the configuration of a server for one host.
func (p *Player) config(host string) (*tls.Config, error) {
	leaf, err := p.authority.certificate(host)
	if err != nil {
		return nil, err
	}
	c := newTLSConfig()
	c.Certificates = []tls.Certificate{*leaf}
	c.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		agreed := c.Clone() // select the first protocol that the client offers
		agreed.GetConfigForClient, agreed.NextProtos = nil, h.SupportedProtos[:min(1, len(h.SupportedProtos))]
		return agreed, nil
	}
	return c, nil
}

// newTLSConfig selects a key exchange that takes little time.
func newTLSConfig() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, CurvePreferences: []tls.CurveID{tls.X25519}}
}

// An authority signs the certificates of a script's servers. All Players of the script share them, since there may be hundreds.
type authority struct {
	mu    sync.Mutex
	own   *tls.Certificate
	hosts map[string]*tls.Certificate
}

// init makes the authority's own certificate.
func (a *authority) init() (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.own == nil {
		a.own, err = loopback.Certificate(nil, "dialogue")
		a.hosts = map[string]*tls.Certificate{}
	}
	return err
}

// certificate returns the certificate of a host.
func (a *authority) certificate(host string) (c *tls.Certificate, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c = a.hosts[host]; c == nil {
		if c, err = loopback.Certificate(a.own, host); err == nil {
			a.hosts[host] = c
		}
	}
	return c, err
}

// A tlsSide is the server's side of TLS on a conn. The Player's mu guards its fields. Two goroutines move the bytes.
type tlsSide struct {
	c       *conn
	in      []byte // records of the client
	queue   []byte // bytes to be sent in one record, as servers send a header and the beginning of its body
	end     error  // after the queue
	drained bool   // the client sends no more
}

// secure begins TLS on c. What the client has sent already is its hello. Caller holds mu.
func (c *conn) secure() {
	p := c.player
	host, _, _ := net.SplitHostPort(c.addr)
	if id := len(p.conns); c.id > 1 && id > 1 && p.conns[0] != nil {
		host, _, _ = net.SplitHostPort(p.conns[0].addr) // a data connection has the name of its control connection
	}
	cfg, err := p.config(host)
	if err != nil {
		p.fail(err)
		return
	}
	t := &tlsSide{c: c, in: c.received}
	c.allReceived = c.allReceived[:len(c.allReceived)-len(c.received)]
	c.received, c.tls = nil, t
	server := tls.Server(records{t}, cfg)
	p.wg.Add(2)
	go t.readTLS(server)
	go t.writeTLS(server)
}

func (t *tlsSide) put(b []byte) {
	t.queue = append(t.queue, b...)
	t.c.player.wake.Broadcast()
}

func (t *tlsSide) finish(how error) {
	if t.end == nil {
		t.end = how
	}
	t.c.player.wake.Broadcast()
}

// gone reports whether either end is closed. Caller holds mu.
func (t *tlsSide) gone() bool { return t.c.closed || t.c.end != nil || t.c.player.closing }

// readTLS decrypts the client's bytes.
func (t *tlsSide) readTLS(server *tls.Conn) {
	p := t.c.player
	defer p.wg.Done()
	buf := make([]byte, 16<<10)
	for {
		n, err := server.Read(buf)
		p.mu.Lock()
		if n > 0 && !p.over {
			t.c.receive(buf[:n])
		}
		if err != nil {
			if err != io.EOF && !t.gone() && !p.over {
				p.fail(fmt.Errorf("connection %d: TLS: %w", t.c.id, err))
			}
			t.drained = true
			p.wake.Broadcast()
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

// drain waits until everything that clients sent before they closed is decrypted. Caller holds mu.
func (p *Player) drain() {
	for _, c := range p.conns {
		for c != nil && c.tls != nil && c.closed && !c.tls.drained {
			p.wake.Wait()
		}
	}
}

// writeTLS encrypts the server's bytes.
func (t *tlsSide) writeTLS(server *tls.Conn) {
	p := t.c.player
	defer p.wg.Done()
	for {
		b, how := t.wait()
		switch {
		case b != nil:
			server.Write(b)
			continue
		case how == io.EOF: // orderly
			server.CloseWrite()
		}
		p.mu.Lock()
		t.c.endWith(io.EOF)
		p.wake.Broadcast()
		p.mu.Unlock()
		return
	}
}

// wait returns the next bytes to send, or the way to close the connection.
func (t *tlsSide) wait() ([]byte, error) {
	p := t.c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case t.gone():
			return nil, errCut
		case len(t.queue) > 0:
			b := t.queue
			t.queue = nil
			return b, nil
		case p.over: // a fault, without close_notify
			return nil, errCut
		case t.end != nil:
			return nil, t.end
		}
		p.wake.Wait()
	}
}

// records is the net.Conn below the server's TLS.
type records struct{ t *tlsSide }

func (r records) Read(b []byte) (int, error) {
	p := r.t.c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(r.t.in) == 0 {
		if r.t.gone() {
			return 0, io.EOF
		}
		p.wake.Wait()
	}
	n := copy(b, r.t.in)
	r.t.in = r.t.in[n:]
	return n, nil
}

func (r records) Write(b []byte) (int, error) {
	p := r.t.c.player
	p.mu.Lock()
	defer p.mu.Unlock()
	r.t.c.out = append(r.t.c.out, b...)
	p.wake.Broadcast()
	return len(b), nil
}

func (r records) Close() error                     { return nil }
func (r records) LocalAddr() net.Addr              { return r.t.c.RemoteAddr() }
func (r records) RemoteAddr() net.Addr             { return r.t.c.LocalAddr() }
func (r records) SetDeadline(time.Time) error      { return nil }
func (r records) SetReadDeadline(time.Time) error  { return nil }
func (r records) SetWriteDeadline(time.Time) error { return nil }
