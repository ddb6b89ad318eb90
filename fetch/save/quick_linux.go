package save

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// quickFile does what temp, a write, a close, setTime and place do, with fewer system calls and without an os.File. The file keeps its own time
// if t is zero. done reports that it has its final name. If not, the caller renames the file temp in another way. If temp is "", quickFile has
// changed nothing: the caller uses temp, whose error is the reason.
//
// The names are C strings on the stack, which package unix would allocate: five allocations less for a document (BenchmarkSmallDocuments).
//
// A file without a name (O_TMPFILE), which is linked to its name when it is complete, leaves nothing in the directory if the process is
// killed. But it takes 1.2 times the processor time in a memory file system, and up to 20 times in ext4, which has one list of such files
// for the whole file system (BenchmarkSmallDocuments).
func (f *Dir) quickFile(p []byte, t time.Time, name string, replace bool) (temp string, done bool) {
	defer runtime.KeepAlive(f.handle)
	var from, to [nameMax + 16]byte // with a NUL at the end
	dir, short := f.handle.Fd(), strconv.AppendUint(append(from[:0], tempPrefix...), rand.Uint64(), 36)
	if copy(to[:len(to)-1], name) < len(name) || strings.IndexByte(name, 0) >= 0 {
		return "", false
	}
	fd, _, errno := syscall.Syscall6(unix.SYS_OPENAT, dir, uintptr(unsafe.Pointer(&from)), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, uintptr(perm), 0, 0)
	if errno != 0 {
		return "", false
	}
	n, err := unix.Write(int(fd), p)
	if cerr := unix.Close(int(fd)); err == nil {
		err = cerr // some file systems report a failed write only here
	}
	if err == nil && !t.IsZero() {
		err = setTimeAt(int(dir), string(short), t)
	}
	if err != nil || n < len(p) {
		unix.Unlinkat(int(dir), string(short), 0)
		return "", false
	}
	flags := uintptr(unix.RENAME_NOREPLACE)
	if replace {
		flags = 0
	}
	if _, _, errno = syscall.Syscall6(unix.SYS_RENAMEAT2, dir, uintptr(unsafe.Pointer(&from)), dir, uintptr(unsafe.Pointer(&to)), flags, 0); errno != 0 {
		return string(short), false
	}
	return "", true
}

// setTimeAt sets the time of modification.
func setTimeAt(dir int, name string, t time.Time) error {
	modified, err := unix.TimeToTimespec(t)
	if err != nil {
		return err
	}
	return unix.UtimesNanoAt(dir, name, []unix.Timespec{{Nsec: unix.UTIME_OMIT}, modified}, unix.AT_SYMLINK_NOFOLLOW)
}
