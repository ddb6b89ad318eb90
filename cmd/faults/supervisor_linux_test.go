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
	pid      int
	listener int

	mu    sync.Mutex
	roots []string // directories whose files concern us
	fault fault
	seen  []call // that concern us

	before func(c call, fd int) // is called before a call of files is carried out, if it is not nil; fd is 0 for a call by name
}

// A fault says which calls fail.
type fault struct {
	sockets bool          // calls of sockets, not those of files
	at      int           // the number of the call, from 1 on; 0 is none
	count   int           // how many calls fail; 0 is all from then on
	errno   syscall.Errno // that they return
}

// A call is one that concerns us.
type call struct {
	name   string
	file   string // relative to its root, or "socket"
	to     string // the second file of a rename or link
	failed bool
	socket bool
	write  bool // changes a file or its directory
}

func (c call) String() string {
	s := c.name + " " + c.file
	if c.to != "" {
		s += " " + c.to
	}
	return s
}

// ends reports whether a disk or network may end with the call: it is the first that needs it, or changes it.
func (c call) ends() bool {
	return c.write || c.name == "openat" || c.name == "socket" || c.name == "connect" || c.name == "read" && c.socket
}

// watch begins to count calls that concern the files below roots, and sockets.
func (s *supervisor) watch(roots []string, f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots, s.fault, s.seen = roots, f, nil
}

// end returns the calls since watch, and stops counting.
func (s *supervisor) end() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.roots, s.fault, s.seen = nil, fault{}, nil
	return seen
}

// notification is struct seccomp_notif.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	val   int64
	error int32
	flags uint32
}

// goOn is SECCOMP_USER_NOTIF_FLAG_CONTINUE: the kernel carries the call out.
const goOn = 1

// serve decides about calls until the process has ended.
func (s *supervisor) serve() {
	defer unix.Close(s.listener)
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

func control(fd int, request uintptr, p unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(p))
	return errno == 0
}

func (s *supervisor) decide(n *notification) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.recognize(n)
	if !ok || s.roots == nil {
		return answer{flags: goOn}
	}
	s.seen = append(s.seen, c)
	if s.before != nil && !c.socket {
		s.before(c, int(n.args[0]))
	}
	if c.socket != s.fault.sockets || s.fault.at == 0 {
		return answer{flags: goOn}
	}
	k := 0
	for _, e := range s.seen {
		if e.socket == c.socket {
			k++
		}
	}
	if k < s.fault.at || s.fault.count > 0 && k >= s.fault.at+s.fault.count {
		return answer{flags: goOn}
	}
	s.seen[len(s.seen)-1].failed = true
	if s.fault.count == 1 && !c.socket && (c.name == "close" || c.name == "fsync" || c.name == "fdatasync") && s.isDirty(c.file) {
		s.lose(int(n.args[0]))
	}
	if c.name == "close" { // the descriptor is closed even if the call fails: close(2)
		s.closeFor(n)
	}
	return answer{error: -int32(s.fault.errno)}
}

