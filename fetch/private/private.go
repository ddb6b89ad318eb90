// Package private reads files that only their user should be able to read: passwords and keys.
package private

import (
	"fmt"
	"io"
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
	if info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' { // elsewhere these bits say nothing
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: name + " can be read by others", Hint: "chmod 600 " + name}
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
