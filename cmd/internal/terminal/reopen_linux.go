package terminal

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Reopen is standard output such that waiting for the reader of a pipe can end with the request. The pipe is opened a second time for
// that: O_NONBLOCK would hold for all who have it open, the shell among them. What is no pipe, or cannot be opened, stays as it is.
func Reopen(f *os.File) *os.File {
	const number = 1 // that of standard output is kept: the runtime ends the program where nobody reads it any more, as SIGPIPE does
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 || f != os.Stdout {
		return f
	}
	again, err := unix.Open("/proc/self/fd/1", unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return f
	}
	defer unix.Close(again)
	if unix.Dup3(again, number, 0) != nil {
		return f
	}
	return os.NewFile(number, f.Name())
}
