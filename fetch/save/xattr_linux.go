package save

import (
	"os"

	"golang.org/x/sys/unix"
)

func setAttribute(f *os.File, a attribute) error {
	return unix.Fsetxattr(int(f.Fd()), a.name, []byte(a.value), 0)
}
