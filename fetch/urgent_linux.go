//go:build 386 || amd64 || arm || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x

package fetch

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// urgent is what becomes of the peer's urgent data (RFC 9293 section 3.8.5), which the system keeps apart: one octet, and its place
// in the stream.
type urgent struct {
	heed func(octet byte) (drop bool)
	drop bool // until that place is reached
}

// OnUrgent has heed called with each octet that the peer sends as urgent data, as soon as what follows it is read; if it returns true,
// what came before and was not read yet is thrown away. It says whether this connection can tell: one of a Client's own Dialer, or
// inside TLS, cannot.
func (c *Conn) OnUrgent(heed func(octet byte) (drop bool)) bool {
	_, ok := c.raw.Conn.(syscall.Conn)
	if ok = ok && c.tls == nil; ok {
		c.raw.urgent.heed = heed
	}
	return ok
}

// read is rawConn's Read where somebody heeds urgent data. The octet is asked for before what is behind it is taken, since the system
// forgets it then.
func (u *urgent) read(c syscall.Conn, p []byte) (n int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, failed = u.once(int(fd), p)
		return failed != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, os.NewSyscallError("read", failed)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// once reads without waiting; no read of the system's goes past the place of an urgent octet.
func (u *urgent) once(fd int, p []byte) (int, error) {
	for {
		var octet [1]byte
		if n, _, err := syscall.Recvfrom(fd, octet[:], syscall.MSG_OOB|syscall.MSG_DONTWAIT); err == nil && n == 1 {
			u.drop = u.heed(octet[0]) && !atMark(fd)
		}
		n, err := syscall.Read(fd, p)
		switch {
		case err == syscall.EINTR:
		case err == nil && n > 0 && u.drop:
			u.drop = !atMark(fd)
		default:
			return max(n, 0), err
		}
	}
}

// siocatmark is SIOCATMARK of asm-generic/sockios.h, which the architectures above have. golang.org/x/sys knows it too, but package
// fetch links nothing for one number.
const siocatmark = 0x8905

func atMark(fd int) bool {
	var at int32
	_, _, err := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), siocatmark, uintptr(unsafe.Pointer(&at)))
	return err != 0 || at != 0
}
