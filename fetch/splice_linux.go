package fetch

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A splicer is the pipe that octets pass between a socket and a file; the system wants one between any two.
type splicer struct {
	mu   sync.Mutex // held while the pipe is in use: Close may come from elsewhere
	r, w int
	open bool
	held int // octets in the pipe that are not yet in the file
	off  bool
}

const (
	pipeSize   = 1 << 20
	fSetPipeSz = 1031 // F_SETPIPE_SZ
	spliceMove = 1    // SPLICE_F_MOVE
	spliceNow  = 2    // SPLICE_F_NONBLOCK
	pollOut    = 4    // POLLOUT
)

func (s *splicer) start() error {
	if s.open {
		return nil
	}
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK); err != nil {
		return err
	}
	s.r, s.w, s.open = p[0], p[1], true
	grow(s.w)
	return nil
}

// grow asks for a larger pipe; a user over the system's limit keeps the ordinary one.
func grow(fd int) { syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), fSetPipeSz, pipeSize) }

func (s *splicer) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		syscall.Close(s.r)
		syscall.Close(s.w)
		s.open = false
	}
}

// spliceTo moves octets from the socket to f until most are moved or the socket has no more at present. ok is false where
// nothing was moved because it cannot be done this way.
func (c *Conn) spliceTo(f *os.File, most int64) (n int64, err error, ok bool) {
	c.splice.mu.Lock()
	defer c.splice.mu.Unlock()
	sock, isSock := c.raw.Conn.(syscall.Conn)
	if !isSock || c.splice.off {
		return 0, nil, false
	}
	from, err := sock.SyscallConn()
	if err != nil {
		return 0, nil, false
	}
	to, err := f.SyscallConn()
	if err != nil {
		return 0, nil, false
	}
	info, err := f.Stat()
	if err != nil {
		return 0, nil, false
	}
	switch {
	case info.Mode().IsRegular():
		n, err = c.spliceToFile(from, to, most)
		if call, ok := err.(*os.SyscallError); ok { // of drain
			err = &fs.PathError{Op: "write", Path: f.Name(), Err: call.Err}
		}
	case info.Mode()&fs.ModeNamedPipe != 0:
		n, err = c.spliceToPipe(from, to, most)
	default:
		return 0, nil, false
	}
	if err == syscall.EINVAL && n == 0 && c.splice.held == 0 {
		c.splice.off = true // a file in append mode, or a file system without splice
		return 0, nil, false
	}
	return n, err, true
}

// take splices what the socket has into the pipe fd, waiting for it if there is nothing yet.
func (c *Conn) take(from syscall.RawConn, fd int, most int64) (int, error) {
	if err := c.beforeRead(); err != nil {
		return 0, err
	}
	var n int64
	var serr error
	move := func(sock uintptr) bool {
		for {
			moved, err := syscall.Splice(int(sock), nil, fd, nil, int(most), spliceMove|spliceNow)
			n, serr = int64(moved), err // Splice returns an int on 32-bit systems
			if serr != syscall.EINTR {
				break
			}
		}
		return serr != syscall.EAGAIN || !writable(fd, 0) // nothing to read, unless it is the pipe that is full
	}
	err := from.Read(move)
	if n <= 0 && c.isBehind(err) {
		err = from.Read(move)
	}
	if err == nil && serr != syscall.EAGAIN {
		err = serr
	}
	if err == syscall.EINVAL {
		return 0, err
	}
	if err == nil && serr == nil && n == 0 {
		c.raw.ended.Store(true)
		err = io.EOF
	}
	n = max(n, 0)
	if slow := c.afterRead(int(n)); slow != nil && err == nil {
		err = slow
	}
	err = c.readError(err)
	if err != nil {
		c.reportEnd(err)
	}
	return int(n), err
}

func (c *Conn) spliceToFile(from, to syscall.RawConn, most int64) (total int64, err error) {
	s := &c.splice
	if s.start() != nil {
		return 0, syscall.EINVAL
	}
	for total < most {
		n, err := c.take(from, s.w, min(most-total, pipeSize))
		if err != nil {
			return total, err
		}
		s.held = n
		if err := s.drain(to); err != nil {
			return total, err
		}
		total += int64(n)
	}
	return total, nil
}

// drain moves what is in the pipe into the file.
func (s *splicer) drain(to syscall.RawConn) error {
	var serr error
	err := to.Write(func(file uintptr) bool {
		for s.held > 0 {
			n, err := syscall.Splice(s.r, nil, int(file), nil, s.held, spliceMove)
			switch {
			case err == syscall.EINTR:
			case err != nil:
				serr = err
				return true
			case n == 0:
				serr = io.ErrShortWrite
				return true
			default:
				s.held -= int(n)
			}
		}
		return true
	})
	if err == nil && serr != nil {
		err = os.NewSyscallError("splice", serr)
	}
	return err
}

// spliceToPipe moves octets straight into the pipe that f is (standard output). A reader that does not read is waited for here:
// polling the socket, which has octets, would spin.
func (c *Conn) spliceToPipe(from, to syscall.RawConn, most int64) (total int64, err error) {
	cerr := to.Control(func(fd uintptr) {
		grow(int(fd))
		for total < most {
			var n int
			n, err = c.take(from, int(fd), min(most-total, pipeSize))
			total += int64(n)
			if err != nil {
				return
			}
			for n == 0 && !writable(int(fd), time.Second) {
				if err = c.aborted(); err != nil {
					return
				}
			}
		}
	})
	if cerr != nil && err == nil {
		err = cerr
	}
	return total, err
}

func (c *Conn) aborted() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

type pollFd struct {
	fd      int32
	events  int16
	revents int16
}

// writable reports whether fd takes octets, or is broken, within d.
func writable(fd int, d time.Duration) bool {
	p := pollFd{fd: int32(fd), events: pollOut}
	t := syscall.NsecToTimespec(int64(d))
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	return errno != 0 && errno != syscall.EINTR || int(n) > 0
}
