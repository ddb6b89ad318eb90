package loopback

import (
	"cmp"
	"errors"
	"net"
)

// maxDatagram is larger than any UDP datagram.
const maxDatagram = 1 << 16

// StartPackets is Start for a server over UDP. It calls receive for one datagram after the other; receive may call reply any number of
// times. datagram and reply are valid until receive returns.
func StartPackets(s Embedder, scheme, addr string, receive func(from net.Addr, datagram []byte, reply func([]byte))) (*Server, error) {
	sock, err := net.ListenPacket("udp", cmp.Or(addr, free))
	if err != nil {
		return nil, err
	}
	b := s.server()
	b.Net = newListener(system{}, sock, sock.LocalAddr())
	b.Net.receive = receive
	b.Addr, b.URL = b.Net.Addr(), scheme+"://"+b.Net.Addr()
	b.Net.Go(func() { b.Net.receivePackets(sock) })
	return b, nil
}

// Answer passes a datagram to a server of StartPackets, as from a client, but without the network. fetchtest.Datagrams uses it.
func (s *Listener) Answer(datagram []byte, reply func([]byte)) { s.receive(s.addr, datagram, reply) }

func (s *Listener) receivePackets(sock net.PacketConn) {
	b := make([]byte, maxDatagram)
	for {
		n, from, err := sock.ReadFrom(b)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && !s.isTurn(from) { // on some systems err reports the fate of an earlier response
			w := s.watching()
			if w != nil {
				w.Datagram(from, 'C', b[:n])
			}
			s.receive(from, b[:n], func(answer []byte) {
				if w != nil {
					w.Datagram(from, 'S', answer)
				}
				sock.WriteTo(answer, from)
			})
		}
	}
}
