package flags

import (
	"io"
	"os"

	"example.org/deref/fetch"
)

// MaxValue bounds the file with the value of a flag, or with the configuration, in bytes.
const MaxValue = 1 << 20

// Open opens a file that a flag or argument names. "-" is stdin, which stays open.
func Open(name string, stdin io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(stdin), nil
	}
	return os.Open(name)
}

// ReadFile returns the contents of a file that Open opens. A file of more than most bytes is an error.
func ReadFile(name string, stdin io.Reader, most int) ([]byte, error) {
	f, err := Open(name, stdin)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, name, most)
}

// ReadAll returns the contents of a file. One of more than most bytes is an error.
func ReadAll(in io.Reader, name string, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if len(text) > most {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s is longer than %d bytes", name, most)
	}
	return text, nil
}
