package save

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// writeUnnamed writes a complete document into a file without a name, and then links it to its name if that is free. It does what temp and
// place do, but changes the directory once instead of three times, and SIGKILL leaves nothing behind. If it returns false, nothing has
// happened, and the caller's ordinary way finds out why.
//
// Linux before 6.10 requires CAP_DAC_READ_SEARCH for it, and not every file system has unnamed files. It is then tried only once.
func (f *Dir) writeUnnamed(name string, p []byte) bool {
	if f.noUnnamed.Load() {
		return false
	}
	defer runtime.KeepAlive(f.handle)
	dir := int(f.handle.Fd())
	fd, err := unix.Openat(dir, ".", unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, uint32(perm))
	if err != nil {
		f.noUnnamed.Store(err != unix.EINTR && err != unix.EMFILE && err != unix.ENFILE)
		return false
	}
	defer unix.Close(fd)
	if n, err := unix.Write(fd, p); err != nil || n < len(p) {
		return false
	}
	switch err := unix.Linkat(fd, "", dir, name, unix.AT_EMPTY_PATH); err {
	case nil:
		return true
	case unix.ENOENT, unix.EPERM, unix.EINVAL, unix.EOPNOTSUPP:
		f.noUnnamed.Store(true)
	}
	return false
}
