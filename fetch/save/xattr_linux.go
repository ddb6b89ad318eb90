package save

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the attribute that holds the access list, acl(5).
const accessList = "system.posix_acl_access"

// copyAttributes copies the attributes of the file name, including its access list, to f. If the file has no access list, it removes the
// one that f inherited from its directory.
func copyAttributes(f *os.File, dir *Dir, name string, old fs.FileInfo) error {
	from, err := dir.root.OpenFile(name, os.O_RDONLY|openNow, 0)
	if err != nil {
		return fmt.Errorf("cannot keep access list and attributes: %w", err)
	}
	defer from.Close()
	if fi, err := from.Stat(); err != nil || !os.SameFile(fi, old) {
		return err // replaced meanwhile
	}
	was, err := attributesOf(from)
	is, ferr := attributesOf(f)
	if err = cmp.Or(err, ferr); err != nil {
		return fmt.Errorf("cannot keep access list and attributes: %w", err)
	}
	var lost []string
	for name, value := range was {
		if old, ok := is[name]; ok && bytes.Equal(old, value) {
			continue
		}
		if err = unix.Fsetxattr(int(f.Fd()), name, value, 0); err != nil {
			lost = append(lost, fmt.Sprintf("%s (%v)", name, err))
		}
	}
	if _, ok := was[accessList]; !ok && is[accessList] != nil {
		if err = unix.Fremovexattr(int(f.Fd()), accessList); err == nil {
			err = f.Chmod(old.Mode().Perm())
		}
		if err != nil {
			lost = append(lost, fmt.Sprintf("no %s (%v)", accessList, err))
		}
	}
	if lost == nil {
		return nil
	}
	return errors.New("cannot keep attributes: " + strings.Join(lost, ", "))
}

// attributesOf reads the attributes of f that describe the file rather than its contents.
func attributesOf(f *os.File) (map[string][]byte, error) {
	fd := int(f.Fd())
	names, err := readAttribute(func(p []byte) (int, error) { return unix.Flistxattr(fd, p) })
	if len(names) == 0 || err == unix.ENOTSUP {
		return nil, nil
	}
	list := map[string][]byte{}
	for _, name := range strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if !describesFile(name) {
			continue
		}
		value, err := readAttribute(func(p []byte) (int, error) { return unix.Fgetxattr(fd, name, p) })
		if err == unix.ENODATA {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list[name] = value
	}
	return list, err
}

// describesFile reports whether an attribute still holds after the contents have changed. Those for the origin, a digest, or a privilege
// granted to a program do not; the kernel itself drops the last kind when a file is written.
func describesFile(name string) bool {
	switch name {
	case "security.capability", "security.ima", "security.evm", "user.mime_type":
		return false
	}
	return !strings.HasPrefix(name, "user.xdg.")
}

// readAttribute calls read for the size and then for the value, which may have grown meanwhile.
func readAttribute(read func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := read(nil)
		if err != nil || n == 0 {
			return nil, err
		}
		b := make([]byte, n)
		if n, err = read(b); err != unix.ERANGE {
			return b[:max(n, 0)], err
		}
	}
}
