//go:build !linux

package loopback

import (
	"io"
	"net"
)

// reserve returns a port that was free a moment ago. Other systems do not let a server listen on a port that another socket has bound, so
// nothing keeps other processes from it.
func reserve() (port int, release func(), err error) {
	l, err := net.Listen("tcp", free)
	if err != nil {
		return 0, nil, err
	}
	return l.Addr().(*net.TCPAddr).Port, func() {}, l.Close()
}

// stopListening does nothing, since only Linux can do it.
func stopListening(io.Closer) {}
