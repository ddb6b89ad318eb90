package socket

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A Splice moves bytes from a socket to a file or pipe within the system. The zero Splice is ready for use.
type Splice struct {
	mu   sync.Mutex // held while the pipe is in use: Close may be called by another goroutine
	r, w int        // the pipe that the system wants between a socket and a file
	open bool
	held int // bytes in the pipe that are not yet in the file
	off  bool
}

const (
	pipeSize   = 1 << 20
	fSetPipeSz = 1031 // F_SETPIPE_SZ
	spliceMove = 1    // SPLICE_F_MOVE
	spliceNow  = 2    // SPLICE_F_NONBLOCK
	pollOut    = 4    // POLLOUT
)

func (s *Splice) start() error {
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

// grow requests a larger pipe. A user over the system's limit keeps the ordinary one.
func grow(fd int) { syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), fSetPipeSz, pipeSize) }

// Close closes the pipe.
func (s *Splice) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		syscall.Close(s.r)
		syscall.Close(s.w)
		s.open = false
	}
}

// Move moves bytes from the socket to f until most are moved or the socket has no more at present. ok is false if nothing was moved because
// the system cannot splice these two.
func (s *Splice) Move(c *Conn, f *os.File, most int64, w Watch) (n int64, err error, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sock, isSock := c.Conn.(syscall.Conn)
	if !isSock || s.off {
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
		n, err = s.toFile(source{c, from, w}, to, most)
		if call, ok := err.(*os.SyscallError); ok { // of drain
			err = &fs.PathError{Op: "write", Path: f.Name(), Err: call.Err}
		}
	case info.Mode()&fs.ModeNamedPipe != 0:
		n, err = toPipe(source{c, from, w}, to, most)
	default:
		return 0, nil, false
	}
	if err == syscall.EINVAL && n == 0 && s.held == 0 {
		s.off = true // a file in append mode, or a file system without splice
		return 0, nil, false
	}
	return n, err, true
}

// A source is the socket to read from.
type source struct {
	conn  *Conn
	raw   syscall.RawConn
	watch Watch
}

// read splices the available bytes from the socket into the pipe fd. It waits for the first byte.
func (s source) read(fd int, most int64) (int, error) {
	if err := s.watch.Before(); err != nil {
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
	err := s.raw.Read(move)
	if n <= 0 && s.watch.Repeat(err) {
		err = s.raw.Read(move)
	}
	if err == nil && serr != syscall.EAGAIN {
		err = serr
	}
	if err == syscall.EINVAL {
		return 0, err
	}
	if err == nil && serr == nil && n == 0 {
		s.conn.ended.Store(true)
		err = io.EOF
	}
	n = max(n, 0)
	return int(n), s.watch.After(int(n), err)
}

func (s *Splice) toFile(from source, to syscall.RawConn, most int64) (total int64, err error) {
	if s.start() != nil {
		return 0, syscall.EINVAL
	}
	for total < most {
		n, err := from.read(s.w, min(most-total, pipeSize))
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

// drain moves the contents of the pipe into the file.
func (s *Splice) drain(to syscall.RawConn) error {
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

// toPipe moves bytes into the pipe that the file is (standard output). It waits here for a reader that does not read: polling the socket,
// which has bytes, would spin.
func toPipe(from source, to syscall.RawConn, most int64) (total int64, err error) {
	cerr := to.Control(func(fd uintptr) {
		grow(int(fd))
		for total < most {
			var n int
			n, err = from.read(int(fd), min(most-total, pipeSize))
			total += int64(n)
			if err != nil {
				return
			}
			for n == 0 && !writable(int(fd), time.Second) {
				if err = from.watch.Err(); err != nil {
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

type pollFd struct {
	fd      int32
	events  int16
	revents int16
}

// writable reports whether fd accepts bytes, or is broken, within d.
func writable(fd int, d time.Duration) bool {
	p := pollFd{fd: int32(fd), events: pollOut}
	t := syscall.NsecToTimespec(int64(d))
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	return errno != 0 && errno != syscall.EINTR || int(n) > 0
}
