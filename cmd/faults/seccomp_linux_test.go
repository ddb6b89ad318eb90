//go:build amd64

package faults

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

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

func control(fd int, request uintptr, p unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(p))
	return errno == 0
}

// closeFor closes a file of the process. It puts /dev/null in its place, since the descriptor itself can be closed only by the process, which does not try again.
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

// supervised makes the kernel ask a supervisor about the calls of this process. The first three descriptors are exempt: through them the process
// talks to the test. It returns the descriptor on which the kernel asks.
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
	fd, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}
