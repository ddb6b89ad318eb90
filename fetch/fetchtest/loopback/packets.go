package loopback

import (
	"errors"
	"net"
)

// maxDatagram is more than UDP carries.
const maxDatagram = 1 << 16

// StartPackets is Start for a server over UDP. receive is called with one datagram after the other, and answers by reply, as often as
// it likes; both are valid until it returns.
func StartPackets[S based](s S, scheme, addr string, receive func(from net.Addr, datagram []byte, reply func([]byte))) (S, error) {
	sock, err := net.ListenPacket("udp", orFree(addr))
	if err != nil {
		var none S
		return none, err
	}
	b := s.base()
	b.Net = newServer(sock, sock.LocalAddr())
	b.Addr, b.URL = b.Net.Addr(), scheme+"://"+b.Net.Addr()
	b.Net.Go(func() { b.Net.receivePackets(sock, receive) })
	return s, nil
}

func (s *Server) receivePackets(sock net.PacketConn, receive func(net.Addr, []byte, func([]byte))) {
	b := make([]byte, maxDatagram)
	for {
		n, from, err := sock.ReadFrom(b)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && !s.isTurn(from) { // else an error that an earlier answer met on its way, on some systems
			receive(from, b[:n], func(answer []byte) { sock.WriteTo(answer, from) })
		}
	}
}
