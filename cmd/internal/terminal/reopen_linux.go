package terminal

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Reopen returns standard output in a form whose writes to a pipe can be interrupted. It opens the pipe a second time, because O_NONBLOCK on the
// first would affect all processes that share it, such as the shell. It returns f unchanged if f is not a pipe or cannot be opened again.
func Reopen(f *os.File) *os.File {
	const number = 1 // keep the number, for which the runtime ends the program when the reader has gone (SIGPIPE)
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
