// Package secretfile reads files that only their user should be able to read: passwords and keys.
package secretfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
)

// maxSize is more than any password or key takes.
const maxSize = 1 << 20

// ReadFile reads the named file. One that others can read is refused, with a hint: what is in it is no longer only the user's. Every
// error is fetch.ErrLocal; fs.ErrNotExist stays visible to errors.Is.
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
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: fmt.Sprintf("%s has more than %d octets", name, maxSize)}
	}
	return b, nil
}

// Check refuses a file that others can read. What is not a regular file holds no secrets by itself: the null device, or the pipe that a
// shell puts in place of <(command). Nobody is told to change the mode of a file that is not theirs.
func Check(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 || filepath.Separator != '/' { // elsewhere these bits say nothing
		return nil
	}
	err := &fetch.Error{Kind: fetch.ErrLocal, Text: name + " can be read by others"}
	if IsOwn(info) {
		err.Hint = "chmod 600 " + name
	}
	return err
}
