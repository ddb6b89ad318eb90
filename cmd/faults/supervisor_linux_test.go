//go:build amd64

package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A supervisor sees each system call of another process that concerns files or sockets, before the kernel carries it out, and may answer in
// the kernel's place. It uses the notifications of seccomp(2), so that it sees what libraries and package os do, too, and the process that is
// supervised contains nothing for it.
type supervisor struct {
	process  int // that is supervised
	handle   int // its pidfd
	listener int
	pid      int // of the thread that makes the call

	kinds map[int]kind // of calls

	mu     sync.Mutex
	roots  []string // directories whose files concern us
	fault  fault
	seen   []call           // that concern us
	synced map[string]int64 // the sizes of files when they were synced

	before func(c call, fd int) // is called before a call of files is carried out, if it is not nil; fd is 0 for a call by name
}

// A fault says which calls fail.
type fault struct {
	sockets bool          // calls of sockets, not those of files
	at      int           // the first call that fails, counted from 1; 0 if none does
	count   int           // how many calls fail; 0 is all from then on
	errno   syscall.Errno // that they return
}

// watch begins to count calls that concern the files below roots, and sockets.
func (s *supervisor) watch(roots []string, f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots, s.fault, s.seen, s.synced = roots, f, nil, map[string]int64{}
}

// end returns the calls since watch, and stops counting.
func (s *supervisor) end() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.roots, s.fault, s.seen = nil, fault{}, nil
	return seen
}

// serve decides about calls until the process has ended.
func (s *supervisor) serve() {
	defer unix.Close(s.listener)
	defer unix.Close(s.handle)
	for {
		poll := []unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err == unix.EINTR {
			continue
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		if !control(s.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) {
			continue
		}
		a := s.decide(&n)
		a.id = n.id
		control(s.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
	}
}

func (s *supervisor) decide(n *notification) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid = int(n.pid)
	c, ok := s.recognize(n)
	if !ok || s.roots == nil {
		return answer{flags: goOn}
	}
	s.seen = append(s.seen, c)
	if s.before != nil && !c.socket {
		s.before(c, int(n.args[0]))
	}
	syncs := c.name == "fsync" || c.name == "fdatasync"
	if !s.fails(c) {
		if syncs {
			s.synced[s.link(int(n.args[0]))] = s.size(int(n.args[0]))
		}
		return answer{flags: goOn}
	}
	errno := s.fault.errno
	if possible := errorsOf(c); s.fault.count == 1 && !slices.Contains(possible, errno) { // the order of calls differs from that of the run before
		errno = possible[0]
	}
	s.seen[len(s.seen)-1].failed = errno
	if s.fault.count == 1 && !c.socket && (c.name == "close" || syncs) && s.isDirty(c.file) {
		s.lose(int(n.args[0]))
	}
	if c.name == "write" && !c.socket {
		s.writeHalf(int(n.args[0]), n.args[1], n.args[2])
	}
	if c.name == "close" { // the descriptor is closed even if the call fails: close(2)
		s.closeFor(n)
	}
	return answer{error: -int32(errno)}
}

// fails reports whether the fault concerns the last call that was seen.
func (s *supervisor) fails(c call) bool {
	if c.socket != s.fault.sockets || s.fault.at == 0 {
		return false
	}
	k := 0
	for _, e := range s.seen {
		if e.socket == c.socket {
			k++
		}
	}
	return k >= s.fault.at && (s.fault.count == 0 || k < s.fault.at+s.fault.count)
}

// isDirty reports whether something was written to a file that was not synced since.
func (s *supervisor) isDirty(file string) bool {
	for _, c := range slices.Backward(s.seen[:len(s.seen)-1]) {
		switch {
		case c.failed != 0:
		case c.name == "rename" && c.to == file:
			file = c.file
		case c.file == file && (c.name == "fsync" || c.name == "fdatasync"):
			return false
		case c.file == file && strings.Contains(c.name, "write"), c.file == file && c.name == "splice":
			return true
		}
	}
	return false
}

// writeHalf writes the first half of what the process wants to write: a disk becomes full within a write. It does nothing for its children.
func (s *supervisor) writeHalf(fd int, addr, size uint64) {
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", s.process, s.pid)); err != nil || size < 2 {
		return
	}
	p := make([]byte, size/2)
	local := []unix.Iovec{{Base: &p[0]}}
	local[0].SetLen(len(p))
	k, err := unix.ProcessVMReadv(s.pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(p)}}, 0)
	if err != nil {
		return
	}
	if own, err := unix.PidfdGetfd(s.handle, fd, 0); err == nil {
		unix.Write(own, p[:k])
		unix.Close(own)
	}
}

