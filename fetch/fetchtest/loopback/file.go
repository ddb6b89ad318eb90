package loopback

import (
	"fmt"
	"io"
	"io/fs"
)

// maxRead bounds a file held in memory. Any number of clients may request it at once and not read the response.
const maxRead = 4 << 20

// ReadFile reads a file for a protocol that needs its contents before it can respond. It returns an error if the file is larger than 4 MiB.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := openFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(b) > maxRead {
		err = fmt.Errorf("%s: larger than %d bytes", name, maxRead)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// SendFile writes head and then a file to w. If the file cannot be opened, it writes nothing and returns an error. A later read error only
// cuts the response short.
func SendFile(w io.Writer, fsys fs.FS, name, head string) error {
	f, err := openFile(fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(w, head); err == nil {
		io.Copy(w, f)
	}
	return nil
}

func openFile(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return f, nil
}
