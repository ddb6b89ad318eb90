package loopback

import (
	"io"
	"os"
	"syscall"
)

// reserve binds a free port and returns the function that gives it up.
//
// The kernel gives a bound port to nobody who asks for any port, neither to a listener nor to a client. It refuses connections as long as
// nobody listens, and lets a server listen because both sockets have SO_REUSEADDR (socket(7)), which package net sets for listeners.
func reserve() (port int, release func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, os.NewSyscallError("socket", err)
	}
	release = func() { syscall.Close(fd) }
	if err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	var at syscall.Sockaddr
	if err == nil {
		at, err = syscall.Getsockname(fd)
	}
	if err != nil {
		release()
		return 0, nil, os.NewSyscallError("bind", err)
	}
	return at.(*syscall.SockaddrInet4).Port, release, nil
}

// stopListening ends listening before the socket is closed. A process that is being started has a copy of the socket until it executes its program,
// and no other server could listen on the port until then.
func stopListening(l io.Closer) {
	c, ok := l.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { syscall.Shutdown(int(fd), syscall.SHUT_RDWR) })
	}
}