// lose removes half of what was written to a file since it was synced: if close or fsync fails, the system could not write what it had accepted.
func (s *supervisor) lose(fd int) {
	if flags := s.flags(fd); flags&unix.O_ACCMODE == unix.O_RDONLY || flags&unix.O_DSYNC != 0 {
		return
	}
	name := fmt.Sprintf("/proc/%d/fd/%d", s.pid, fd)
	if size, synced := s.size(fd), s.synced[s.link(fd)]; size > synced {
		os.Truncate(name, synced+(size-synced)/2)
	}
}

// flags returns those with which a file was opened.
func (s *supervisor) flags(fd int) (flags int) {
	about, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", s.pid, fd))
	_, said, _ := strings.Cut(string(about), "flags:")
	fmt.Sscanf(said, "%o", &flags)
	return flags
}

// size returns the size of an open file, 0 if it has none.
func (s *supervisor) size(fd int) int64 {
	is, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%d", s.pid, fd))
	if err != nil || !is.Mode().IsRegular() {
		return 0
	}
	return is.Size()
}

// recognize describes a call. ok is false if it does not concern us.
func (s *supervisor) recognize(n *notification) (c call, ok bool) {
	k, ok := s.kinds[int(n.nr)]
	if !ok {
		return c, false
	}
	c.name, c.write = k.name, k.writes
	if k.path {
		c.file, ok = s.path(n.args[k.at], n.args[k.at+1])
		if k.to != 0 {
			to, toOurs := s.path(n.args[k.to], n.args[k.to+1])
			c.to, ok = to, ok || toOurs
		}
		if k.name == "openat" {
			c.write = n.args[2]&(unix.O_WRONLY|unix.O_RDWR) != 0
		}
		return c, ok
	}
	link := s.link(int(n.args[k.at]))
	if strings.HasPrefix(link, "socket:") || k.sockets {
		c.file, c.socket = "socket", true
		return c, true
	}
	c.file, ok = s.below(link)
	return c, ok
}

// path reads the name at addr, which is relative to the directory dir.
func (s *supervisor) path(dir, addr uint64) (string, bool) {
	name := s.text(addr)
	if !filepath.IsAbs(name) {
		at := ""
		if int32(dir) == unix.AT_FDCWD {
			at, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.pid))
		} else {
			at = s.link(int(int32(dir)))
		}
		name = filepath.Join(at, name)
	}
	return s.below(name)
}

// below returns name relative to its root, if it is below one.
func (s *supervisor) below(name string) (string, bool) {
	for _, root := range s.roots {
		if name == root {
			return ".", true
		}
		if rest, ok := strings.CutPrefix(name, root+"/"); ok {
			return rest, true
		}
	}
	return "", false
}

func (s *supervisor) link(fd int) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", s.pid, fd))
	return name
}

// text reads a string that ends with NUL from the process.
func (s *supervisor) text(addr uint64) string {
	var all []byte
	for len(all) < unix.PathMax {
		p := make([]byte, 256-addr%256) // within one page
		local := []unix.Iovec{{Base: &p[0]}}
		local[0].SetLen(len(p))
		n, err := unix.ProcessVMReadv(s.pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(p)}}, 0)
		if err != nil || n == 0 {
			break
		}
		if end := bytes.IndexByte(p[:n], 0); end >= 0 {
			return string(append(all, p[:end]...))
		}
		all, addr = append(all, p[:n]...), addr+uint64(n)
	}
	return string(all)
}