// isDirty reports whether something was written to a file that was not synced since.
func (s *supervisor) isDirty(file string) bool {
	for _, c := range slices.Backward(s.seen[:len(s.seen)-1]) {
		switch {
		case c.failed:
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

// lose removes half of a file that is open for writing: if close or fsync fails, the system could not write what it had accepted.
func (s *supervisor) lose(fd int) {
	var flags int
	about, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", s.pid, fd))
	_, said, _ := strings.Cut(string(about), "flags:")
	if fmt.Sscanf(said, "%o", &flags); flags&unix.O_ACCMODE == unix.O_RDONLY {
		return
	}
	name := fmt.Sprintf("/proc/%d/fd/%d", s.pid, fd)
	if is, err := os.Stat(name); err == nil && is.Mode().IsRegular() {
		os.Truncate(name, is.Size()/2)
	}
}

// recognize describes a call. ok is false if it does not concern us.
func (s *supervisor) recognize(n *notification) (c call, ok bool) {
	k, ok := kinds()[int(n.nr)]
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

// closeFor replaces a descriptor of the process by one of /dev/null, which closes the file behind it. The process believes it closed.
func (s *supervisor) closeFor(n *notification) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return
	}
	defer null.Close()
	add := struct { // struct seccomp_notif_addfd
		id                          uint64
		flags, srcfd, newfd, fdFlag uint32
	}{n.id, unix.SECCOMP_ADDFD_FLAG_SETFD, uint32(null.Fd()), uint32(n.args[0]), unix.O_CLOEXEC}
	control(s.listener, addfd, unsafe.Pointer(&add))
}

// addfd is SECCOMP_IOCTL_NOTIF_ADDFD, _IOW('!', 3, struct seccomp_notif_addfd).
const addfd = 0x40182103

// A kind is a kind of call: its name and where its arguments are.
type kind struct {
	name    string
	at, to  int // the index of a descriptor; for a path, it is the one of its directory, followed by the path
	path    bool
	writes  bool
	sockets bool // it always concerns a socket
	errors  []syscall.Errno
}

func kinds() map[int]kind {
	const (
		eio, enospc, edquot, emfile = unix.EIO, unix.ENOSPC, unix.EDQUOT, unix.EMFILE
		eacces, erofs, estale       = unix.EACCES, unix.EROFS, unix.ESTALE
	)
	full := []syscall.Errno{enospc, edquot, eio}
	names := []syscall.Errno{eio, enospc, erofs, eacces, edquot}
	meta := []syscall.Errno{eio, unix.EPERM, erofs}
	return map[int]kind{
		unix.SYS_OPENAT:     {name: "openat", path: true, errors: []syscall.Errno{emfile, eacces, eio, enospc, erofs, estale}},
		unix.SYS_READ:       {name: "read", errors: []syscall.Errno{eio, estale}},
		unix.SYS_PREAD64:    {name: "pread", errors: []syscall.Errno{eio, estale}},
		unix.SYS_WRITE:      {name: "write", writes: true, errors: full},
		unix.SYS_PWRITE64:   {name: "pwrite", writes: true, errors: full},
		unix.SYS_WRITEV:     {name: "writev", writes: true, errors: full},
		unix.SYS_CLOSE:      {name: "close", errors: []syscall.Errno{eio, edquot}},
		unix.SYS_FSYNC:      {name: "fsync", writes: true, errors: []syscall.Errno{eio, enospc}},
		unix.SYS_FDATASYNC:  {name: "fdatasync", writes: true, errors: []syscall.Errno{eio, enospc}},
		unix.SYS_FTRUNCATE:  {name: "ftruncate", writes: true, errors: full},
		unix.SYS_FALLOCATE:  {name: "fallocate", writes: true, errors: full},
		unix.SYS_RENAMEAT:   {name: "rename", path: true, to: 2, writes: true, errors: names},
		unix.SYS_RENAMEAT2:  {name: "rename", path: true, to: 2, writes: true, errors: names},
		unix.SYS_LINKAT:     {name: "link", path: true, to: 2, writes: true, errors: names},
		unix.SYS_SYMLINKAT:  {name: "symlink", path: true, at: 1, writes: true, errors: names},
		unix.SYS_UNLINKAT:   {name: "unlink", path: true, writes: true, errors: []syscall.Errno{eio, eacces, erofs}},
		unix.SYS_MKDIRAT:    {name: "mkdir", path: true, writes: true, errors: names},
		unix.SYS_NEWFSTATAT: {name: "stat", path: true, errors: []syscall.Errno{eio, eacces, estale}},
		unix.SYS_FSTAT:      {name: "fstat", errors: []syscall.Errno{eio, estale}},
		unix.SYS_GETDENTS64: {name: "getdents", errors: []syscall.Errno{eio, estale}},
		unix.SYS_FCHMOD:     {name: "fchmod", writes: true, errors: meta},
		unix.SYS_FCHMODAT:   {name: "chmod", path: true, writes: true, errors: meta},
		unix.SYS_FCHOWN:     {name: "fchown", writes: true, errors: meta},
		unix.SYS_UTIMENSAT:  {name: "utimens", path: true, writes: true, errors: meta},
		unix.SYS_FSETXATTR:  {name: "setxattr", writes: true, errors: []syscall.Errno{enospc, unix.ENOTSUP, eio}},
		unix.SYS_FGETXATTR:  {name: "getxattr", errors: []syscall.Errno{eio, unix.ENOTSUP}},
		unix.SYS_FLISTXATTR: {name: "listxattr", errors: []syscall.Errno{eio, unix.ENOTSUP}},
		unix.SYS_FLOCK:      {name: "flock", errors: []syscall.Errno{unix.ENOLCK, eio}},

		unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", at: 2, writes: true, errors: full},
		unix.SYS_SENDFILE:        {name: "sendfile", writes: true, errors: full},
		unix.SYS_SPLICE:          {name: "splice", at: 2, writes: true, errors: full},

		unix.SYS_SOCKET:     {name: "socket", sockets: true, errors: []syscall.Errno{emfile, unix.ENOBUFS}},
		unix.SYS_CONNECT:    {name: "connect", sockets: true, errors: []syscall.Errno{unix.ECONNREFUSED, unix.ENETUNREACH, unix.ETIMEDOUT}},
		unix.SYS_SENDTO:     {name: "sendto", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.EPIPE}},
		unix.SYS_RECVFROM:   {name: "recvfrom", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.ETIMEDOUT}},
		unix.SYS_SENDMSG:    {name: "sendmsg", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.EPIPE}},
		unix.SYS_RECVMSG:    {name: "recvmsg", sockets: true, errors: []syscall.Errno{unix.ECONNRESET, unix.ETIMEDOUT}},
		unix.SYS_ACCEPT4:    {name: "accept", sockets: true, errors: []syscall.Errno{emfile, unix.ECONNABORTED}},
		unix.SYS_BIND:       {name: "bind", sockets: true, errors: []syscall.Errno{unix.EADDRINUSE}},
		unix.SYS_LISTEN:     {name: "listen", sockets: true, errors: []syscall.Errno{unix.EADDRINUSE}},
		unix.SYS_SHUTDOWN:   {name: "shutdown", sockets: true, errors: []syscall.Errno{unix.ENOTCONN}},
		unix.SYS_SETSOCKOPT: {name: "setsockopt", sockets: true, errors: []syscall.Errno{unix.EINVAL, unix.ENOBUFS}},
		unix.SYS_GETSOCKOPT: {name: "getsockopt", sockets: true, errors: []syscall.Errno{unix.ENOBUFS}},
	}
}

