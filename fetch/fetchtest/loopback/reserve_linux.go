package loopback

import (
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
