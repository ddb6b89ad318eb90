package save

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// Sync makes the content of a file durable. QUIRK: pipes and some file systems (FUSE, network) have no such call and return EINVAL or ENOTSUP
// (fsync(2)); nothing more can be done there.
func Sync(f *os.File) error {
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// SyncDir makes the names in a directory durable, if the system can open and sync directories. Windows cannot: renames are durable by themselves.
func SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer d.Close()
	return syncDir(d)
}

func syncDir(d *os.File) error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	return Sync(d)
}
