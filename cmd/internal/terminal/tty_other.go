//go:build !windows

package terminal

import "os"

// openTerminal opens the terminal of this process, even if standard input and output are redirected. The caller closes both files, which
// are the same here.
func openTerminal() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return tty, tty, err
}
