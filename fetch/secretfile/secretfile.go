// Package secretfile reads files that only their user should be able to read: passwords, keys with
// their certificates, and the logins of a netrc file.
package secretfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
)

// maxSize is larger than any real password or key file.
const maxSize = 1 << 20

// ReadFile reads the named file. It refuses a file that others can read, with a hint, since its content is no longer secret. Every error is
// fetch.ErrLocal; fs.ErrNotExist stays visible to errors.Is.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if err := Check(name, info); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	case len(b) > maxSize:
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: fmt.Sprintf("%s has more than %d bytes", name, maxSize)}
	}
	return b, nil
}

// Check refuses a file that others can read. Anything but a regular file is accepted, since it holds no secrets itself: the null device, or
// the pipe that a shell substitutes for <(command). The hint about the mode is given only to the file's owner.
func Check(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 || filepath.Separator != '/' { // the bits mean nothing on other systems
		return nil
	}
	err := &fetch.Error{Kind: fetch.ErrLocal, Text: name + " can be read by others"}
	if IsOwn(info) {
		err.Hint = "chmod 600 " + name
	}
	return err
}
