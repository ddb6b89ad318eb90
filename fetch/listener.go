package fetch

import (
	"context"
	"errors"
	"net"
)

// A Listener waits for one connection from the peer of another connection (active FTP).
type Listener struct {
	env  *Env
	near *Conn
	sock net.Listener
}

// Accept opens a Listener on near's local address.
func (e *Env) Accept(ctx context.Context, near *Conn) (*Listener, error) {
	ctx, cancel := withTimeout(ctx, e.client.timeouts.Connect)
	defer cancel()
	var sock net.Listener
	err := e.client.withDescriptor(ctx, func() (err error) { sock, err = e.listen(near); return err })
	if err != nil {
		return nil, connectError(ctx, err)
	}
	l := &Listener{e, near, sock}
	e.own(l)
	if _, ok := sock.Addr().(*net.TCPAddr); !ok {
		return nil, Errorf(ErrUnsupported, "no address to listen on")
	}
	e.note(near.id, MarkListen, "listening on %s", sock.Addr())
	return l, nil
}

func (e *Env) listen(near *Conn) (l net.Listener, err error) {
	if e.client.Listener != nil {
		e.callback(func() { l, err = e.client.Listener(near) })
		return l, err
	}
	local, ok := near.LocalAddr().(*net.TCPAddr)
	if !ok {
		return nil, Errorf(ErrUnsupported, "no address to listen on")
	}
	return net.ListenTCP("tcp", &net.TCPAddr{IP: local.IP, Zone: local.Zone})
}

// Addr returns the address to which the peer should connect.
func (l *Listener) Addr() *net.TCPAddr { return l.sock.Addr().(*net.TCPAddr) }

// Wait returns the peer's connection. It closes connections of other hosts at once. It waits at most Timeouts.Connect.
func (l *Listener) Wait(ctx context.Context, o *DialOptions) (*Conn, error) {
	if o == nil {
		o = &DialOptions{}
	}
	ctx, cancel := withTimeout(ctx, l.env.client.timeouts.Connect)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	l.near.hasData()
	l.env.waitsFor(PendingData)
	for {
		nc, err := l.sock.Accept()
		if err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return nil, l.env.waited(PendingData, Errorf(ErrTimeout, "%s did not connect to %s in time", l.near.dialedAddr(), l.Addr()))
		}
		if err != nil {
			return nil, connectError(ctx, err)
		}
		if endOf(nc.RemoteAddr()).Addr().String() != l.near.dialedAddr() {
			nc.Close()
			continue
		}
		l.env.waitsFor("")
		c := l.env.wrap(ctx, nc, l.near.host, 0, l.env.client.number())
		c.near = l.near
		c.Record(o.Record)
		l.env.note(c.id, MarkOpen, "connected from %s", nc.RemoteAddr())
		if o.TLS {
			if err := l.env.handshake(ctx, c, &DialOptions{Near: l.near}); err != nil {
				c.Close()
				return nil, err
			}
		}
		return c, nil
	}
}

// Close stops listening.
func (l *Listener) Close() error { return l.sock.Close() }