// wire returns the errors that a call of a socket can have in place of those of a file.
func errorsOf(c call) []syscall.Errno {
	for _, k := range kinds() {
		if k.name != c.name {
			continue
		}
		switch {
		case !c.socket || k.sockets:
			return k.errors
		case c.name == "read":
			return []syscall.Errno{unix.ECONNRESET, unix.ETIMEDOUT}
		case c.name == "write" || c.name == "writev":
			return []syscall.Errno{unix.EPIPE, unix.ECONNRESET}
		}
		return []syscall.Errno{unix.EIO}
	}
	return nil
}

// supervised makes the kernel ask a supervisor about the calls of this process. The first three descriptors are exempt, through which the process talks to
// the supervisor. It returns the descriptor on which the kernel asks.
func supervised() (int, error) {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K

		nr, firstArg = 0, 16 // offsets in struct seccomp_data
	)
	program := []unix.SockFilter{{Code: load, K: nr}}
	for _, n := range []uint32{unix.SYS_READ, unix.SYS_WRITE} {
		program = append(program,
			unix.SockFilter{Code: equal, K: n, Jf: 4},
			unix.SockFilter{Code: load, K: firstArg},
			unix.SockFilter{Code: above, K: 2, Jt: 1},
			unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW},
			unix.SockFilter{Code: load, K: nr})
	}
	for n := range kinds() {
		program = append(program,
			unix.SockFilter{Code: equal, K: uint32(n), Jf: 1},
			unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	program = append(program, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const flags = unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER |
		unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV // no call is seen twice because a signal interrupted it
	fd, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		flags, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}
