package loopback

import (
	"fmt"
	"io"
	"io/fs"
)

// maxRead bounds a file that an answer is made of in memory. As many clients as like can ask for it and not read the answer.
const maxRead = 4 << 20

// ReadFile reads a file for a protocol that needs the whole of it before it can answer. What is longer than 4 MiB is refused unread.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := openFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(b) > maxRead {
		err = fmt.Errorf("%s: longer than %d octets", name, maxRead)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// SendFile writes head and a file to w, piece by piece. It fails, having written nothing, where there is no such file; a file that cannot
// be read to its end is cut, as by any server.
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
