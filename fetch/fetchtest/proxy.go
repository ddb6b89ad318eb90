package fetchtest

import (
	"io"
	"net"
	"sync"
	"time"
)

// Faults are what a Proxy does to what a server says. The zero value passes everything on as it is. Offsets count the octets that the
// server says on one connection, from 0; a negative one is none, and so is 0.
type Faults struct {
	Latency   time.Duration // before each piece
	Rate      int           // octets a second
	CutAt     int64         // the connection ends after so many octets
	Reset     bool          // ... with a RST
	StallAt   int64         // nothing more comes after so many octets
	CorruptAt int64         // the octet at this offset is inverted
	Refuse    bool          // connections are closed at once
}

// A Proxy stands between a client and one TCP server on the loopback interface and puts Faults on the way. Faults may be changed between
// connections by Set.
type Proxy struct {
	Addr string // where clients connect

	target string
	ln     net.Listener
	stop   chan struct{}
	wg     sync.WaitGroup

	mu     sync.Mutex
	faults Faults
	open   map[net.Conn]bool
	count  int
}

// NewProxy listens on a free port of 127.0.0.1 and leads to target ("host:port").
func NewProxy(target string, f Faults) (*Proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: ln.Addr().String(), target: target, ln: ln, stop: make(chan struct{}), faults: f, open: map[net.Conn]bool{}}
	p.wg.Add(1)
	go p.accept()
	return p, nil
}

// Set changes the faults of the connections to come.
func (p *Proxy) Set(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Connections returns how many clients have connected.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

// Close ends everything and returns when no goroutine is left.
func (p *Proxy) Close() error {
	err := p.ln.Close()
	p.mu.Lock()
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	for c := range p.open {
		c.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
	return err
}

func (p *Proxy) accept() {
	defer p.wg.Done()
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		f := p.faults
		p.count++
		p.mu.Unlock()
		if f.Refuse {
			c.Close()
			continue
		}
		p.wg.Go(func() { p.serve(c, f) })
	}
}

// track lets Close close c; false says that it is too late.
func (p *Proxy) track(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stop:
		c.Close()
		return false
	default:
		p.open[c] = true
		return true
	}
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	c.Close()
}

func (p *Proxy) serve(client net.Conn, f Faults) {
	if !p.track(client) {
		return
	}
	defer p.drop(client)
	server, err := net.DialTimeout("tcp", p.target, patience)
	if err != nil || !p.track(server) {
		return
	}
	defer p.drop(server)
	p.wg.Go(func() {
		io.Copy(server, client)
		if t, ok := server.(*net.TCPConn); ok {
			t.CloseWrite()
		}
	})
	(&flow{proxy: p, from: server, to: client, Faults: f}).run()
}

// A flow is what a server says on one connection.
type flow struct {
	Faults
	proxy    *Proxy
	from, to net.Conn
	done     int64
}

func (f *flow) run() {
	buf := make([]byte, 8<<10)
	for {
		n, err := f.from.Read(buf[:f.piece(len(buf))])
		if n > 0 && !f.pass(buf[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// piece is small enough for the rate to be even.
func (f *flow) piece(most int) int {
	if f.Rate > 0 {
		return max(1, min(most, f.Rate/20))
	}
	return most
}

// pass hands b on, as far as the faults let it, and reports whether more may come.
func (f *flow) pass(b []byte) bool {
	wait := f.Latency
	if f.Rate > 0 {
		wait += time.Duration(len(b)) * time.Second / time.Duration(f.Rate)
	}
	if !f.sleep(wait) {
		return false
	}
	if i := f.CorruptAt - f.done; f.CorruptAt > 0 && i >= 0 && i < int64(len(b)) {
		b[i] ^= 0xff
	}
	end := int64(len(b))
	for _, at := range []int64{f.CutAt, f.StallAt} {
		if at > 0 {
			end = min(end, max(0, at-f.done))
		}
	}
	_, err := f.to.Write(b[:end])
	f.done += end
	switch {
	case err != nil:
		return false
	case f.StallAt > 0 && f.done >= f.StallAt:
		<-f.proxy.stop
		return false
	case f.CutAt > 0 && f.done >= f.CutAt:
		f.cut()
		return false
	}
	return true
}

func (f *flow) cut() {
	if t, ok := f.to.(*net.TCPConn); ok && f.Reset {
		t.SetLinger(0)
	}
}

func (f *flow) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-f.proxy.stop:
		return false
	}
}
