// Package spill holds what is too large for memory: in files without a name, and in tables that find something in a file.
package spill

import "os"

// A File has no name, so that nothing is left of it whatever happens.
type File struct{ *os.File }

// Create creates a File in dir; "" is the system's temporary directory.
func Create(dir string) (*File, error) {
	f, err := os.CreateTemp(dir, ".deref-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // if the system cannot remove an open file, Close does
	return &File{f}, nil
}

// Close closes the file. A nil File is closed already.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	defer os.Remove(f.Name())
	return f.File.Close()
}
