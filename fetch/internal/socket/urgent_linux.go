//go:build 386 || amd64 || arm || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x

package socket

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// urgent handles the peer's urgent data (RFC 9293 section 3.8.5). The system keeps it apart from the stream: one byte, and its position.
type urgent struct {
	handle func(b byte) (drop bool)
	drop   bool // until the position is reached
}

// OnUrgent makes Read call handle for each byte of urgent data. If handle returns true, the bytes before it that have not been read are
// dropped. OnUrgent reports whether the connection is the system's, so that urgent data can be recognized.
func (c *Conn) OnUrgent(handle func(b byte) (drop bool)) bool {
	_, ok := c.Conn.(syscall.Conn)
	if ok {
		c.urgent.handle = handle
	}
	return ok
}

// read reads from the socket. It gets the urgent byte before it reads the following bytes, since reading them makes the system drop it.
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

// once reads without waiting. The system ends a read at the position of an urgent byte.
func (u *urgent) once(fd int, p []byte) (int, error) {
	for {
		var b [1]byte
		if n, _, err := syscall.Recvfrom(fd, b[:], syscall.MSG_OOB|syscall.MSG_DONTWAIT); err == nil && n == 1 {
			u.drop = u.handle(b[0]) && !atMark(fd)
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

// siocatmark is SIOCATMARK of asm-generic/sockios.h, which the architectures above have. golang.org/x/sys has it too, but one number
// is not worth a dependency.
const siocatmark = 0x8905

func atMark(fd int) bool {
	var at int32
	_, _, err := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), siocatmark, uintptr(unsafe.Pointer(&at)))
	return err != 0 || at != 0
}
